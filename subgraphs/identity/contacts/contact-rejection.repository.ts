import { RegisterError } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import type { Database } from '../../server/database/database';
import { type Session, inTransaction } from '../../server/database/transaction';
import { lockMeterPoint } from '../locks.sql';
import { isReadable } from '../occupancy/occupancy';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import { type ContactRejection, distrustedContacts } from './distrusted-contacts';

/** A rejection with its progress, for admins. */
export interface ContactRejectionProgress extends ContactRejection {
  /** Account of the admin. */
  readonly requestedBy: string;
  /** Verified Identity Records of the Data User that were reviewed, and those that still must be. */
  readonly recordsReviewed: number;
  readonly recordsRemaining: number;
  readonly contactsRejected: number;
  readonly finishedAt: Date | null;
}

/** Maximum rejections of a list. */
const MAX_LISTED = 100;

/** Records of a rejection that are not yet reviewed. */
const TO_REVIEW = `identity_record r where r.duid = rejection.duid and r.id > rejection.reviewed_through
  and r.anonymised_at is null and r.is_verified is not false and r.created_at <= rejection.requested_at`;

const PROGRESS = `
  rejection.duid, since, requested_by as "requestedBy", requested_at as "requestedAt", records_reviewed as "recordsReviewed",
  case when finished_at is null then (select count(*) from ${TO_REVIEW})::int else 0 end as "recordsRemaining",
  contacts_rejected as "contactsRejected", finished_at as "finishedAt"`;

/** SQL: a record `r` with which the Data User asserts contacts. */
const ASSERTS = 'r.duid = $1 and r.anonymised_at is null and r.is_verified is not false';

/**
 * Ends the period with the newest contact of the Data User, if the clock was ahead when it asserted that one. Otherwise the contacts of that
 * time would remain, and with them those that are proven to be the same person's.
 */
const REQUEST = `
  insert into contact_rejection as rejection (duid, since, requested_by, requested_at) select $1, $2::timestamptz, $3, greatest(register_now(),
    (select max(r.created_at) from identity_record r where ${ASSERTS} and r.created_at > register_now()),
    (select max(registered_at) from identity_record r join passkey p on p.record_id = r.id
      where ${ASSERTS} and registered_at > register_now() and removed_at is null))
  on conflict (duid) where finished_at is null do nothing returning ${PROGRESS}`;

const LIST = `
  select ${PROGRESS} from contact_rejection rejection where $1::text is null or duid = $1
  order by requested_at desc, id limit ${MAX_LISTED}`;

/** The oldest unfinished rejection and its next record; other replicas skip it while it is locked. */
const NEXT = `
  with rejection as (
    select * from contact_rejection where finished_at is null order by requested_at, id limit 1 for update skip locked)
  select rejection.id, rejection.duid, since, requested_by as "requestedBy", contacts_rejected as "contactsRejected",
    due.id as "recordId", due.mpxn_index as "mpxnIndex"
  from rejection left join lateral (select r.id, r.mpxn_index from ${TO_REVIEW} order by r.id limit 1) due on true`;

const OF_DATA_USERS = `
  select duid, since, requested_at as "requestedAt" from contact_rejection where duid = any($1)`;

const REJECT = `
  insert into rejected_assertion (record_id, contact)
  select record_id, decode(contact, 'hex') from unnest($1::uuid[], $2::text[]) as rejected (record_id, contact)
  on conflict do nothing`;

const ADVANCE = `
  update contact_rejection set reviewed_through = $2, records_reviewed = records_reviewed + 1, contacts_rejected = contacts_rejected + $3
  where id = $1`;

const FINISH = 'update contact_rejection set finished_at = register_now() where id = $1';

interface NextRow extends Pick<ContactRejectionProgress, 'duid' | 'since' | 'requestedBy' | 'contactsRejected'> {
  readonly id: string;
  /** Null if every record was reviewed. */
  readonly recordId: string | null;
  readonly mpxnIndex: Buffer;
}

/** Rejections of the contacts that a Data User asserted: what an admin requests, a job carries out record by record. */
export class ContactRejectionRepository {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly occupants: OccupancyRepository,
  ) {}

  /** Requests a rejection, with its entry in the audit. Throws CNF001 while an earlier one of the Data User is not finished. */
  request(requestedBy: string, duid: string, since: Date | null): Promise<ContactRejectionProgress> {
    return inTransaction(this.database.pool, async (session) => {
      const { rows } = await session.query<ContactRejectionProgress>(REQUEST, [duid, since, requestedBy]);
      const [requested] = rows;
      if (requested === undefined)
        throw new RegisterError('CNF001', 'An earlier rejection of the contacts of this Data User is not finished.');
      const detail = { from: null, to: { since, records: requested.recordsRemaining } };
      await addAuditEntry(session, { actor: requestedBy, action: 'reject-asserted-contacts', subject: duid, detail });
      return requested;
    });
  }

  /** Returns the rejections of a Data User, or of all, newest first. */
  async list(duid: string | null): Promise<ContactRejectionProgress[]> {
    return (await this.database.pool.query<ContactRejectionProgress>(LIST, [duid])).rows;
  }

  /** Reviews the next record of the oldest unfinished rejection, in one transaction; returns false if there is none. */
  reviewNext(): Promise<boolean> {
    return inTransaction(this.database.pool, async (session) => {
      const [next] = (await session.query<NextRow>(NEXT)).rows;
      if (next === undefined) return false;
      const { id, recordId, mpxnIndex } = next;
      if (recordId === null) await finish(session, next);
      else await session.query(ADVANCE, [id, recordId, await this.rejectAt(session, mpxnIndex)]);
      return true;
    });
  }

  /**
   * Rejects the contacts of a meter point that rejections concern; returns their number. A record that cannot be decrypted opens nothing, and
   * does not prevent the review of others.
   */
  private async rejectAt(session: Session, mpxnIndex: Buffer): Promise<number> {
    await lockMeterPoint(session, mpxnIndex);
    const records = (await this.occupants.verifiedAtIndex(mpxnIndex, session)).filter(isReadable);
    const duids = [...new Set(records.map(({ duid }) => duid))];
    const { rows: rejections } = await session.query<ContactRejection>(OF_DATA_USERS, [duids]);
    const rejected = distrustedContacts(records, rejections);
    const values = [rejected.map(({ recordId }) => recordId), rejected.map(({ contact }) => contact)];
    if (rejected.length > 0) await session.query(REJECT, values);
    return new Set(rejected.map(({ contact }) => contact)).size;
  }
}

async function finish(session: Session, { id, duid, requestedBy, since, contactsRejected }: NextRow): Promise<void> {
  await session.query(FINISH, [id]);
  const detail = { from: null, to: { since, contactsRejected } };
  await addAuditEntry(session, { actor: requestedBy, action: 'finish-contact-rejection', subject: duid, detail });
}
