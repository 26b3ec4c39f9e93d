import { type ErrorCode } from '../../../schema/error-catalogue';
import { RegisterError, refuse } from '../../../schema/register-error';
import type { Session } from '../../server/transaction';
import { type RegisterEntryStatus, statusViolations } from '../domain/register-entry-status';

/** A kind of register entry: its table, its key, and the error for one that is not there. */
export interface EntryKind {
  readonly table: 'supplier' | 'rti_user';
  readonly key: 'mpid' | 'user_id';
  readonly unknown: ErrorCode;
}

/**
 * Sets the status of an entry by the transition table, CNF001 where it does not lead there; the transition is kept. The status that it has
 * already changes nothing. What follows from a removal is planned by triggers, in the same transaction.
 */
export async function setEntryStatus(
  session: Session,
  { table, key, unknown }: EntryKind,
  id: string,
  status: RegisterEntryStatus,
  accountId: string,
): Promise<void> {
  const { rows } = await session.query<{ status: RegisterEntryStatus }>(
    `select status from ${table} where ${key} = $1 for update`,
    [id],
  );
  const from = rows[0]?.status;
  if (from === undefined) throw new RegisterError(unknown);
  refuse(statusViolations(from, status));
  if (from === status) return;
  await session.query(`update ${table} set status = $2, last_modified = register_now() where ${key} = $1`, [
    id,
    status,
  ]);
  await session.query(
    `insert into entry_transition (${key}, from_status, to_status, account_id) values ($1, $2, $3, $4)`,
    [id, from, status, accountId],
  );
}
