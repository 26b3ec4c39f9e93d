import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** A value that must not be found, by what it is. */
export type KnownValues = ReadonlyMap<string, string>;

/** A place that was searched, such as a column, and everything in it. */
export interface SearchedPlace {
  readonly name: string;
  readonly content: Buffer;
}

/** What was found: which value, in which form, where. */
export function findings(values: KnownValues, places: readonly SearchedPlace[]): string[] {
  const forms = [...values].flatMap(([what, value]) => formsOf(value).map(([form, bytes]) => ({ what, form, bytes })));
  return places.flatMap(({ name, content }) => {
    const searched = [content, Buffer.from(content.toString('latin1').toLowerCase(), 'latin1')];
    return forms
      .filter(({ bytes }) => searched.some((each) => each.includes(bytes)))
      .map(({ what, form }) => `${what} ${form} in ${name}`);
  });
}

/** The forms in which a value could be written by anyone: all of them would tell it, or let it be guessed without a key. */
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

/** What base64 and base64url make of the bytes wherever they begin: the characters that no neighbour changes. */
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

/** Every column of every table of a database, as its superuser sees it: binary values as their bytes. */
export async function databasePlaces(url: string): Promise<SearchedPlace[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(TABLES);
    const places: SearchedPlace[] = [];
    for (const { name } of tables) {
      const { rows, fields } = await client.query<Record<string, unknown>>(`select * from ${name}`);
      for (const { name: column } of fields) {
        places.push({ name: `${name}.${column}`, content: Buffer.concat(rows.map((row) => bytesOf(row[column]))) });
      }
    }
    return places;
  } finally {
    await client.end();
  }
}

function bytesOf(value: unknown): Buffer {
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return Buffer.concat([bytes, Buffer.from('\n')]);
}
