import type { Session } from '../../server/transaction';

/**
 * Waits until nothing of an MPxN is under way in another transaction, and keeps others out until this one ends. A statement of its own, so
 * that the next one sees what they have done.
 */
export async function lockMpxn(session: Session, mpxnHash: Buffer): Promise<void> {
  await session.query('select pg_advisory_xact_lock(lock_of_mpxn($1))', [mpxnHash]);
}
