import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/caller';
import { forgetPassed } from '../../server/retention';
import { ContactLinkRepository } from '../database/contact-link.repository';
import { CustomerSessionRepository, type StoredCustomerSession } from '../database/customer-session.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { SignInRepository } from '../database/sign-in.repository';
import { type CustomerSession, scopeOf } from '../domain/customer-session';
import type { Contact } from '../domain/contacts';
import type { OccupantRecord } from '../domain/occupant-record';
import type { Area, Foundation } from '../foundation';
import { CustomerSessionResolver } from '../resolvers/customer-session.resolver';

/** Customers' sessions: looked up at every request, since they may end at any instant. */
export interface CustomerSessions {
  /** The session of a bearer token; undefined when it has ended or expired, or its Identity Record is gone. */
  of(token: string): Promise<CustomerSession | undefined>;
  /** The session of the customer who asks; AUT001 when it has ended meanwhile. */
  ofCaller(context: CallContext): Promise<CustomerSession>;
}

/** Sessions over the tables of `identity`. */
export function customerSessions({ database, indexes, vault, keys }: Foundation): CustomerSessions {
  const stored = new CustomerSessionRepository(database, indexes, keys);
  const occupancy = new OccupancyRepository(database, indexes, vault);
  const of = async (token: string): Promise<CustomerSession | undefined> => {
    const session = await stored.byToken(token);
    if (session === undefined) return undefined;
    const atMeterPoint = await occupancy.verifiedAtIndex(session.mpxnIndex);
    return session.recordId === null ? ofPlace(session, atMeterPoint) : ofRecord(session, atMeterPoint);
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

/** Undefined when the record is anonymised or about to be, or when the contact by which the customer signed in opens nothing any more. */
function ofRecord(
  { recordId, contact: signedInBy, ...session }: StoredCustomerSession,
  atMeterPoint: readonly OccupantRecord[],
): CustomerSession | undefined {
  const record = atMeterPoint.find(({ id, isVerified }) => id === recordId && isVerified);
  if (record === undefined) return undefined;
  const contact = signedInBy ?? (session.means === 'magic-link' ? emailOf(record) : null);
  if (contact !== null && !record.contacts.some((held) => held.contact === contact)) return undefined;
  const facts = { recordId, contact, movedIn: record.moveInDate, changes: session.changes };
  const scope = scopeOf(facts, atMeterPoint);
  return { ...session, ...scope, identityRecordId: record.id, mpxn: record.mpxn, contact, record, atMeterPoint };
}

function ofPlace(
  { place, ...session }: StoredCustomerSession,
  atMeterPoint: readonly OccupantRecord[],
): CustomerSession | undefined {
  if (place === null) return undefined;
  const facts = { recordId: null, contact: null, movedIn: place.since, changes: session.changes };
  return {
    ...session,
    ...scopeOf(facts, atMeterPoint),
    identityRecordId: null,
    mpxn: place.mpxn,
    record: null,
    atMeterPoint,
  };
}

/** Sessions of the release before do not say by which contact they began. */
function emailOf({ contacts }: OccupantRecord): Contact | null {
  return contacts.find(({ kind }) => kind === 'email')?.contact ?? null;
}

/** Seconds between two runs of deleting what has expired. */
const FORGET_EVERY = 600;

/** What customers and services ask of sessions. */
export function customerSessionArea(foundation: Foundation, sessions: CustomerSessions): Area {
  const { database, indexes, keys, logger } = foundation;
  const stored = new CustomerSessionRepository(database, indexes, keys);
  const signIns = new SignInRepository(database, keys);
  const links = new ContactLinkRepository(database, keys);
  return {
    resolvers: [new CustomerSessionResolver(sessions, stored)],
    stop: forgetPassed([stored.forgetExpired, ...signIns.forgetExpired, links.forgetExpired], FORGET_EVERY, logger),
  };
}
