import type { Language } from '../request/languages';
import { accessOf, nameOf } from './access-list';
import { dayInWords, lastDayInWords } from './dates';
import type { CustomerRecord } from './operation-results';

/** Why an access ended; each value has a text. */
type EndedBy = 'withdrawn' | 'organisation' | 'terminated' | 'expiry' | 'claimed' | 'notSeenAgain';

/** Returns ended accesses as the page shows them, in the order of the records (newest first). */
export function historyOf(records: readonly CustomerRecord[], language: Language) {
  return records.map((record) => ({
    ...accessOf(record, language),
    name: nameOf(record),
    ended: lastDayOf(record, language),
    endedBy: endedBy(record),
  }));
}

/** Formats the last day of an ended access; undefined if it has not ended. */
export function lastDayOf(record: CustomerRecord, language: Language): string | undefined {
  const end = endOf(record);
  if (end === null) return undefined;
  return endedBy(record) === 'expiry' ? lastDayInWords(end, language) : dayInWords(end, language);
}

/**
 * Returns when an access ended: its revocation, its replacement by a version with a past expiry, else its expiry. A
 * discovered access ends when the organisation registers it.
 */
export function endOf(record: CustomerRecord): string | null {
  const { state, accessEvent, expiry } = record;
  const claim = transitionOf(record, 'CLAIMED');
  if (claim) return claim.at;
  if (state !== 'REVOKED' && state !== 'EXPIRED') return null;
  return accessEvent.revokedAt ?? transitionOf(record, 'REPLACED')?.at ?? expiry;
}

/** Returns why an access ended, from the transitions of its record. */
export function endedBy(record: CustomerRecord): EndedBy {
  const { state, discoveredAccess } = record;
  if (transitionOf(record, 'CLAIMED')) return 'claimed';
  if (discoveredAccess) return 'notSeenAgain';
  if (transitionOf(record, 'REPLACED')) return 'organisation';
  if (state !== 'REVOKED') return 'expiry';
  if (transitionOf(record, 'DATA_USER_TERMINATED')) return 'terminated';
  return transitionOf(record, 'WITHDRAWN') ? 'withdrawn' : 'organisation';
}

type Transition = CustomerRecord['transitions']['nodes'][number];

/** Returns the transition of a record with this cause; `REPLACED` is one that ended the access. */
function transitionOf({ transitions }: CustomerRecord, cause: Transition['cause']): Transition | undefined {
  return transitions.nodes.find((transition) => transition.cause === cause);
}
