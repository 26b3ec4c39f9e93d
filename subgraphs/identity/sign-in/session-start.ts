import { RegisterError } from '../../../schema/register-error';
import type { QuestionOrigin } from '../../server/service-question';
import { type Session, inTransaction } from '../../server/transaction';
import {
  CustomerSessionRepository,
  type RecordlessPlace,
  type StartedCustomerSession,
} from '../database/customer-session.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { TenancyRepository } from '../database/tenancy.repository';
import type { SignInMeans } from '../domain/customer-session';
import type { OccupantRecord } from '../domain/occupant-record';
import type { SignInOrigin } from '../domain/sign-in-entry';
import { signInNoticeReceivers } from '../domain/sign-in-notices';
import type { Foundation } from '../foundation';
import { organisations } from '../organisations';
import { returnAddresses } from './return-addresses';

/** Somebody who has proved to be a customer. */
export interface ProvenCustomer {
  /** The verified Identity Record by which they did, or the place alone. */
  readonly by: OccupantRecord | RecordlessPlace;
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
  const tenancy = new TenancyRepository(database, indexes);
  const mayReturn = returnAddresses(occupancy, organisations(access));
  const othersOf = async (record: OccupantRecord | undefined) => {
    if (record === undefined) return [];
    const [atMeterPoint, { changes }] = await Promise.all([occupancy.recordsAt(record.mpxn), tenancy.at(record.mpxn)]);
    return signInNoticeReceivers(record, atMeterPoint, changes);
  };
  return async ({ by, means, from, useProof }, origin) => {
    const record = 'id' in by ? by : undefined;
    const meterPointId = indexes.meterPointId(by.mpxn);
    const returnUrl = await mayReturn(from, { meterPointId, record }, origin);
    const told = await othersOf(record);
    return inTransaction(database.pool, async (session) => {
      if (useProof && !(await useProof(session))) throw new RegisterError('AUT001');
      const of = 'id' in by ? { recordId: by.id } : by;
      const started = await sessions.start(session, { of, means, returnUrl });
      if (started === undefined) throw new RegisterError('AUT001');
      for (const { id: recordId } of told)
        await mails.enqueue(session, { kind: 'sign-in-notice', recordId, at: started.startedAt, means });
      return started;
    });
  };
}
