import type { Session } from '../../server/transaction';

const LOCK = `select pg_advisory_xact_lock(hashtextextended('people at ' || encode($1::bytea, 'hex'), 0))`;

/**
 * Until the transaction ends, nobody else adds Identity Records, passkeys, proofs or verdicts at a meter point. What the next statement of
 * the transaction reads is what whoever had the lock before has committed.
 */
export async function lockMeterPoint(session: Session, mpxnIndex: Buffer): Promise<void> {
  await session.query(LOCK, [mpxnIndex]);
}
