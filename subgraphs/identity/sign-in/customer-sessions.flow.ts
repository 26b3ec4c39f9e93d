import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/callers/caller';
import { CustomerSessionRepository, type StoredCustomerSession } from './customer-session.repository';
import { type CustomerSession, type SessionInputs, scopeOf } from './customer-session';
import { type OccupantRecord, type TenancyChange, changeAfter, isReadable, tenancyOf } from '../occupancy/occupancy';
import type { IdentityDependencies } from '../dependencies';
import type { Contact } from '../contacts/contact';

/** Sessions of customers, read at every request, because they can end at any time. */
export interface CustomerSessions {
  /** Returns the session of a bearer token; undefined if it has ended or expired, or its Identity Record is not live. */
  of(token: string): Promise<CustomerSession | undefined>;
  /** Returns the session of the calling customer. Throws AUT001 if it has ended. */
  ofCaller(context: CallContext): Promise<CustomerSession>;
}

/** Sessions over the tables of `identity`. */
export function customerSessions({ database, indexes, keys, occupants }: IdentityDependencies): CustomerSessions {
  const stored = new CustomerSessionRepository(database, indexes, keys);
  const of = async (token: string): Promise<CustomerSession | undefined> => {
    const session = await stored.byToken(token);
    if (session === undefined) return undefined;
    const verified = await occupants.verifiedWithClosed(session.mpxnIndex);
    return session.recordId === null ? withoutRecord(session, verified) : ofRecord(session, verified);
  };
  return {
    of,
    async ofCaller(context) {
      const session = callerOf(context).role === 'customer' ? await of(context.bearer ?? '') : undefined;
      if (session === undefined) throw new RegisterError('AUT001');
      return session;
    },
  };
}

/** Returns undefined if the record is closed or anonymised or cannot be decrypted, or the contact of the sign-in was rejected. */
function ofRecord(
  { recordId, contact: signedInBy, ...session }: StoredCustomerSession,
  verified: readonly OccupantRecord[],
): CustomerSession | undefined {
  const atMeterPoint = liveAmong(verified);
  const record = atMeterPoint.find(({ id, isVerified }) => id === recordId && isVerified);
  if (record === undefined) return undefined;
  const contact = signedInBy ?? (session.means === 'magic-link' ? emailOf(record) : null);
  if (contact !== null && !record.contacts.some((held) => held.contact === contact)) return undefined;
  const { moveInDate: movedIn } = record;
  const lasting = session.means === 'supplier' ? provenAtStart(session, movedIn) : { changes: session.changes };
  const scope = scopeOf({ recordId, contact, movedIn, ...lasting }, verified);
  return { ...session, ...scope, identityRecordId: record.id, mpxn: record.mpxn, contact, record, atMeterPoint };
}

function withoutRecord(
  { place, ...session }: StoredCustomerSession,
  verified: readonly OccupantRecord[],
): CustomerSession | undefined {
  if (place === null) return undefined;
  const inputs = { recordId: null, contact: null, movedIn: place.since, ...provenAtStart(session, place.since) };
  return {
    ...session,
    ...scopeOf(inputs, verified),
    identityRecordId: null,
    mpxn: place.mpxn,
    record: null,
    atMeterPoint: liveAmong(verified),
  };
}

/** Returns the live records that can be decrypted. The others count in the scope of the session, but show nothing. */
const liveAmong = (records: readonly OccupantRecord[]) =>
  records.filter((record) => !record.isClosed && isReadable(record));

/**
 * The supplier proved the customer at the sign-in only, so each Change of Tenancy that takes effect later ends the occupancy, also one of the
 * same or an earlier day, unless it is before the start of the tenancy or on that day. Returns the changes of the sign-in, and that change.
 * The days of the sign-in decide, because a clock that was ahead dates changes and sessions in the wrong order.
 */
function provenAtStart(
  { changes, changedOn, startedAt }: Pick<StoredCustomerSession, 'changes' | 'changedOn' | 'startedAt'>,
  since: string,
): Pick<SessionInputs, 'changes' | 'endedBy'> {
  const wasEffective = ({ day, began }: TenancyChange) => changedOn?.includes(day) ?? began <= startedAt;
  const then = changes.filter(wasEffective);
  const later = changes.filter((change) => !wasEffective(change));
  return { changes: then, endedBy: changeAfter(tenancyOf(since, then), later) };
}

/** Sessions of the previous release do not contain the contact of the sign-in. */
function emailOf({ contacts }: OccupantRecord): Contact | null {
  return contacts.find(({ kind }) => kind === 'email')?.contact ?? null;
}
