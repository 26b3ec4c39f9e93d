import type { Database } from '../../server/database';
import { type Forget, passedRows } from '../../server/retention';
import type { Session } from '../../server/transaction';
import type { IdentityLook, IdentityLookKind } from '../domain/identity-look';

/**
 * Counts one look at records of which `$1` is a query of ids, by the Data User $2: the rows in order of their ids, so that looks at
 * once never wait for each other in a circle.
 */
const counted = (records: string, kind: IdentityLookKind): string => `
  insert into identity_look as look (record_id, duid, kind, hour, count)
  select id, $2, '${kind}', date_trunc('hour', register_now()), 1 from ${records} order by id
  on conflict (record_id, duid, kind, hour) do update set count = look.count + 1`;

/** Counts an existence check on every record of the relation `live`, as a part of the statement that answers it. */
export const COUNT_EXISTENCE_CHECK = counted('live', 'existence-check');

/** The same for a look at the consents that came through Interface B. */
export const COUNT_SHOWN_CONSENTS = counted('live', 'show-consents');

const COUNT_REIDENTIFICATION = counted('(select $1::uuid as id) as attempted', 'reidentification');
const PASSED = `identity_look where hour < register_now() - interval '13 months'`;

/**
 * An existence check and a look at consents are counted on every record of the meter point, so the largest count is their number; an
 * attempt at re-identification on one. The last hour of an occupancy that has ended is left out: the next one began in it.
 */
const OF_RECORDS = `
  select l.duid, l.kind, l.hour,
    (case when l.kind in ('existence-check', 'show-consents') then max(l.count) else sum(l.count) end)::integer as count
  from identity_look l
  where l.record_id = any($1::uuid[])
    and l.hour >= date_trunc('hour', greatest($2::date::timestamp at time zone 'Europe/London', $3::timestamptz))
    and ($4::timestamptz is null or l.hour + interval '1 hour' <= $4)
  group by l.duid, l.kind, l.hour order by l.hour desc, l.duid, l.kind limit 500`;

/** Which looks are asked for. */
export interface LooksAsked {
  readonly recordIds: readonly string[];
  /** First day, `YYYY-MM-DD`. */
  readonly since: string;
  /** When the occupancy began, and when it ended, if it did. */
  readonly beganAt: Date | null;
  readonly endedAt: Date | null;
}

/** Who looked, by the hour (2-decisions-a-b.md, section 10). */
export class IdentityLookRepository {
  /** Forgets looks of more than 13 months ago. */
  readonly forget: Forget;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    this.forget = passedRows(database.pool, 'identity_look', PASSED);
  }

  /** Counts an attempt at re-identification, in the transaction that starts it; a refused one by itself. */
  async countReidentification(session: Session, recordId: string, duid: string): Promise<void> {
    await session.query(COUNT_REIDENTIFICATION, [recordId, duid]);
  }

  /** The newest 500 looks at records. */
  async of({ recordIds, since, beganAt, endedAt }: LooksAsked): Promise<IdentityLook[]> {
    const { rows } = await this.database.pool.query<IdentityLook>(OF_RECORDS, [recordIds, since, beganAt, endedAt]);
    return rows;
  }
}
