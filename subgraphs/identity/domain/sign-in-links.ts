import { comparableEmail } from './email-address';
import type { OccupantRecord } from './occupant-record';
import type { SoughtBy } from './sign-in-entry';

/** Most links that one request mails to an e-mail address, which may be that of several properties. */
const MOST_LINKS = 5;

/**
 * The Identity Records to whose addresses sign-in links are mailed, each with a link of its own (2-decisions-a-b.md, section 9): verified
 * ones with an address, those of the current occupancy first, the newest before others. A meter point stands for who lives there now;
 * an address or a key also for somebody who has left. What several Data Users registered of the same person at the same property shows
 * the same, so one link is enough; records of an ended occupancy each show something else.
 */
export function signInLinkReceivers(found: readonly OccupantRecord[], by: SoughtBy): OccupantRecord[] {
  const known = found.filter(({ isVerified, email }) => isVerified && email !== null);
  const current = known.filter(({ occupancy }) => occupancy === 'current');
  const ended = 'mpxn' in by ? [] : known.filter(({ occupancy }) => occupancy === 'ended');
  const seen = new Set<string>();
  const each = current.filter(({ email, meterPointId }) => {
    const place = `${meterPointId} ${comparableEmail(email ?? '')}`;
    return !seen.has(place) && seen.add(place);
  });
  return [...each, ...ended].slice(0, MOST_LINKS);
}
