import { keyedHash } from '../keyed-hash';
import { type Session, onlyRow } from './transaction';

/** Keys by environment variable. */
export type NamedKeys = Readonly<Record<string, Buffer>>;

/** Creates the table of the hashes of keys, and compares keys with it as {@link compareKeys} does. */
export async function checkKeys(session: Session, schema: string, keys: NamedKeys): Promise<void> {
  await session.query(
    `create table if not exists ${schema}.key_check (variable text primary key, hash bytea not null)`,
  );
  await compareKeys(session, schema, keys);
}

/**
 * Throws if a key is not the one that the database was created with. With another key every lookup would fail without
 * an error. The database stores a keyed hash of each variable's name.
 */
export async function compareKeys(session: Session, schema: string, keys: NamedKeys): Promise<void> {
  const wrong: string[] = [];
  for (const [variable, key] of Object.entries(keys)) {
    const hash = keyedHash(key, 'key-check')(variable);
    await session.query(`insert into ${schema}.key_check values ($1, $2) on conflict (variable) do nothing`, [
      variable,
      hash,
    ]);
    const stored = onlyRow(
      await session.query<{ hash: Buffer }>(`select hash from ${schema}.key_check where variable = $1`, [variable]),
    );
    if (!stored.hash.equals(hash)) wrong.push(variable);
  }
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: not the key with which this database was created`);
}
