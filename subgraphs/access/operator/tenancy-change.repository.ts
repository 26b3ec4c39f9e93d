import type { Database } from '../../server/database/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { inTransaction } from '../../server/database/transaction';
import { lockMeterPoint } from '../locks.sql';
import { isActive } from '../records/record-state.sql';

/** A Change of Tenancy that `identity` recorded (decisions A/B, 5). Its source reference is stored in `identity` only, which erases it. */
export interface TenancyChange {
  /** Id of the change in `identity`. */
  readonly id: string;
  readonly meterPointId: string;
  /** Calendar date `YYYY-MM-DD`. */
  readonly effectiveDate: string;
}

/** Data Users that were notified of a change: those with ACTIVE records at the meter point. */
export interface TenancyChangeAnnouncement {
  readonly activeRecordsAffected: number;
  readonly dataUsersNotified: string[];
}

const ANNOUNCED = {
  name: 'announced_tenancy_change',
  text: 'select records_affected as "activeRecordsAffected", duids as "dataUsersNotified" from tenancy_change where id = $1',
};

/** Inserts one event for each Data User with ACTIVE records at the meter point, with its own records; the change stores the total. */
const ANNOUNCE = {
  name: 'announce_tenancy_change',
  text: `with affected as (
      select duid, array_agg(id order by created_at, id) as record_ids from access_record
      where meter_point_id = $2 and ${isActive()} group by duid
    ),
    change as (
      insert into tenancy_change (id, subject, effective_date, records_affected, duids)
      select $1, $3, $4, coalesce(sum(cardinality(record_ids)), 0), array(select duid from affected order by duid) from affected
      returning *
    ),
    announced as (
      insert into event (type, duid, change_id, record_ids)
      select 'tenancy.change', affected.duid, change.id, record_ids from change, affected
    )
    select records_affected as "activeRecordsAffected", duids as "dataUsersNotified" from change`,
};

const EFFECTIVE_DATE = {
  name: 'tenancy_change_effective_date',
  text: `select id, to_char(effective_date, 'YYYY-MM-DD') as "effectiveDate" from tenancy_change where id = any($1::uuid[])`,
};

type EffectiveDateRow = Pick<TenancyChange, 'id' | 'effectiveDate'>;

/** Changes of Tenancy as announced to Data Users. */
export class TenancyChangeRepository {
  private readonly row: (id: string) => Promise<EffectiveDateRow | undefined>;

  constructor(
    private readonly database: Database,
    /** Hash of a meter point that orders its changes. */
    private readonly hashOfSubject: KeyedHash,
  ) {
    this.row = database.reads.byKey(EFFECTIVE_DATE, ({ id }: EffectiveDateRow) => id, String);
  }

  /**
   * Announces a change to every Data User with ACTIVE records at the meter point. A repeat returns the result of the first call.
   * Registrations in progress are waited for and included.
   */
  announce({ id, meterPointId, effectiveDate }: TenancyChange): Promise<TenancyChangeAnnouncement> {
    return inTransaction(this.database.pool, async (session) => {
      await lockMeterPoint(session, meterPointId);
      const [before] = (await session.query<TenancyChangeAnnouncement>({ ...ANNOUNCED, values: [id] })).rows;
      if (before !== undefined) return before;
      const values = [id, meterPointId, this.subjectOf(meterPointId), effectiveDate];
      const { rows } = await session.query<TenancyChangeAnnouncement>({ ...ANNOUNCE, values });
      return rows[0] as TenancyChangeAnnouncement;
    });
  }

  /** Returns the effective date of a change; undefined if it was not announced. */
  async effectiveDateOf(id: string): Promise<string | undefined> {
    return (await this.row(id))?.effectiveDate;
  }

  /** Pseudonym of a meter point as a UUID: equal for all its changes, and not reversible. */
  private subjectOf(meterPointId: string): string {
    const digits = this.hashOfSubject(meterPointId).toString('hex');
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      digits.slice(12, 16),
      digits.slice(16, 20),
      digits.slice(20, 32),
    ].join('-');
  }
}
