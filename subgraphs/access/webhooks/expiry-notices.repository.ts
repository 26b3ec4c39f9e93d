import type { Pool } from 'pg';
import { LOWEST_UUID } from '../../../schema/identifiers';
import { FAN_OUT_LOCK } from '../../delivery/fan-out.sql';
import { clocksAgree } from '../../server/database/register-clock';
import { inTransaction } from '../../server/database/transaction';
import { ON_CONSENT } from '../records/record-state.sql';
import { isAhead } from '../records/transitions';

/** Records that one statement reads at most, due or not, which bounds its time. */
const MAX_RECORDS = 1_000;

/**
 * Overlap of consecutive scans: a scan also finds records that were committed after the previous one had passed their
 * expiry. Each registration and replacement also announces its own expiry (`announce_expiring`).
 */
const OVERLAP = `interval '10 minutes'`;
/**
 * Maximum distance between the stored end of the last scan and the end of the window; beyond it, the window is scanned
 * again.
 */
const STEP = `interval '1 minute'`;

/** Without the subscriptions of terminated Data Users, whose records read REVOKED before a sweep stores it. */
const RECEIVES_NOTICES = `deleted_at is null and 'consent.expiring' = any(event_types)
  and not exists (select from account where account.duid = webhook.duid and terminated_at is not null)`;
const THROUGH = `register_now() + notify_days_before * interval '24 hours'`;

/**
 * Start of a scan; null is the start of the window, also if the last scan ended beyond the present window: a clock that was ahead has passed
 * over records.
 */
const FROM = `case when expiring_through <= ${THROUGH} + ${STEP} then expiring_through - ${OVERLAP} end`;

/** A scan of one subscription: its Data User, and the range of expiries. */
interface Scan {
  readonly webhook: string;
  readonly duid: string;
  readonly from: string | null;
  readonly through: string;
  readonly version: string;
}

/** The last record that a statement read, and the number of records. */
interface Read {
  readonly id: string;
  readonly expiry: string;
  readonly count: number;
}

/** Records on consent in a range of expiries. */
const inWindow = ({ duid, from, through }: Record<'duid' | 'from' | 'through', string>): string => `
  duid = ${duid} and state = 'ACTIVE' and ${ON_CONSENT} and ${isAhead('expiry', from)} and expiry <= ${through}`;

/**
 * Subscriptions whose window was last scanned more than {@link STEP} ago, or which a record has entered since. Whether its notice exists is not
 * read here: several hundred thousand records may have one expiry.
 */
const SUBSCRIPTIONS_TO_SCAN = {
  name: 'subscriptions_to_scan',
  text: `select id from webhook where ${RECEIVES_NOTICES} and (
      expiring_through is null or expiring_through not between ${THROUGH} - ${STEP} and ${THROUGH}
      or exists (select from access_record
        where ${inWindow({ duid: 'webhook.duid', from: 'expiring_through', through: THROUGH })}))
    order by id`,
};

/** Locks the subscription, so that one scan runs at a time. `xmin` is its row version. */
const START_SCAN = {
  name: 'start_scan',
  text: `select id as webhook, duid, (${FROM})::text as from, (${THROUGH})::text as through, xmin::text as version
    from webhook where id = $1 and ${RECEIVES_NOTICES} and ${clocksAgree('$2')} for no key update skip locked`,
};

/**
 * Waits until the fan-out in progress ends, which may have read a subscription before its change: later ones read the change. The rollback
 * releases the lock.
 */
const AFTER_FAN_OUT = `savepoint fan_out; select pg_advisory_xact_lock_shared(${FAN_OUT_LOCK}); rollback to savepoint fan_out`;

/**
 * Reads records after a position, in order, and writes a row of the outbox for each for which the subscription has no event, or one whose
 * delivery is superseded because the expiry had changed. For this row the fan-out calls `make_notices_of_expiry`: it alone writes notices, so
 * that no two transactions write those of the same records in different orders. `offset 0` prevents a join: with outdated statistics
 * PostgreSQL would read all events of the subscription.
 */
const ANNOUNCE = {
  name: 'announce_notices_of_expiry',
  text: `with read as materialized (
      select id, expiry from access_record
      where ${inWindow({ duid: '$2', from: '$3::timestamptz', through: '$4::timestamptz' })}
        and (expiry, id) > ($5::timestamptz, $6::uuid)
      order by expiry, id limit ${MAX_RECORDS}),
    announced as (
      insert into fanout (subject) select id::text from read
      where not exists (select from event
          where type = 'consent.expiring' and event.record_id = read.id and event.webhook_id = $1::uuid and event.expiry = read.expiry
            and (select delivery.state from delivery where endpoint_id = event.webhook_id and event_id = event.id)
              is distinct from 'superseded'
          offset 0)
        and not exists (select from fanout where subject = read.id::text and event_id is null offset 0)
      order by expiry, id
      returning subject)
    select id, expiry::text, (select count(*) from read)::int as count,
      (select pg_notify('access_deliveries', '') from announced limit 1) as woken
    from read order by read.expiry desc, id desc limit 1`,
};

const END_SCAN = {
  name: 'end_scan',
  text: 'update webhook set expiring_through = $2::timestamptz where id = $1',
};

/** Progress of a scan; the next call continues after it. */
export interface ScanProgress {
  /** Row version of the subscription at the start of the scan. */
  readonly version: string;
  readonly expiry: string;
  readonly id: string;
}

/** Position before all records. */
const START = { expiry: '-infinity', id: LOWEST_UUID };

/** Returns subscriptions with a window to scan. */
export async function subscriptionsToScan(pool: Pool): Promise<string[]> {
  return (await pool.query<{ id: string }>(SUBSCRIPTIONS_TO_SCAN)).rows.map(({ id }) => id);
}

/**
 * Makes the fan-out write `consent.expiring` events for a subscription, one per record and expiry within its window (decisions A/B, 6). Reads
 * up to {@link MAX_RECORDS} records; none once a clock has jumped. Returns where to continue if there may be more.
 */
export function announceSome(pool: Pool, webhookId: string, before?: ScanProgress): Promise<ScanProgress | undefined> {
  return inTransaction(pool, async (session) => {
    const [scan] = (await session.query<Scan>({ ...START_SCAN, values: [webhookId, new Date()] })).rows;
    if (scan === undefined) return undefined;
    const { webhook, duid, from, through, version } = scan;
    const position = before?.version === version ? before : START;
    if (from === null && position === START) await session.query(AFTER_FAN_OUT);
    const { expiry, id } = position;
    const values = [webhook, duid, from, through, expiry, id];
    const [last] = (await session.query<Read>({ ...ANNOUNCE, values })).rows;
    if (last?.count === MAX_RECORDS) return { version, expiry: last.expiry, id: last.id };
    await session.query({ ...END_SCAN, values: [webhook, through] });
    return undefined;
  });
}
