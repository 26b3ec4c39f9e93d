import { RegisterError } from '../../../schema/register-error';
import type { QuestionOrigin } from '../../server/service-question';
import { type Session, inTransaction } from '../../server/transaction';
import {
  CustomerSessionRepository,
  type RecordlessPlace,
  type StartedCustomerSession,
} from '../database/customer-session.repository';
import { lockMeterPoint } from '../database/meter-point-lock';
import { OccupancyRepository } from '../database/occupancy.repository';
import type { Contact } from '../domain/contacts';
import type { SignInMeans } from '../domain/customer-session';
import type { OccupantRecord } from '../domain/occupant-record';
import type { SignInOrigin } from '../domain/sign-in-entry';
import { signInNoticeReceivers } from '../domain/sign-in-notices';
import { contactNotes } from '../contacts/contact-notes';
import type { Foundation } from '../foundation';
import { organisations } from '../organisations';
import { returnAddresses } from './return-addresses';

/** Somebody who has proved to be a customer. */
export interface ProvenCustomer {
  /** The verified Identity Record by which they did, or the place alone. */
  readonly by: OccupantRecord | RecordlessPlace;
  /** The contact of the record by which they did; null for a supplier sign-in. */
  readonly contact: Contact | null;
  readonly means: SignInMeans;
  readonly from: SignInOrigin;
  /** Uses the proof up in the session's transaction; false when somebody else did. */
  readonly useProof?: (session: Session) => Promise<boolean>;
}

/** Starts the session of a proven customer. */
export type StartSession = (customer: ProvenCustomer, origin: QuestionOrigin) => Promise<StartedCustomerSession>;

/** Sessions start with the use of their proof and the notices to the other addresses, or not at all. */
export function sessionStart(foundation: Foundation): StartSession {
  const { database, indexes, vault, keys, access, mails } = foundation;
  const sessions = new CustomerSessionRepository(database, indexes, keys);
  const occupancy = new OccupancyRepository(database, indexes, vault);
  const notes = contactNotes(foundation);
  const mayReturn = returnAddresses(occupancy, organisations(access));
  const othersOf = async (record: OccupantRecord | undefined) => {
    return record === undefined ? [] : signInNoticeReceivers(record, await occupancy.verifiedAt(record.mpxn));
  };
  return async ({ by, contact, means, from, useProof }, origin) => {
    const record = 'id' in by ? by : undefined;
    const meterPointId = indexes.meterPointId(by.mpxn);
    const returnUrl = await mayReturn(from, { meterPointId, record }, origin);
    const told = await othersOf(record);
    return inTransaction(database.pool, async (session) => {
      if (useProof && !(await useProof(session))) throw new RegisterError('AUT001');
      const of = 'id' in by ? { recordId: by.id, contact } : by;
      const started = await sessions.start(session, { of, means, returnUrl });
      if (started === undefined) throw new RegisterError('AUT001');
      await lockMeterPoint(session, indexes.mpxn(by.mpxn));
      await notes.noteAt(session, indexes.mpxn(by.mpxn));
      for (const { id: recordId } of told)
        await mails.enqueue(session, { kind: 'sign-in-notice', recordId, at: started.startedAt, means });
      return started;
    });
  };
}
