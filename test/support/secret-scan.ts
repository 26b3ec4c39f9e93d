import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** Values that must not be found, by their description. */
export type KnownValues = ReadonlyMap<string, string>;

/** A searched place, such as a column, and its content. */
export interface SearchedPlace {
  readonly name: string;
  readonly content: Buffer;
}

/** Returns a line for each value found: description, encoding, place. */
export function findings(values: KnownValues, places: readonly SearchedPlace[]): string[] {
  const forms = [...values].flatMap(([what, value]) => formsOf(value).map(([form, bytes]) => ({ what, form, bytes })));
  return places.flatMap(({ name, content }) => {
    const searched = [content, Buffer.from(content.toString('latin1').toLowerCase(), 'latin1')];
    return forms
      .filter(({ bytes }) => searched.some((each) => each.includes(bytes)))
      .map(({ what, form }) => `${what} ${form} in ${name}`);
  });
}

/** Returns the encodings of a value that reveal it, or permit guessing it without a key. */
function formsOf(value: string): [form: string, bytes: Buffer][] {
  const clear = Buffer.from(value);
  const digests = ['md5', 'sha1', 'sha256', 'sha512'].map(
    (name) => [name, createHash(name).update(value).digest()] as const,
  );
  return [
    ['in clear', clear],
    ['in small letters', Buffer.from(value.toLowerCase())],
    ['reversed', Buffer.from([...value].toReversed().join(''))],
    ['in UTF-16', Buffer.from(value, 'utf16le')],
    ['escaped for a URL', Buffer.from(encodeURIComponent(value))],
    ['in hexadecimal', Buffer.from(clear.toString('hex'))],
    ...base64Cores(clear).map((core): [string, Buffer] => ['in base64', core]),
    ...digests.flatMap(([name, digest]): [string, Buffer][] => [
      [`as ${name} without a key`, digest],
      [`as ${name} without a key, in hexadecimal`, Buffer.from(digest.toString('hex'))],
      [`as ${name} without a key, in base64`, Buffer.from(digest.toString('base64').replace(/=+$/, ''))],
      [`as ${name} without a key, in base64url`, Buffer.from(digest.toString('base64url'))],
    ]),
  ];
}

/** Returns the base64 and base64url characters of the bytes at each offset that do not depend on neighbouring bytes. */
function base64Cores(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((before) =>
    (['base64', 'base64url'] as const).map((encoding) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .replace(/=+$/, '');
      const end = Math.floor(((before + bytes.length) * 8) / 6);
      return Buffer.from(text.slice(Math.ceil((before * 8) / 6), end));
    }),
  );
}

const TABLES = `select table_schema || '.' || quote_ident(table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

/** A column of a table, or a file, and its values. */
export interface StoredValues {
  readonly name: string;
  readonly values: readonly Buffer[];
}

/** Returns every column of every table of a database, read as its superuser; binary values as bytes. */
export async function databasePlaces(url: string): Promise<SearchedPlace[]> {
  return (await databaseValues(url)).map(({ name, values }) => ({
    name,
    content: Buffer.concat(values.flatMap((value) => [value, Buffer.from('\n')])),
  }));
}

/** Returns every value of every column of every table of a database, read as its superuser; binary values as bytes. */
export async function databaseValues(url: string): Promise<StoredValues[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(TABLES);
    const columns: StoredValues[] = [];
    for (const { name } of tables) {
      const { rows, fields } = await client.query<Record<string, unknown>>(`select * from ${name}`);
      for (const { name: column } of fields)
        columns.push({ name: `${name}.${column}`, values: rows.map((row) => bytesOf(row[column])) });
    }
    return columns;
  } finally {
    await client.end();
  }
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  return Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
