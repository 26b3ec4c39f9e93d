import { type Session, onlyRow } from './transaction';

/** The oldest version in which all statements of the register are valid, as `server_version_num`. */
const MIN_VERSION = 150_000;

const KIND = `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
  current_setting('server_encoding') as encoding`;

/** Throws for a database of an older version of PostgreSQL, and for one that cannot store every text. */
export async function requireDatabaseKind(session: Session): Promise<void> {
  const result = await session.query<{ number: number; version: string; encoding: string }>(KIND);
  const { number, version, encoding } = onlyRow(result);
  if (number < MIN_VERSION || encoding !== 'UTF8')
    throw new Error(
      `PostgreSQL 15 to 18 with the encoding UTF8 is needed, this database has version ${version} and ${encoding}`,
    );
}
