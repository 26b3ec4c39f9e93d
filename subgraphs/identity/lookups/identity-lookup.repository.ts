import { MAX_LOOKUPS } from '../../../schema/lookups';
import type { Database } from '../../server/database/database';
import type { Session } from '../../server/database/transaction';
import { type Purge, expiredRows } from '../../server/retention';

/** Kinds of lookups of a customer (decisions A/B, 10). */
export type IdentityLookupKind = 'existence-check' | 'reidentification' | 'show-consents';

/** Number of lookups by an organisation in one hour. */
interface IdentityLookup {
  readonly duid: string;
  readonly kind: IdentityLookupKind;
  /** Start of the hour. */
  readonly hour: Date;
  readonly count: number;
}

/**
 * Counts one lookup by the Data User $2 for each row of `records`, which selects ids. Rows are locked in the order of ids, so that
 * concurrent lookups cannot deadlock.
 */
const counted = (records: string, kind: IdentityLookupKind): string => `
  insert into identity_look as look (record_id, duid, kind, hour, count)
  select id, $2, '${kind}', date_trunc('hour', register_now()), 1 from ${records} order by id
  on conflict (record_id, duid, kind, hour) do update set count = look.count + 1`;

/** Counts an existence check for every record of the relation `live`, in the statement of the check. */
export const COUNT_EXISTENCE_CHECK = counted('live', 'existence-check');

/** Counts a lookup of consents of Interface B in the same way. */
export const COUNT_SHOWN_CONSENTS = counted('live', 'show-consents');

const COUNT_REIDENTIFICATION = counted('(select $1::uuid as id) as attempted', 'reidentification');
const EXPIRED = { table: 'identity_look', column: 'hour', through: `register_now() - interval '13 months'` };

/**
 * Existence checks and lookups of consents are counted on many records of the meter point, so the maximum is their number; a
 * re-identification is counted on one record. The last hour of an ended occupancy is omitted, because the next occupancy started in it.
 */
const OF_RECORDS = `
  select l.duid, l.kind, l.hour,
    (case when l.kind in ('existence-check', 'show-consents') then max(l.count) else sum(l.count) end)::integer as count
  from identity_look l
  where l.record_id = any($1::uuid[])
    and l.hour >= date_trunc('hour', greatest($2::date::timestamp at time zone 'Europe/London', $3::timestamptz))
    and ($4::timestamptz is null or l.hour + interval '1 hour' <= $4)
    and ($5::timestamptz is null or l.hour < $5)
  group by l.duid, l.kind, l.hour order by l.hour desc, l.duid, l.kind limit ${MAX_LOOKUPS}`;

/** Conditions on lookups. */
interface LookupFilter {
  readonly recordIds: readonly string[];
  /** First day, `YYYY-MM-DD`. */
  readonly since: string;
  /** Start and end of the occupancy. */
  readonly beganAt: Date | null;
  readonly endedAt: Date | null;
  /** Only hours that start before this instant. */
  readonly before: Date | null;
}

/** Lookups by organisation and hour (decisions A/B, 10). */
export class IdentityLookupRepository {
  /** Deletes lookups after 13 months. */
  readonly purge: Purge;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    this.purge = expiredRows(database.pool, EXPIRED);
  }

  /** Counts an attempt at re-identification, in the transaction that starts it; for a rejected one in its own. */
  async countReidentification(session: Session, recordId: string, duid: string): Promise<void> {
    await session.query(COUNT_REIDENTIFICATION, [recordId, duid]);
  }

  /** Returns the latest {@link MAX_LOOKUPS} lookups of records. */
  async of({ recordIds, since, beganAt, endedAt, before }: LookupFilter): Promise<IdentityLookup[]> {
    const values = [recordIds, since, beganAt, endedAt, before];
    const { rows } = await this.database.pool.query<IdentityLookup>(OF_RECORDS, values);
    return rows;
  }
}
