import type { AccessState } from './access-record';

/** Why a record changes its state. */
export type TransitionCause =
  'registered' | 'replaced' | 'revoked' | 'withdrawn' | 'data-user-terminated' | 'expired' | 'discovered' | 'claimed';

/**
 * The one transition table (1-specification.md, States and transitions); null stands for "no record yet". Nothing leads out of
 * REVOKED or EXPIRED, and from DISCOVERED nothing to ACTIVE: a claim makes a new record beside it. The database's triggers refuse what is not in it (test/rules/access-state-transitions.test.ts compares the two).
 */
export const STATE_TRANSITIONS: readonly (readonly [
  from: AccessState | null,
  cause: TransitionCause,
  to: AccessState,
])[] = [
  [null, 'registered', 'ACTIVE'],
  [null, 'registered', 'EXPIRED'],
  ['ACTIVE', 'revoked', 'REVOKED'],
  ['ACTIVE', 'withdrawn', 'REVOKED'],
  ['ACTIVE', 'data-user-terminated', 'REVOKED'],
  ['ACTIVE', 'expired', 'EXPIRED'],
  ['ACTIVE', 'replaced', 'EXPIRED'],
  [null, 'discovered', 'DISCOVERED'],
  ['DISCOVERED', 'claimed', 'DISCOVERED'],
  ['DISCOVERED', 'expired', 'EXPIRED'],
];

/** Whether a record in this state can be replaced or revoked: only an ACTIVE one (2-decisions-a-b.md, section 3). */
export function mayChange(state: AccessState): boolean {
  return state === 'ACTIVE';
}
