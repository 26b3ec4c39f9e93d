import { comparableEmail } from './email-address';
import type { OccupantRecord } from './occupant-record';

/**
 * The Identity Records whose persons are told of a sign-in: the other verified addresses of that occupancy, each once
 * (2-decisions-a-b.md, section 9), of whom nobody is yet to move in.
 */
export function signInNoticeReceivers(
  signedIn: OccupantRecord,
  atMeterPoint: readonly OccupantRecord[],
): OccupantRecord[] {
  const told = new Set(signedIn.email === null ? [] : [comparableEmail(signedIn.email)]);
  return atMeterPoint.filter((record) => {
    if (!record.isVerified || record.email === null || record.occupancy === 'to-come') return false;
    if (record.tenancy !== signedIn.tenancy) return false;
    const address = comparableEmail(record.email);
    return !told.has(address) && told.add(address);
  });
}
