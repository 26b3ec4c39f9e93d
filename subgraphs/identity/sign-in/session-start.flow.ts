import { RegisterError } from '../../../schema/register-error';
import type { CallOrigin } from '../../server/graph/service-query';
import { type Session, inTransaction } from '../../server/database/transaction';
import {
  CustomerSessionRepository,
  type MeterPointWithoutRecord,
  type StartedCustomerSession,
} from './customer-session.repository';
import { lockMeterPoint } from '../locks.sql';
import type { SignInMethod } from './customer-session';
import { noticeReceiver } from '../mails/outgoing-mail';
import type { OccupantRecord } from '../occupancy/occupancy';
import type { SignInOrigin } from './sign-in-hint';
import { ownAddress, signInNoticeReceivers } from './sign-in-recipients';
import { contactNotes } from '../contacts/contact-notices.flow';
import { contactsOf, currentTenancy, isContested } from '../contacts/contacts';
import type { IdentityDependencies } from '../dependencies';
import { organisations } from '../organisations.client';
import { returnAddresses } from './return-addresses.flow';
import type { Contact } from '../contacts/contact';

/** A customer who proved their identity. */
interface ProvenCustomer {
  /** The verified Identity Record of the proof, or the meter point without one. */
  readonly by: OccupantRecord | MeterPointWithoutRecord;
  /** The contact of the proof; null for a supplier sign-in. */
  readonly contact: Contact | null;
  readonly means: SignInMethod;
  /** The supplier of a supplier sign-in. */
  readonly mpid?: string;
  readonly from: SignInOrigin;
  /** Uses the proof in the session's transaction; returns false if it was used before or no longer holds. */
  readonly useProof?: (session: Session) => Promise<boolean>;
  /** The secret of the session's token; a new one if absent. */
  readonly secret?: string;
}

/** Starts the session of a proven customer. */
export type StartSession = (customer: ProvenCustomer, origin: CallOrigin) => Promise<StartedCustomerSession>;

/**
 * Starts sessions. Use of the proof, session and notices to the other addresses are one transaction, which reads the addresses under the lock of
 * the meter point: a registration that was in progress is notified, too.
 */
export function sessionStart(dependencies: IdentityDependencies): StartSession {
  const { database, indexes, keys, access, mails, occupants } = dependencies;
  const sessions = new CustomerSessionRepository(database, indexes, keys);
  const notes = contactNotes(dependencies);
  const mayReturn = returnAddresses(occupants, organisations(access));
  const noticesOf = async (session: Session, { by, contact }: Pick<ProvenCustomer, 'by' | 'contact'>) => {
    const there = await occupants.verifiedAt(by.mpxn, session);
    const { tenancy, occupancy: at } = 'id' in by ? by : { tenancy: currentTenancy(there), occupancy: 'current' };
    const { groups, ...evidence } = contactsOf(there, tenancy);
    const isLimited = at === 'ended' || isContested(groups);
    const address = 'id' in by ? ownAddress(by, contact, evidence) : null;
    return signInNoticeReceivers({ address, tenancy }, there).map((records) => ({
      ...noticeReceiver(records),
      isLimited,
    }));
  };
  return async ({ by, contact, means, mpid = null, from, useProof, secret }, origin) => {
    const record = 'id' in by ? by : undefined;
    const meterPointId = indexes.meterPointId(by.mpxn);
    const returnTo = await mayReturn(from, { meterPointId, record }, origin);
    return inTransaction(database.pool, async (session) => {
      await lockMeterPoint(session, indexes.mpxn(by.mpxn));
      if (useProof && !(await useProof(session))) throw new RegisterError('AUT001');
      const of = 'id' in by ? { recordId: by.id, contact } : by;
      const started = await sessions.start(session, { of, means, mpid, returnTo, secret });
      if (started === undefined) throw new RegisterError('AUT001');
      await notes.noteAt(session, indexes.mpxn(by.mpxn));
      for (const notice of await noticesOf(session, { by, contact }))
        await mails.enqueue(session, { kind: 'sign-in-notice', ...notice, at: started.startedAt, means });
      return started;
    });
  };
}
