import type { CeremonyProof, CeremonyStart } from './ceremony';
import { ceremonyStart } from './ceremony';
import { isRejected } from '../contacts/contacts';
import { type OccupantRecord, admitsCeremony, isReadable, isUnreadableCustomer } from '../occupancy/occupancy';
import type { ReidentificationMethod, ReidentificationScope } from './reidentification';

type Candidate = Pick<
  OccupantRecord,
  'occupancy' | 'isVerified' | 'isClosing' | 'hasPasskey' | 'mayAddPasskey' | 'email' | 'rejected'
>;

/** Returns the first ceremony of a method for a record; undefined if the record does not support the method. */
type FirstCeremony = (record: Candidate, scope: ReidentificationScope) => CeremonyStart | undefined;

const FIRST_CEREMONIES: Readonly<Record<ReidentificationMethod, FirstCeremony>> = {
  'magic-link': ({ email }) => (email === null ? undefined : ceremonyStart('confirm-link')),
  'passkey-assert': ({ hasPasskey }) => (hasPasskey ? ceremonyStart('assert-passkey') : undefined),
  'passkey-register': (record, scope) => {
    const proofs = proofsOf(record);
    const vouched = proofs.length === 0;
    return !record.mayAddPasskey || (vouched && scope === 'cross')
      ? undefined
      : { kind: 'register-passkey', proofs, vouched };
  },
};

/** Proofs before a passkey is added. A record without any can be enrolled only by its own Data User, which vouches for the customer. */
export function proofsOf({ hasPasskey, email }: Pick<Candidate, 'hasPasskey' | 'email'>): CeremonyProof[] {
  return [...(hasPasskey ? (['passkey'] as const) : []), ...(email === null ? [] : (['mail'] as const))];
}

/** The record that confirms a re-identification, and its first ceremony. */
export interface ReidentificationChoice<Record> {
  readonly record: Record;
  readonly start: CeremonyStart;
}

/** A started ceremony, with the series of the bearer token that initiated it: empty without one, null if the previous release stored it. */
interface VouchingCeremony extends Pick<CeremonyStart, 'vouched'> {
  readonly tokenSeries: string | null;
}

/** The initiator's right to assert `verified`, and the series of its valid bearer tokens; null before their first revocation. */
interface VouchingAccount {
  readonly mayAssertVerified: boolean;
  readonly tokenSeries: string | null;
}

/**
 * Whether a Data User may start a ceremony in which it vouches for the customer. A passkey of a verified record is a contact, which
 * a Data User can no longer assert after an admin withdrew its right (decisions A/B, 11).
 */
export function mayVouch(
  { vouched }: Pick<CeremonyStart, 'vouched'>,
  { isVerified }: Pick<OccupantRecord, 'isVerified'>,
  { mayAssertVerified }: Pick<VouchingAccount, 'mayAssertVerified'>,
): boolean {
  return !vouched || !isVerified || mayAssertVerified;
}

/**
 * Whether a ceremony may be finished: its initiator is neither suspended nor terminated and, if it vouches for the customer, may still do
 * so, and its secret was not revoked since: a thief of the secret vouches for its own passkey. The register sends no customer to an
 * organisation whose account is not active.
 */
export function mayFinish(
  ceremony: VouchingCeremony,
  record: Pick<OccupantRecord, 'isVerified'>,
  initiator: VouchingAccount & { readonly status: string },
): boolean {
  return initiator.status === 'active' && mayVouch(ceremony, record, initiator) && isOfSeries(ceremony, initiator);
}

/** Whether nothing that a Data User vouches for was started before the revocation of its secret. The previous release stored no series. */
function isOfSeries(
  { vouched, tokenSeries }: VouchingCeremony,
  initiator: Pick<VouchingAccount, 'tokenSeries'>,
): boolean {
  return !vouched || tokenSeries === null || tokenSeries === (initiator.tokenSeries ?? '');
}

/** Conditions on a record. */
interface ReidentificationDemand {
  readonly method: ReidentificationMethod;
  readonly scope: ReidentificationScope;
  /** The token of a portal discloses all access records of the meter point, so only a verified record may confirm it. */
  readonly verifiedOnly: boolean;
}

/**
 * Returns the newest record that supports the method and whose occupancy admits it (decisions A/B, 4); undefined if there is none (REI001).
 * If the current occupancy has a verified record, only verified records qualify: an unverified newer record must not take over a verified
 * customer, also not one whose record cannot be decrypted. Such a record confirms nothing, and neither does one that is closing, or whose
 * contacts were all rejected. `records` are newest first; for an own record, only that one.
 */
export function chosenRecord<Record extends Candidate>(
  records: readonly Record[],
  { method, scope, verifiedOnly }: ReidentificationDemand,
): ReidentificationChoice<Record> | undefined {
  const isVerifiedNeeded = verifiedOnly || records.some(isVerifiedOccupant);
  for (const record of records) {
    if (isUnreadableCustomer(record) || (isVerifiedNeeded && !record.isVerified) || !isReadable(record)) continue;
    if (record.isClosing || isRejected(record)) continue;
    const start = FIRST_CEREMONIES[method](record, scope);
    if (start && admitsCeremony(record.occupancy, start)) return { record, start };
  }
  return undefined;
}

/** Methods that depend on the record; `passkey-register` is available wherever there is a record. */
const CHOSEN_METHODS: readonly ReidentificationMethod[] = ['magic-link', 'passkey-assert'];

/**
 * Returns the methods of the existence check for the live records of a meter point: those by which a re-identification by MPxN finds a
 * record, none while contacts are contested, and `passkey-register` always (specification, existence check). None without a record.
 */
export function availableMethods(
  records: readonly Candidate[],
  { verifiedOnly, isContested }: Pick<ReidentificationDemand, 'verifiedOnly'> & { readonly isContested: boolean },
): ReidentificationMethod[] {
  if (records.length === 0) return [];
  const isSupported = (method: ReidentificationMethod) =>
    !isContested && chosenRecord(records, { method, scope: 'cross', verifiedOnly }) !== undefined;
  return [...CHOSEN_METHODS.filter(isSupported), 'passkey-register'];
}

/** Reads the occupancy, which is decrypted, of verified records only: a meter point can have many others. */
function isVerifiedOccupant(record: Candidate): boolean {
  return isUnreadableCustomer(record) || (record.isVerified && record.occupancy === 'current');
}
