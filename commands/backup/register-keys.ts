import type { Client } from 'pg';
import { REGISTER_SCHEMAS } from './stored-tables';

/** Keyed hashes of constants, by schema and variable. Equal hashes mean equal keys. */
export type KeyHashes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the hashes of the keys with which a register was created. */
export async function keyHashes(session: Client, schemas: readonly string[] = REGISTER_SCHEMAS): Promise<KeyHashes> {
  const hashes: Record<string, Record<string, string>> = {};
  for (const schema of schemas) {
    const { rows } = await session.query<{ variable: string; hash: string }>(
      `select variable, encode(hash, 'hex') as hash from ${schema}.key_check order by variable`,
    );
    hashes[schema] = Object.fromEntries(rows.map(({ variable, hash }) => [variable, hash]));
  }
  return hashes;
}

/** Returns the variables whose key differs. A key that only one of the registers has does not count. */
export function differentKeys(backup: KeyHashes, register: KeyHashes): string[] {
  return Object.entries(backup).flatMap(([schema, hashes]) => {
    const inRegister = register[schema] ?? {};
    return Object.keys(hashes).filter((name) => inRegister[name] !== undefined && inRegister[name] !== hashes[name]);
  });
}
