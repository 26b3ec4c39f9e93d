import { randomUUID } from 'node:crypto';
import { isUuid, newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import type { JobQueue } from '../../server/jobs';
import { type Session, inTransaction } from '../../server/transaction';
import type { IdentityRecord, NewIdentityRecord } from '../domain/identity-record';
import type { BlindIndexes } from './blind-index';
import { PERSONAL_DATA_FORM, type PersonalDataVault } from './personal-data-vault';
import { type IdentityRecordRow, StoredIdentityRecord } from './stored-identity-record';

/** What `access` links a consent to. */
export interface ProvisionalRecord {
  readonly id: string;
  readonly ref: string;
  readonly meterPointId: string;
}

/** Name of the job that settles what became of a provisional record. */
export const SETTLE = 'settle_provisional_record';

/**
 * Seconds after which the job looks: later than any request is answered, and than `access` may still be at work for one, so that the job
 * of a slow request does not forestall it.
 */
const LOOK_AFTER = 20;

/** It ends with the record kept or destroyed, however long `access` is away. */
const ATTEMPTS = 30_000;

const STORE = {
  name: 'store_provisional_record',
  text: `with record as (
    insert into provisional_identity_record (id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed)
    values ($1, $2, $3, $4, $5, $6, $7, $8) returning id
  )
  insert into identity_keys.data_key (record_id, wrapped) select id, $9 from record`,
};

/** Makes Identity Records of provisional ones: those of a condition. The blind indexes and the sealed data are what they were. */
export const keepProvisional = (which: string): string => `
  with kept as (delete from identity.provisional_identity_record provisional where ${which} returning *)
  insert into identity.identity_record
    (id, ref, duid, created_at, mpxn_index, meter_point_id, expressed_by, form, sealed, is_verified, is_legacy)
  select id, ref, duid, since, mpxn_index, meter_point_id, expressed_by, form, sealed, false, true from kept`;

const KEEP = { name: 'keep_provisional_record', text: keepProvisional('id = $1') };

/** The key goes only with the row: of a record that was kept meanwhile there is no row, and its key stays. */
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

/** Those whose jobs were lost, as in a restore. */
const FORGOTTEN = `select id from provisional_identity_record where since < register_now() - interval '1 minute'`;

/** Identity Records of consents whose access records do not exist yet (2-decisions-a-b.md, section 8): seen by nobody who asks for any. */
export class ProvisionalRecordRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobQueue,
    private readonly indexes: BlindIndexes,
    private readonly vault: PersonalDataVault,
  ) {}

  /** Stores a record with its data key, and the job that sees to it that neither is left behind: all of them or none. */
  async store(duid: string, record: NewIdentityRecord): Promise<ProvisionalRecord> {
    const { piiPrincipal, principalVerification, email, expressedBy } = record;
    const id = randomUUID();
    const ref = newIdentifier('ir');
    const meterPointId = this.indexes.meterPointId(piiPrincipal.mpxn);
    const mpxnIndex = this.indexes.mpxn(piiPrincipal.mpxn);
    const { sealed, wrappedKey } = this.vault.seal(id, { piiPrincipal, principalVerification, email });
    const values = [id, ref, duid, mpxnIndex, meterPointId, expressedBy, PERSONAL_DATA_FORM, sealed, wrappedKey];
    await inTransaction(this.database.pool, async (session) => {
      await session.query({ ...STORE, values });
      await this.addJob(session, id, LOOK_AFTER);
    });
    return { id, ref, meterPointId };
  }

  /** Makes it an Identity Record that everybody sees; nothing happens when it is one, or was destroyed. */
  async keep(id: string): Promise<void> {
    await this.database.pool.query({ ...KEEP, values: [id] });
  }

  /** Destroys the record and its data key; nothing happens when it was kept. */
  async destroy(id: string): Promise<void> {
    await this.database.pool.query({ ...DESTROY, values: [id] });
  }

  /** A record that is still provisional, by its internal id. */
  async byId(id: string): Promise<IdentityRecord | null> {
    const [row] = isUuid(id) ? await this.database.reads.rows<IdentityRecordRow>(READ, [id]) : [];
    return row === undefined ? null : new StoredIdentityRecord(row, this.vault);
  }

  /** Adds the jobs of records that nobody settles. */
  async recallForgotten(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(FORGOTTEN);
    for (const { id } of rows) await this.addJob(this.database.pool, id, 0);
  }

  private addJob(session: Session, id: string, afterSeconds: number): Promise<void> {
    return this.jobs.add(session, SETTLE, { id }, { key: `${SETTLE} ${id}`, afterSeconds, maxAttempts: ATTEMPTS });
  }
}
