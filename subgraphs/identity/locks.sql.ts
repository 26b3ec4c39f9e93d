import type { Session } from '../server/database/transaction';

const LOCK = `select pg_advisory_xact_lock(hashtextextended('people at ' || encode($1::bytea, 'hex'), 0))`;

/**
 * Locks a meter point until the transaction ends: concurrent transactions that add Identity Records, passkeys, proofs or verdicts there
 * wait. Later statements of the transaction read what the previous owner of the lock committed.
 */
export async function lockMeterPoint(session: Session, mpxnIndex: Buffer): Promise<void> {
  await session.query(LOCK, [mpxnIndex]);
}
