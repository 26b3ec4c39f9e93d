import type { Database } from '../../server/database';
import type { BlindIndexes } from './blind-index';

/** Whose home a meter point was: days of the effective Changes of Tenancy, the earliest first, and the present day. */
export interface Tenancy {
  /** Calendar dates `YYYY-MM-DD`. */
  readonly changes: readonly string[];
  /** The present day in Great Britain. */
  readonly today: string;
}

const TENANCY = {
  name: 'tenancy_by_mpxn',
  text: `select to_char(day.today, 'YYYY-MM-DD') as today, array(select to_char(effective_date, 'YYYY-MM-DD') from change_of_tenancy
      where mpxn_index = $1 and effective_date <= day.today order by effective_date) as changes
    from (select (register_now() at time zone 'Europe/London')::date as today) day`,
};

/** Changes of Tenancy as recorded at a meter point. */
export class TenancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
  ) {}

  /** Whose home a meter point was until now. */
  async at(mpxn: string): Promise<Tenancy> {
    const [tenancy] = await this.database.reads.rows<Tenancy>(TENANCY, [this.indexes.mpxn(mpxn)]);
    return tenancy as Tenancy;
  }
}
