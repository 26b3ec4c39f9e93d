import { randomUUID } from 'node:crypto';
import { isUuid, newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import type { JobQueue } from '../../server/jobs/jobs';
import { type RecoverableJob, recoverableJob } from '../../server/jobs/recoverable-job';
import { inTransaction } from '../../server/database/transaction';
import type { IdentityRecord, NewIdentityRecord } from '../records/identity-record';
import type { BlindIndexes } from '../records/blind-index';
import { PERSONAL_DATA_FORM, type PersonalDataCipher } from '../records/personal-data-cipher';
import { type IdentityRecordRow, StoredIdentityRecord } from '../records/stored-identity-record';
import type { IdentityRecordRepository } from '../records/identity-record.repository';

/** The Identity Record to which `access` links a consent. */
export interface ProvisionalRecord {
  readonly id: string;
  readonly ref: string;
  readonly meterPointId: string;
}

/** Name of the job that reconciles a provisional record with `access`. */
export const RECONCILE = 'settle_provisional_record';

/**
 * Seconds until the job runs: longer than a request and its work in `access` take, so that the job does not interfere with a slow request.
 */
const RECONCILE_AFTER_SECONDS = 20;

const STORE = {
  name: 'store_provisional_record',
  text: `with record as (
    insert into provisional_identity_record (id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed)
    values ($1, $2, $3, $4, $5, $6, $7, $8) returning id
  )
  insert into identity_keys.data_key (record_id, wrapped) select id, $9 from record`,
};

/** Statement that turns the provisional records of a condition into Identity Records. Encrypted data and blind indexes do not change. */
export const adoption = (which: string): string => `
  with adopted as (delete from identity.provisional_identity_record provisional where ${which} returning *)
  insert into identity.identity_record
    (id, ref, duid, created_at, mpxn_index, meter_point_id, expressed_by, form, sealed, is_verified, is_legacy)
  select id, ref, duid, since, mpxn_index, meter_point_id, expressed_by, form, sealed, false, true from adopted`;

const ADOPT = { name: 'adopt_provisional_record', text: adoption('id = $1') };

/** Deletes the key only together with the row: a record that became an Identity Record has no row here and keeps its key. */
const DESTROY = {
  name: 'destroy_provisional_record',
  text: `with gone as (delete from provisional_identity_record where id = $1 returning id)
    delete from identity_keys.data_key using gone where record_id = gone.id`,
};

const READ = {
  name: 'provisional_record',
  text: `select r.id, r.ref as ir, r.duid, r.since as "createdAt", r.expressed_by as "expressedBy", null as "emailIndex", r.sealed,
      k.wrapped as "wrappedKey", null as "anonymisedAt"
    from provisional_identity_record r left join identity_keys.data_key k on k.record_id = r.id where r.id = $1`,
};

/** Records that were not reconciled in time. */
const INCOMPLETE = `select id from provisional_identity_record where since < register_now() - interval '1 minute'`;

/** Identity Records of consents whose access records do not exist yet (decisions A/B, 8). No query returns them. */
export class ProvisionalRecordRepository {
  private readonly job: RecoverableJob;

  constructor(
    private readonly database: Database,
    jobs: JobQueue,
    private readonly indexes: BlindIndexes,
    private readonly cipher: PersonalDataCipher,
  ) {
    this.job = recoverableJob(jobs, RECONCILE, INCOMPLETE);
  }

  /** Stores a record, its data key and the job that reconciles it in one transaction. */
  async store(duid: string, record: NewIdentityRecord): Promise<ProvisionalRecord> {
    const { piiPrincipal, principalVerification, email, expressedBy } = record;
    const id = randomUUID();
    const ref = newIdentifier('ir');
    const meterPointId = this.indexes.meterPointId(piiPrincipal.mpxn);
    const mpxnIndex = this.indexes.mpxn(piiPrincipal.mpxn);
    const { sealed, wrappedKey } = this.cipher.encryptValue(id, { piiPrincipal, principalVerification, email });
    const values = [id, ref, duid, mpxnIndex, meterPointId, expressedBy, PERSONAL_DATA_FORM, sealed, wrappedKey];
    await inTransaction(this.database.pool, async (session) => {
      await session.query({ ...STORE, values });
      await this.job.add(session, id, RECONCILE_AFTER_SECONDS);
    });
    return { id, ref, meterPointId };
  }

  /** Turns it into an Identity Record. Does nothing if it already is one, or was destroyed. */
  async adopt(id: string): Promise<void> {
    await this.database.pool.query({ ...ADOPT, values: [id] });
  }

  /** Destroys the record and its data key. Does nothing if it became an Identity Record. */
  async destroy(id: string): Promise<void> {
    await this.database.pool.query({ ...DESTROY, values: [id] });
  }

  /** Returns a record that is still provisional, by internal id. */
  async byId(id: string): Promise<IdentityRecord | null> {
    const [row] = isUuid(id) ? await this.database.reads.rows<IdentityRecordRow>(READ, [id]) : [];
    return row === undefined ? null : new StoredIdentityRecord(row, this.cipher);
  }

  /** Adds the jobs of records that were not reconciled. */
  requeueLostJobs(): Promise<void> {
    return this.job.requeueLost(this.database.pool);
  }
}

/** Returns the Identity Record to which an access record is linked, by internal id; null for an unknown one. */
export type LinkedRecord = (id: string) => Promise<IdentityRecord | null>;

/**
 * Includes provisional records: an access record may be linked to one shortly before it becomes an Identity Record, or after a crash until
 * the job has run. The last read covers a record that became one between the first two.
 */
export function linkedRecords(
  records: Pick<IdentityRecordRepository, 'byId'>,
  provisional: Pick<ProvisionalRecordRepository, 'byId'>,
): LinkedRecord {
  return async (id) => (await records.byId(id)) ?? (await provisional.byId(id)) ?? records.byId(id);
}
