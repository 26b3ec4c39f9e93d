import { randomUUID } from 'node:crypto';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, storeResponse } from '../../server/idempotency';
import { type RecoverableJob, recoverableJob } from '../../server/jobs/recoverable-job';
import { keyedHash } from '../../server/keyed-hash';
import type { WrappedOccupancyKey } from '../../server/occupancy-keys';
import { decryptValue } from '../../server/encryption';
import { clocksAgree } from '../../server/database/register-clock';
import { inTransaction } from '../../server/database/transaction';
import type { ChangeOfTenancy } from './change-of-tenancy';
import type { IdentityDependencies } from '../dependencies';
import { lockMeterPoint } from '../locks.sql';
import { occupancyEndedBy } from '../occupancy/identity-occupancies.queries';

/** Data Users that were notified of a change, as `access` returned them. */
export interface Announcement {
  readonly activeRecordsAffected: number;
  readonly dataUsersNotified: readonly string[];
}

/** A recorded change, and whether it was new. */
export interface RecordedChange {
  readonly id: string;
  readonly isNew: boolean;
}

/** A change that `access` has not announced. */
interface UnannouncedChange {
  readonly id: string;
  readonly meterPointId: string;
  readonly effectiveDate: string;
}

/** Fields of a change that are encrypted under the key of the occupancy that it ends. */
type EncryptedContent = Pick<ChangeOfTenancy, 'mpxn' | 'sourceReference'>;

/** A stored change: its announcement, or the content to announce. */
type StoredChange =
  { readonly announcement: Announcement } | { readonly announcement: null; readonly unannounced: UnannouncedChange };

/** Name of the job that announces a change through `access`. */
export const ANNOUNCE = 'announce-change-of-tenancy';

/** Seconds until the job checks whether the change was announced; usually it was. */
const CHECK_AFTER_SECONDS = 5;

const KNOWN = {
  name: 'known_change_of_tenancy',
  text: 'select id from change_of_tenancy where mpxn_index = $1 and effective_date = $2 and reference_hash = $3',
};

const RECORD = {
  name: 'record_change_of_tenancy',
  text: `insert into change_of_tenancy (id, mpxn_index, effective_date, reference_hash, sealed, key_id) values ($4, $1, $2, $3, $5, $6)`,
};

const BY_ID = {
  name: 'change_of_tenancy_by_id',
  text: `select to_char(effective_date, 'YYYY-MM-DD') as "effectiveDate", sealed, records_affected as "activeRecordsAffected",
      duids as "dataUsersNotified", key_id as "keyId", wrapped as "wrappedKey"
    from change_of_tenancy change left join identity_keys.occupancy_key key on key.id = key_id
    where change.id = $1 and sealed is not null`,
};

/** Changes that one statement corrects at most, which bounds its time. */
const MAX_CORRECTED = 1_000;

const NOTE = {
  name: 'note_announcement',
  text: `update change_of_tenancy set announced_at = register_now(), records_affected = $2, duids = $3
    where id = $1 and announced_at is null`,
};

/** Changes that were not announced in time. */
const INCOMPLETE = `select id from change_of_tenancy
  where announced_at is null and sealed is not null and recorded_at < register_now() - interval '1 minute'`;

/** Not by a clock that has jumped back: a change would belong to an earlier instant for good. Reads count a change ahead as one of now. */
const CORRECT_TIMES_AHEAD = `update change_of_tenancy set recorded_at = register_now() where id in (
  select id from change_of_tenancy where recorded_at > register_now() and ${clocksAgree('$1')}
  order by recorded_at limit ${MAX_CORRECTED})`;

interface ChangeRow extends WrappedOccupancyKey {
  readonly effectiveDate: string;
  readonly sealed: Buffer;
  readonly activeRecordsAffected: number | null;
  readonly dataUsersNotified: string[] | null;
}

/** Changes of Tenancy of the communications operator, and their announcement to Data Users. */
export class ChangeOfTenancyRepository {
  private readonly database: Database;
  private readonly job: RecoverableJob;

  constructor(
    private readonly dependencies: Pick<
      IdentityDependencies,
      'database' | 'jobs' | 'indexes' | 'keys' | 'occupancyKeys'
    >,
  ) {
    this.database = dependencies.database;
    this.job = recoverableJob(dependencies.jobs, ANNOUNCE, INCOMPLETE);
  }

