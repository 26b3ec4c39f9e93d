import type { Database } from '../../server/database';
import { inTransaction } from '../../server/transaction';

/** Ways of looking at an access record (2-decisions-a-b.md, section 10). */
export const LOOK_KINDS = ['verification', 'listing'] as const;
export type LookKind = (typeof LOOK_KINDS)[number];

/** So many verifications of a record by one account; no account (the empty string) is the holder of the key. */
export interface CountedVerifications {
  readonly recordId: string;
  readonly accountId: string;
  readonly count: number;
}

const THIS_HOUR = `date_trunc('hour', register_now(), 'UTC')`;
const COUNT_UP = `on conflict (record_id, account_id, kind, hour) do update set count = look.count + excluded.count`;

/**
 * Part of a statement that reads the page of a list: counts a listing of each of its records. `listed` gives `id` and `meter_point_id`.
 * Counters are always locked in the order of the records, so that callers at once wait for each other and never in a circle. A record
 * without a meter point has no customer any more who could ask.
 */
export const countListings = (listed: string, account: string): string => `
  insert into look (record_id, account_id, kind, hour, count)
  select id, ${account}, 'listing', ${THIS_HOUR}, 1 from (${listed}) listed where meter_point_id is not null order by id
  ${COUNT_UP}`;

const COUNT_VERIFICATIONS = `
  insert into look (record_id, account_id, kind, hour, count)
  select seen.record_id, seen.account_id, 'verification', ${THIS_HOUR}, seen.count
  from unnest($1::uuid[], $2::text[], $3::int[]) as seen (record_id, account_id, count)
    join access_record on access_record.id = seen.record_id and meter_point_id is not null
  order by seen.record_id, seen.account_id
  ${COUNT_UP}`;

/**
 * Adds verifications to their counters, in the hour in which they are written. It is not waited for that they are durable: a crash of the
 * machine may lose what the last second brought, as a kill of this process may.
 */
export async function countVerifications(
  { pool }: Database,
  verifications: readonly CountedVerifications[],
): Promise<void> {
  await inTransaction(pool, async (session) => {
    await session.query('set local synchronous_commit = off');
    await session.query(COUNT_VERIFICATIONS, [
      verifications.map(({ recordId }) => recordId),
      verifications.map(({ accountId }) => accountId),
      verifications.map(({ count }) => count),
    ]);
  });
}
