import type { Session } from '../../server/transaction';

/**
 * Waits until no registration at a meter point is under way, and none begins until the transaction ends: registrations share this lock
 * (trigger `claims`). A statement of its own, so that the next one sees what they have done.
 */
export async function lockMeterPoint(session: Session, meterPointId: string): Promise<void> {
  await session.query('select pg_advisory_xact_lock(lock_of_meter_point($1))', [meterPointId]);
}
