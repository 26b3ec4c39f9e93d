import type { OccupantRecord } from '../occupancy/occupancy';
import { comparableEmail } from '../records/personal-data-rules';
import type { SoughtBy } from './sign-in-hint';

/** Maximum links that one request mails to an e-mail address, which may belong to several properties. */
const MAX_LINKS = 5;

/**
 * Returns the Identity Records to which sign-in links are mailed (decisions A/B, 9): verified records with an address, those of the current
 * occupancy first, newest first. A request by meter point includes only the current occupancy; one by address or key also ended ones.
 * Records of the current occupancy with one address and meter point have the same scope, so one link is sent for them; records of an ended
 * occupancy each have their own scope.
 */
export function signInLinkReceivers(found: readonly OccupantRecord[], by: SoughtBy): OccupantRecord[] {
  const verified = found.filter(({ isVerified, email }) => isVerified && email !== null);
  const current = verified.filter(({ occupancy }) => occupancy === 'current');
  const ended = 'mpxn' in by ? [] : verified.filter(({ occupancy }) => occupancy === 'ended');
  const seen = new Set<string>();
  const each = current.filter(({ email, meterPointId }) => {
    const key = `${meterPointId} ${comparableEmail(email ?? '')}`;
    return !seen.has(key) && seen.add(key);
  });
  return [...each, ...ended].slice(0, MAX_LINKS);
}

/**
 * Returns the Identity Records to which a sign-in is notified: the other verified addresses of the occupancy, each once, without persons
 * who are yet to move in (decisions A/B, 9). A customer who signed in without an Identity Record has no address.
 */
export function signInNoticeReceivers(
  signedIn: Pick<OccupantRecord, 'email' | 'tenancy'>,
  atMeterPoint: readonly OccupantRecord[],
): OccupantRecord[] {
  const notified = new Set(signedIn.email === null ? [] : [comparableEmail(signedIn.email)]);
  return atMeterPoint.filter((record) => {
    if (!record.isVerified || record.email === null || record.occupancy === 'to-come') return false;
    if (record.tenancy !== signedIn.tenancy) return false;
    const address = comparableEmail(record.email);
    return !notified.has(address) && notified.add(address);
  });
}
