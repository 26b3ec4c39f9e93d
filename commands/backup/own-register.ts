import type { Client } from 'pg';
import { rejectUnfinishedRestore } from '../../subgraphs/server/restore-mark';
import type { FoundBackup } from './backup-folder';
import { differentKeys, keyHashes } from './register-keys';
import { REGISTER_SCHEMAS, tablesOf } from './stored-tables';

const ACCOUNTS = 'access.account';

/** Throws if the database contains no table of a register. */
export async function requireRegister(session: Client): Promise<void> {
  if ((await tablesOf(session, REGISTER_SCHEMAS)).length === 0) throw new Error('this database has no register');
}

/**
 * Throws unless the database is that of a primary with a complete register, which may be the one of earlier backups,
 * newest first. A standby accepts the statements of a backup, but may lack the latest erasures.
 */
export async function requireOwnRegister(session: Client, earlier: readonly FoundBackup[]): Promise<void> {
  const { rows } = await session.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
  if (rows[0]?.isStandby !== false)
    throw new Error(
      'this database is a standby, which may lack the latest erasures: let DATABASE_URL lead to the primary',
    );
  await rejectUnfinishedRestore(session);
  await requireRegister(session);
  if (earlier[0] !== undefined) await rejectOtherRegister(session, earlier[0]);
}

/**
 * Throws unless the register may be that of a backup. Otherwise the backup of an empty or foreign database would become
 * the newest one of its folder, and data keys of the register would be deleted after their retention period.
 */
async function rejectOtherRegister(session: Client, { folder, manifest }: FoundBackup): Promise<void> {
  const different = differentKeys(manifest.keys, await keyHashes(session));
  if (different.length > 0) {
    throw new Error(
      `${different.join(', ')}: this register has other keys than that of ${folder}: back it up to another folder`,
    );
  }
  const hadAccounts = manifest.tables.some(({ schema, table, rows }) => `${schema}.${table}` === ACCOUNTS && rows > 0);
  if (hadAccounts && (await session.query(`select from ${ACCOUNTS} limit 1`)).rowCount === 0) {
    throw new Error(
      `this register has no accounts, but ${folder} has some: restore that backup, or back up to another folder`,
    );
  }
}
