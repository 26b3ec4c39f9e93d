import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/caller';
import { forgetPassed } from '../../server/retention';
import { CustomerSessionRepository, type StoredCustomerSession } from '../database/customer-session.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { SignInRepository } from '../database/sign-in.repository';
import type { CustomerSession } from '../domain/customer-session';
import { endOfOccupancy } from '../domain/occupancy';
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
    return session.recordId === null ? ofPlace(session) : ofRecord(session, await occupancy.byId(session.recordId));
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

function ofRecord(session: StoredCustomerSession, record: CustomerSession['record'] | undefined) {
  if (!record) return undefined; // anonymised, or about to be
  const { id: identityRecordId, mpxn, occupancy, moveInDate: since } = record;
  const until = endOfOccupancy(since, session.tenancyChanges);
  return { ...session, identityRecordId, mpxn, isCurrent: occupancy === 'current', since, until, record };
}

function ofPlace({ place, ...session }: StoredCustomerSession): CustomerSession | undefined {
  if (place === null) return undefined;
  const until = endOfOccupancy(place.since, session.tenancyChanges);
  return { ...session, ...place, identityRecordId: null, isCurrent: until === null, until, record: null };
}

/** Seconds between two runs of deleting what has expired. */
const FORGET_EVERY = 600;

/** What customers and services ask of sessions. */
export function customerSessionArea(foundation: Foundation, sessions: CustomerSessions): Area {
  const { database, indexes, keys, logger } = foundation;
  const stored = new CustomerSessionRepository(database, indexes, keys);
  const signIns = new SignInRepository(database, keys);
  return {
    resolvers: [new CustomerSessionResolver(sessions, stored)],
    stop: forgetPassed([stored.forgetExpired, ...signIns.forgetExpired], FORGET_EVERY, logger),
  };
}
