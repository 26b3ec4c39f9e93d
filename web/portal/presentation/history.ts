import type { Language } from '../request/languages';
import { accessOf, nameOf } from './access-list';
import type { Access } from './access-list';
import { dayInWords } from './dates';
import type { CustomerRecord } from './operation-results';

/** An access that has ended. */
interface EndedAccess extends Access {
  readonly name: string;
  readonly ended: string | undefined;
  readonly endedBy: EndedBy;
}

/** Why an access ended; each value has a text. */
type EndedBy = 'withdrawn' | 'organisation' | 'terminated' | 'expiry' | 'claimed' | 'notSeenAgain';

/** Returns ended accesses as the page shows them, in the order of the records (newest first). */
export function historyOf(records: readonly CustomerRecord[], language: Language): EndedAccess[] {
  return records.map((record) => {
    const end = endOf(record);
    return {
      ...accessOf(record, language),
      name: nameOf(record),
      ended: end === null ? undefined : dayInWords(end, language),
      endedBy: endedBy(record),
    };
  });
}

/**
 * Returns when an access ended: its revocation, else its expiry. A discovered access ends when the organisation
 * registers it.
 */
export function endOf(record: CustomerRecord): string | null {
  const { state, accessEvent, expiry } = record;
  const claim = claimOf(record);
  if (claim) return claim.at;
  return state === 'REVOKED' || state === 'EXPIRED' ? (accessEvent.revokedAt ?? expiry) : null;
}

/** Returns why an access ended, from the transitions of its record. */
export function endedBy(record: CustomerRecord): EndedBy {
  const { state, transitions, discoveredAccess } = record;
  if (claimOf(record)) return 'claimed';
  if (state !== 'REVOKED') return discoveredAccess ? 'notSeenAgain' : 'expiry';
  const causes = transitions.nodes.map(({ cause }) => cause);
  if (causes.includes('DATA_USER_TERMINATED')) return 'terminated';
  return causes.includes('WITHDRAWN') ? 'withdrawn' : 'organisation';
}

/** Returns the transition by which an organisation registered a discovered access. */
function claimOf({ transitions }: CustomerRecord) {
  return transitions.nodes.find(({ cause }) => cause === 'CLAIMED');
}
