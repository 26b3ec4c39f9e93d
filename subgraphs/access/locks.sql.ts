import type { Session } from '../server/database/transaction';

/**
 * Waits until the registrations in progress at a meter point have ended, and blocks new ones until the transaction ends: registrations
 * share this lock (trigger `claims`). It is a statement of its own, so that the next statement reads what they committed.
 */
export async function lockMeterPoint(session: Session, meterPointId: string): Promise<void> {
  await session.query('select pg_advisory_xact_lock(lock_of_meter_point($1))', [meterPointId]);
}
