import type { Database } from '../../server/database';
import { TODAY } from './tenancy-changes';

/** What a Data User asserted and caused within some days. */
export interface ContactCounts {
  readonly duid: string;
  readonly asserted: number;
  readonly contests: number;
  readonly rejections: number;
  /** Most contests of one of these days. */
  readonly mostContests: number;
}

/** Those that caused the most before others. */
const MOST_DATA_USERS = 500;

const COUNTS = `
  with daily as (
    select duid, day, sum(count) filter (where kind = 'asserted') as asserted, sum(count) filter (where kind = 'contest') as contests,
      sum(count) filter (where kind = 'rejection') as rejections
    from contact_count where day > ${TODAY} - $1::int group by duid, day
  )
  select duid, coalesce(sum(asserted), 0)::int as asserted, coalesce(sum(contests), 0)::int as contests,
    coalesce(sum(rejections), 0)::int as rejections, coalesce(max(contests), 0)::int as "mostContests"
  from daily group by duid order by rejections desc, contests desc, asserted desc, duid limit ${MOST_DATA_USERS}`;

/** What was counted of the contacts that Data Users assert: no person and no meter point in it. */
export class ContactCountRepository {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** The counts of the last days, the present one included. */
  async of(days: number): Promise<ContactCounts[]> {
    return (await this.database.pool.query<ContactCounts>(COUNTS, [days])).rows;
  }
}
