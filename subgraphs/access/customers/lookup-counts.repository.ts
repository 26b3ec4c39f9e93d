import type { Database } from '../../server/database/database';
import { inTransaction } from '../../server/database/transaction';

/** Kinds of lookups of an access record (decisions A/B, 10). */
export const LOOKUP_KINDS = ['verification', 'listing'] as const;
export type LookupKind = (typeof LOOKUP_KINDS)[number];

/** Verifications of a record by one account; the empty account is a caller with the access key who is not identified. */
export interface CountedVerifications {
  readonly recordId: string;
  readonly accountId: string;
  readonly count: number;
}

const THIS_HOUR = `date_trunc('hour', register_now(), 'UTC')`;
const COUNT_UP = `on conflict (record_id, account_id, kind, hour) do update set count = look.count + excluded.count`;

/**
 * Part of the statement that reads a page of a list: counts one listing of each record. `listed` selects `id` and `meter_point_id`.
 * Counters are locked in the order of record ids, so that concurrent calls cannot deadlock. A record without a meter point has no customer
 * who could read its counts.
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
 * Adds verifications to the counters of the current hour. Commits with `synchronous_commit = off`: a crash of the server may lose the last
 * second of counts, as a crash of this process may.
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
