import type { QueryRunner } from 'typeorm';
import { keyedHash } from './keyed-hash';

/** Keys by the variable that carries them. */
export type NamedKeys = Readonly<Record<string, Buffer>>;

/**
 * Refuses keys that are not those of the database: with others nothing would be found and nobody could sign in, without a word. A
 * keyed hash of a constant is kept for each.
 */
export async function checkKeys(session: QueryRunner, schema: string, keys: NamedKeys): Promise<void> {
  await session.query(
    `create table if not exists ${schema}.key_check (variable text primary key, hash bytea not null)`,
  );
  const wrong: string[] = [];
  for (const [variable, key] of Object.entries(keys)) {
    const hash = keyedHash(key, 'key-check')(variable);
    await session.query(`insert into ${schema}.key_check values ($1, $2) on conflict (variable) do nothing`, [
      variable,
      hash,
    ]);
    const kept = (await session.query(`select hash from ${schema}.key_check where variable = $1`, [variable])) as [
      { hash: Buffer },
    ];
    if (!kept[0].hash.equals(hash)) wrong.push(variable);
  }
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: not of this database, which was made with other keys`);
}
