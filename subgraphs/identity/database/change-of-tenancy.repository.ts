import { randomUUID } from 'node:crypto';
import type { Database } from '../../server/database';
import { type IdempotentRequest, keepAnswer } from '../../server/idempotency';
import type { JobQueue } from '../../server/jobs';
import { keyedHash } from '../../server/keyed-hash';
import { seal, unseal } from '../../server/sealed';
import { type Session, inTransaction } from '../../server/transaction';
import type { ChangeOfTenancy } from '../domain/change-of-tenancy';
import type { Foundation } from '../foundation';

/** Whom a change was announced to, as `access` found it. */
export interface Announcement {
  readonly activeRecordsAffected: number;
  readonly dataUsersNotified: string[];
}

/** A recorded change, and whether it was new to the register. */
export interface RecordedChange {
  readonly id: string;
  readonly isNew: boolean;
}

/** A change as it is kept. */
export interface KeptChange {
  readonly id: string;
  readonly change: ChangeOfTenancy;
  readonly meterPointId: string;
  /** Null until `access` has it. */
  readonly announcement: Announcement | null;
}

/** A change that `access` has announced. */
export type AnnouncedChange = KeptChange & { readonly announcement: Announcement };

/** Name of the job that sees to it that `access` hears of a change. */
export const ANNOUNCE = 'announce-change-of-tenancy';

/** Seconds after which the job looks whether the change was announced: it usually was. */
const LOOK_AFTER = 5;

/** It ends with the change announced, however long `access` is away. */
const ATTEMPTS = 30_000;

/** Whoever tells the same change at once waits here for the first, and finds what it has made. */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('change of tenancy ' || encode($1::bytea, 'hex'), 0))`;

const KNOWN = {
  name: 'known_change_of_tenancy',
  text: 'select id from change_of_tenancy where mpxn_index = $1 and effective_date = $2 and reference_hash = $3',
};

const RECORD = {
  name: 'record_change_of_tenancy',
  text: `insert into change_of_tenancy (id, mpxn_index, effective_date, reference_hash, sealed) values ($4, $1, $2, $3, $5)`,
};

const BY_ID = {
  name: 'change_of_tenancy_by_id',
  text: `select to_char(effective_date, 'YYYY-MM-DD') as "effectiveDate", sealed, records_affected as "activeRecordsAffected",
      duids as "dataUsersNotified"
    from change_of_tenancy where id = $1 and sealed is not null`,
};

const NOTE = {
  name: 'note_announcement',
  text: `update change_of_tenancy set announced_at = register_now(), records_affected = $2, duids = $3
    where id = $1 and announced_at is null`,
};

/** Changes that nobody announces: their jobs were lost, as in a restore. */
const FORGOTTEN = `select id from change_of_tenancy
  where announced_at is null and sealed is not null and recorded_at < register_now() - interval '1 minute'`;

interface ChangeRow {
  readonly effectiveDate: string;
  readonly sealed: Buffer;
  readonly activeRecordsAffected: number | null;
  readonly dataUsersNotified: string[] | null;
}

/** Changes of Tenancy as the communications operator has recorded them, with their announcement to Data Users. */
export class ChangeOfTenancyRepository {
  private readonly database: Database;
  private readonly jobs: JobQueue;

  constructor(private readonly foundation: Pick<Foundation, 'database' | 'jobs' | 'indexes' | 'keys'>) {
    this.database = foundation.database;
    this.jobs = foundation.jobs;
  }

  /** What the same request was answered before. */
  recallKept(request: IdempotentRequest): Promise<RecordedChange | undefined> {
    return request.recallKept<RecordedChange>(this.database.reads);
  }

  /**
   * Records a change with the job that announces it, or finds the one with the same meter point, day and reference. Undefined when the
   * idempotency key was used before.
   */
  async record(change: ChangeOfTenancy, request: IdempotentRequest): Promise<RecordedChange | undefined> {
    const names = this.namesOf(change);
    return inTransaction(this.database.pool, async (session) => {
      await session.query(LOCK, [names[0]]);
      const [known] = (await session.query<{ id: string }>({ ...KNOWN, values: names })).rows;
      const recorded = { id: known?.id ?? randomUUID(), isNew: known === undefined };
      if (!(await keepAnswer(session, request, recorded))) return undefined;
      if (!recorded.isNew) return recorded;
      await session.query({ ...RECORD, values: [...names, recorded.id, this.sealed(recorded.id, change)] });
      await this.addJob(session, recorded.id, LOOK_AFTER);
      return recorded;
    });
  }

  /** What the request was answered that claimed the idempotency key first. */
  recall(request: IdempotentRequest): Promise<RecordedChange> {
    return request.recall<RecordedChange>(this.database.pool);
  }

  /** Keeps that a request was answered; false when one with the same idempotency key was before. */
  keepAnswered(recorded: RecordedChange, request: IdempotentRequest): Promise<boolean> {
    return keepAnswer(this.database.pool, request, recorded);
  }

  /** The change of an id. */
  async byId(id: string): Promise<KeptChange | undefined> {
    const [row] = (await this.database.pool.query<ChangeRow>({ ...BY_ID, values: [id] })).rows;
    return row && this.kept(id, row);
  }

  /** Notes whom a change was announced to; what was noted before stands. */
  async note(id: string, { activeRecordsAffected, dataUsersNotified }: Announcement): Promise<void> {
    await this.database.pool.query({ ...NOTE, values: [id, activeRecordsAffected, dataUsersNotified] });
  }

  /** Adds the jobs of changes that nobody announces. */
  async recallForgotten(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(FORGOTTEN);
    for (const { id } of rows) await this.addJob(this.database.pool, id, 0);
  }

  private kept(id: string, { effectiveDate, sealed, activeRecordsAffected, dataUsersNotified }: ChangeRow): KeptChange {
    const { keys, indexes } = this.foundation;
    const opened = unseal(keys.encryptionKey, sealed, boundTo(id)).toString('utf8');
    const { mpxn, sourceReference } = JSON.parse(opened) as Omit<ChangeOfTenancy, 'effectiveDate'>;
    const isAnnounced = activeRecordsAffected !== null && dataUsersNotified !== null;
    return {
      id,
      change: { mpxn, effectiveDate, sourceReference },
      meterPointId: indexes.meterPointId(mpxn),
      announcement: isAnnounced ? { activeRecordsAffected, dataUsersNotified } : null,
    };
  }

  /** What a change is known by: meter point, day and reference together. */
  private namesOf({ mpxn, effectiveDate, sourceReference }: ChangeOfTenancy): unknown[] {
    const { indexes, keys } = this.foundation;
    return [indexes.mpxn(mpxn), effectiveDate, keyedHash(keys.hashKey, 'source-reference')(sourceReference)];
  }

  private sealed(id: string, { mpxn, sourceReference }: ChangeOfTenancy): Buffer {
    return seal(this.foundation.keys.encryptionKey, JSON.stringify({ mpxn, sourceReference }), boundTo(id));
  }

  private addJob(session: Session, id: string, afterSeconds: number): Promise<void> {
    return this.jobs.add(session, ANNOUNCE, { id }, { key: `${ANNOUNCE} ${id}`, afterSeconds, maxAttempts: ATTEMPTS });
  }
}

/** What the sealed content of a change belongs to. */
function boundTo(id: string): string {
  return `change_of_tenancy ${id}`;
}
