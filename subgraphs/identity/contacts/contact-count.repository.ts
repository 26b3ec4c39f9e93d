import type { Database } from '../../server/database/database';
import { TODAY } from '../occupancy/tenancy-change.sql';

/** Contacts that a Data User asserted in some days, and their contests and rejections. */
interface ContactCounts {
  readonly duid: string;
  readonly asserted: number;
  readonly contests: number;
  readonly rejections: number;
  /** Maximum contests of one of these days. */
  readonly mostContests: number;
}

/** Data Users that the result lists, those with the most rejections and contests first. */
export const MAX_DATA_USERS = 500;

const COUNTS = `
  with daily as (
    select duid, day, sum(count) filter (where kind = 'asserted') as asserted, sum(count) filter (where kind = 'contest') as contests,
      sum(count) filter (where kind = 'rejection') as rejections
    from contact_count where day > ${TODAY} - $1::int group by duid, day
  )
  select duid, coalesce(sum(asserted), 0)::int as asserted, coalesce(sum(contests), 0)::int as contests,
    coalesce(sum(rejections), 0)::int as rejections, coalesce(max(contests), 0)::int as "mostContests"
  from daily group by duid order by rejections desc, contests desc, asserted desc, duid limit ${MAX_DATA_USERS}`;

/** Counts of the contacts that Data Users assert, without persons or meter points. */
export class ContactCountRepository {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns the counts of the last days, including the present one. */
  async of(days: number): Promise<ContactCounts[]> {
    return (await this.database.pool.query<ContactCounts>(COUNTS, [days])).rows;
  }
}
