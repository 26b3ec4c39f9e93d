import type { CeremonyProof, CeremonyStart } from './ceremony';
import { ceremonyStart } from './ceremony';
import { admitsCeremony } from './occupancy';
import type { OccupantRecord } from './occupant-record';
import type { ReidentificationScope } from './reidentification';
import type { ReidentificationMethod } from './reidentification-methods';

type Candidate = Pick<OccupantRecord, 'occupancy' | 'isVerified' | 'hasPasskey' | 'email'>;

/** How a method begins with a record; undefined when it is unavailable for it. */
type Beginning = (record: Candidate, scope: ReidentificationScope) => CeremonyStart | undefined;

const beginnings: Readonly<Record<ReidentificationMethod, Beginning>> = {
  'magic-link': ({ email }) => (email === null ? undefined : ceremonyStart('confirm-link')),
  'passkey-assert': ({ hasPasskey }) => (hasPasskey ? ceremonyStart('assert-passkey') : undefined),
  'passkey-register': (record, scope) => {
    const proofs = proofsOf(record);
    const vouched = proofs.length === 0;
    return vouched && scope === 'cross' ? undefined : { kind: 'register-passkey', proofs, vouched };
  },
};

/** A passkey is added after one of these; a record with neither can be enrolled by its own Data User only, which vouches. */
function proofsOf({ hasPasskey, email }: Candidate): CeremonyProof[] {
  return [...(hasPasskey ? (['passkey'] as const) : []), ...(email === null ? [] : (['mail'] as const))];
}

/** The record that confirms a re-identification, and how its ceremony begins. */
export interface ReidentificationChoice<Record> {
  readonly record: Record;
  readonly start: CeremonyStart;
}

/** What is asked of a record. */
export interface ReidentificationDemand {
  readonly method: ReidentificationMethod;
  readonly scope: ReidentificationScope;
  /** A portal's token opens everything at the meter point: only a record whose principal was verified may confirm one. */
  readonly verifiedOnly: boolean;
}

/**
 * The newest live record that supports the method, of the current occupancy (2-decisions-a-b.md, section 4); undefined when there is
 * none (REI001). A verified record of it shuts the others out: nobody takes the place of a verified customer by a newer record in which
 * no Data User vouches for the identity. The records come newest first; of an own one there is only itself.
 */
export function chosenRecord<Record extends Candidate>(
  records: readonly Record[],
  { method, scope, verifiedOnly }: ReidentificationDemand,
): ReidentificationChoice<Record> | undefined {
  const isVerifiedNeeded = verifiedOnly || records.some(isVerifiedOccupant);
  for (const record of records) {
    if (isVerifiedNeeded && !record.isVerified) continue;
    const start = beginnings[method](record, scope);
    if (start && admitsCeremony(record.occupancy, start)) return { record, start };
  }
  return undefined;
}

/** Methods that a record may or may not support; that of registering a passkey is named wherever there is a record. */
const CHOSEN_METHODS: readonly ReidentificationMethod[] = ['magic-link', 'passkey-assert'];

/**
 * The methods that the existence check names for the live records of a meter point: those by which a re-identification by MPxN finds a
 * record, so that what it names works. `passkey-register` always is (1-specification.md, existence check); none is without a record.
 */
export function availableMethods(
  records: readonly Candidate[],
  { verifiedOnly }: Pick<ReidentificationDemand, 'verifiedOnly'>,
): ReidentificationMethod[] {
  if (records.length === 0) return [];
  const supported = CHOSEN_METHODS.filter((method) => chosenRecord(records, { method, scope: 'cross', verifiedOnly }));
  return [...supported, 'passkey-register'];
}

function isVerifiedOccupant({ occupancy, isVerified }: Candidate): boolean {
  return isVerified && occupancy === 'current';
}
