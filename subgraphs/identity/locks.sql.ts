import type { Session } from '../server/database/transaction';

const LOCK_METER_POINT = `select pg_advisory_xact_lock(hashtextextended('people at ' || encode($1::bytea, 'hex'), 0))`;
const LOCK_CONTESTS = `select pg_advisory_xact_lock(hashtextextended('contests of ' || $1::text, 0))`;

/**
 * Locks a meter point until the transaction ends: concurrent transactions that add Identity Records, passkeys, proofs, verdicts, sessions or
 * Changes of Tenancy there, or end a record or remove a passkey, wait. Later statements of the transaction read what the previous owner of the
 * lock committed. A transaction locks the meter point before existing rows of Identity Records, and before the count of contests: in another
 * order it could wait for one that waits for it.
 */
export async function lockMeterPoint(session: Session, mpxnIndex: Buffer): Promise<void> {
  await session.query(LOCK_METER_POINT, [mpxnIndex]);
}

/** Locks the count of a Data User's contests until the transaction ends; a transaction that locks several takes them in order of DUID. */
export async function lockContests(session: Session, duid: string): Promise<void> {
  await session.query(LOCK_CONTESTS, [duid]);
}
