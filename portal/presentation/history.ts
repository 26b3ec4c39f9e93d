import type { Language } from '../request/languages';
import { accessOf, nameOf } from './access-list';
import type { Access } from './access-list';
import { dayInWords } from './dates';
import type { CustomerRecord, EndedRecord } from './register-answers';

/** An access that has ended. */
export interface EndedAccess extends Access {
  readonly name: string;
  readonly ended: string | undefined;
  readonly endedBy: EndedBy;
}

/** Why an access ended. */
export type EndedBy = 'withdrawn' | 'organisation' | 'terminated' | 'expiry' | 'claimed' | 'notSeenAgain';

/** The history of the meter point, as the register lists it: newest first. */
export function historyOf(records: readonly EndedRecord[], language: Language): EndedAccess[] {
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

/** When an access ended: its revocation, else its expiry. A discovered one ends when the organisation has registered. */
export function endOf(record: CustomerRecord | EndedRecord): string | null {
  const { state, accessEvent, expiry } = record;
  const claim = 'transitions' in record ? claimOf(record) : undefined;
  if (claim) return claim.at;
  return state === 'REVOKED' || state === 'EXPIRED' ? (accessEvent.revokedAt ?? expiry) : null;
}

/** Who or what ended it: the last change of its state says so. */
export function endedBy(record: EndedRecord): EndedBy {
  const { state, transitions, discoveredAccess } = record;
  if (claimOf(record)) return 'claimed';
  if (state !== 'REVOKED') return discoveredAccess ? 'notSeenAgain' : 'expiry';
  const causes = transitions.nodes.map(({ cause }) => cause);
  if (causes.includes('DATA_USER_TERMINATED')) return 'terminated';
  return causes.includes('WITHDRAWN') ? 'withdrawn' : 'organisation';
}

/** The registration by which an organisation stopped being one that is not registered. */
function claimOf({ transitions }: EndedRecord) {
  return transitions.nodes.find(({ cause }) => cause === 'CLAIMED');
}
