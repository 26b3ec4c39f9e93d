import type { Contact } from '../contacts/contact';
import { type ContactEvidence, provenGroups } from '../contacts/contacts';
import { type OldestFirst, groupedByAge } from '../occupancy/oldest-records';
import { type OccupantRecord, isReadable } from '../occupancy/occupancy';
import { comparableEmail } from '../records/personal-data-rules';
import type { SoughtBy } from './sign-in-hint';

/** Maximum links that one request mails to an e-mail address, which may belong to several properties. */
const MAX_LINKS = 5;

/**
 * Returns the Identity Records to which sign-in links are mailed (decisions A/B, 9): verified records with an address, those of the current
 * occupancy first, newest first. A request by meter point includes only the current occupancy; one by address or key also ended ones.
 * Records of the current occupancy with one address and meter point have the same scope, so one link is sent for the oldest of them; records
 * of an ended occupancy each have their own scope.
 */
export function signInLinkReceivers(found: readonly OccupantRecord[], by: SoughtBy): OccupantRecord[] {
  const verified = found.filter(({ isVerified, email }) => isVerified && email !== null);
  const current = verified.filter(({ occupancy }) => occupancy === 'current');
  const ended = 'mpxn' in by ? [] : verified.filter(({ occupancy }) => occupancy === 'ended');
  const each = groupedByAge(current, ({ email, meterPointId }) => `${meterPointId} ${comparableEmail(email ?? '')}`);
  return [...each.map(([oldest]) => oldest), ...ended].slice(0, MAX_LINKS);
}

/**
 * Returns the address of the record by which the customer signed in, or that was proven to be the same person's as the passkey of the
 * sign-in; null without one. A record that contains both proves nothing: its Data User may have enrolled a passkey of its own.
 */
export function ownAddress(
  { email, contacts }: Pick<OccupantRecord, 'email' | 'contacts'>,
  contact: Contact | null,
  evidence: ContactEvidence,
): string | null {
  const own = provenGroups(evidence).find((group) => contact !== null && group.has(contact));
  return contacts.some((held) => held.kind === 'email' && own?.has(held.contact)) ? email : null;
}

/**
 * Returns the Identity Records to which a sign-in is notified, for each of the other verified addresses of the occupancy, without persons who
 * are yet to move in (decisions A/B, 9).
 */
export function signInNoticeReceivers(
  { address: own, tenancy }: { readonly address: string | null; readonly tenancy: string },
  atMeterPoint: readonly OccupantRecord[],
): OldestFirst<OccupantRecord>[] {
  const addressOf = ({ email }: OccupantRecord) => comparableEmail(email ?? '');
  const others = atMeterPoint.filter((record) => {
    if (!isReadable(record) || !record.isVerified || record.email === null || record.occupancy === 'to-come')
      return false;
    return record.tenancy === tenancy && (own === null || addressOf(record) !== comparableEmail(own));
  });
  return groupedByAge(others, addressOf);
}