  /**
   * Records a change with the job that announces it, or returns the existing one with the same meter point, day and reference. Returns
   * undefined if the idempotency key was used before. Locks the meter point: concurrent requests with the same change find the row of the
   * first, and a session that starts at the same time starts before the change or knows it.
   */
  async record(change: ChangeOfTenancy, request: IdempotentRequest): Promise<RecordedChange | undefined> {
    const names = this.naturalKeyOf(change);
    const there = [names[0], change.effectiveDate] as const;
    return inTransaction(this.database.pool, async (session) => {
      await lockMeterPoint(session, names[0]);
      const [known] = (await session.query<{ id: string }>({ ...KNOWN, values: names })).rows;
      const recorded = { id: known?.id ?? randomUUID(), isNew: known === undefined };
      if (!(await storeResponse(session, request, recorded))) return undefined;
      if (!recorded.isNew) return recorded;
      const [key] = await this.dependencies.occupancyKeys.obtain(session, [await occupancyEndedBy(session, ...there)]);
      if (key === undefined) throw new Error('an occupancy has no key');
      const sealed = key.encryptValue(encodedContent(change), boundTo(recorded.id));
      await session.query({ ...RECORD, values: [...names, recorded.id, sealed, key.id] });
      await this.job.add(session, recorded.id, CHECK_AFTER_SECONDS);
      return recorded;
    });
  }

  /** Stores the response of a request; returns false if one with the same idempotency key was stored before. */
  storeResponse(recorded: RecordedChange, request: IdempotentRequest): Promise<boolean> {
    return storeResponse(this.database.pool, request, recorded);
  }

  /** Returns the change with an id; undefined if there is none. */
  async byId(id: string): Promise<StoredChange | undefined> {
    const row = await this.row(id);
    return row && this.storedChange(id, row);
  }

  /** Returns the source reference of a change; null if there is no such change, or its key was destroyed. */
  async sourceReferenceOf(id: string): Promise<string | null> {
    const row = await this.row(id);
    return row === undefined ? null : (this.contentOf(id, row)?.sourceReference ?? null);
  }

  /** Stores the announcement of a change; an earlier one remains. */
  async note(id: string, { activeRecordsAffected, dataUsersNotified }: Announcement): Promise<void> {
    await this.database.pool.query({ ...NOTE, values: [id, activeRecordsAffected, dataUsersNotified] });
  }

  /** Adds the jobs of changes without announcement. */
  requeueLostJobs(): Promise<void> {
    return this.job.requeueLost(this.database.pool);
  }

  /** Dates changes that were recorded while the clock was ahead by the corrected clock. */
  async correctTimesAhead(): Promise<void> {
    await this.database.pool.query(CORRECT_TIMES_AHEAD, [new Date()]);
  }

  private async row(id: string): Promise<ChangeRow | undefined> {
    return (await this.database.pool.query<ChangeRow>({ ...BY_ID, values: [id] })).rows[0];
  }

  /** Decrypts a change only to announce it; its key may be destroyed afterwards. */
  private storedChange(id: string, row: ChangeRow): StoredChange {
    const { activeRecordsAffected, dataUsersNotified, effectiveDate } = row;
    if (activeRecordsAffected !== null && dataUsersNotified !== null)
      return { announcement: { activeRecordsAffected, dataUsersNotified } };
    const content = this.contentOf(id, row);
    if (content === null) throw new Error('a change of tenancy lost its key before it was announced');
    const meterPointId = this.dependencies.indexes.meterPointId(content.mpxn);
    return { announcement: null, unannounced: { id, meterPointId, effectiveDate } };
  }

  /** Decrypts the content of a change; null if its key was destroyed. */
  private contentOf(id: string, { keyId, wrappedKey, sealed }: ChangeRow): EncryptedContent | null {
    const { keys, occupancyKeys } = this.dependencies;
    const opened =
      keyId === null
        ? decryptValue(keys.encryptionKey, sealed, boundTo(id)).toString('utf8')
        : occupancyKeys.open({ keyId, wrappedKey }, sealed, boundTo(id));
    return opened === null ? null : (JSON.parse(opened) as EncryptedContent);
  }

  /** Natural key of a change: meter point, day and reference. */
  private naturalKeyOf({ mpxn, effectiveDate, sourceReference }: ChangeOfTenancy): [Buffer, string, Buffer] {
    const { indexes, keys } = this.dependencies;
    return [indexes.mpxn(mpxn), effectiveDate, keyedHash(keys.hashKey, 'source-reference')(sourceReference)];
  }
}

function encodedContent({ mpxn, sourceReference }: ChangeOfTenancy): string {
  return JSON.stringify({ mpxn, sourceReference } satisfies EncryptedContent);
}

/** Associated data of the encrypted content of a change. */
export function boundTo(id: string): string {
  return `change_of_tenancy ${id}`;
}
