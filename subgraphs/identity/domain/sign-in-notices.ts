import { comparableEmail } from './email-address';
import type { OccupantRecord } from './occupant-record';

/**
 * The Identity Records whose persons are told of a sign-in: the other verified addresses of that occupancy, each once
 * (2-decisions-a-b.md, section 9), of whom nobody is yet to move in. `changes` are the days of the effective Changes of Tenancy at
 * the meter point.
 */
export function signInNoticeReceivers(
  signedIn: OccupantRecord,
  atMeterPoint: readonly OccupantRecord[],
  changes: readonly string[],
): OccupantRecord[] {
  const told = new Set(signedIn.email === null ? [] : [comparableEmail(signedIn.email)]);
  const tenancy = tenancyOf(signedIn, changes);
  return atMeterPoint.filter((record) => {
    if (!record.isVerified || record.email === null || record.occupancy === 'to-come') return false;
    if (tenancyOf(record, changes) !== tenancy) return false;
    const address = comparableEmail(record.email);
    return !told.has(address) && told.add(address);
  });
}

/** Which of the tenancies of its meter point a record is of: how many Changes of Tenancy lie on or before its move-in-date. */
function tenancyOf({ moveInDate }: OccupantRecord, changes: readonly string[]): number {
  return changes.filter((day) => day <= moveInDate).length;
}
