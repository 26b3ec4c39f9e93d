import type { Pool } from 'pg';
import { inTransaction } from '../../server/database/transaction';
import { ON_CONSENT } from '../records/record-state.sql';
import { isAhead } from '../records/transitions';

/** Maximum records that one transaction locks, which bounds how long other transactions wait. */
const MAX_NOTICES = 500;

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

/** Start of a scan; null is the start of the window. */
const FROM = `expiring_through - ${OVERLAP}`;

/** A scan of one subscription: its Data User, and the range of expiries. */
interface Scan {
  readonly webhook: string;
  readonly duid: string;
  readonly from: string | null;
  readonly through: string;
  readonly version: string;
}

/** The last due record, the number of due records, how many of them the statement could lock, and those whose notice is superseded. */
interface Notified {
  readonly id: string;
  readonly expiry: string;
  readonly due: number;
  readonly locked: number;
  readonly superseded: readonly string[];
}

/** Condition of the event about the present expiry of a record. */
const noticeOf = (record: string, webhook: string): string => `
  type = 'consent.expiring' and event.record_id = ${record}.id and event.webhook_id = ${webhook} and event.expiry = ${record}.expiry`;

/**
 * Records on consent in the range of a scan for which the subscription has no event, or one whose delivery is superseded because the expiry
 * had changed. `offset 0` prevents a join: with outdated statistics PostgreSQL would read all events of the subscription.
 */
const due = ({ webhook, duid, from, through }: Record<Exclude<keyof Scan, 'version'>, string>): string => `
  duid = ${duid} and state = 'ACTIVE' and ${ON_CONSENT} and ${isAhead('expiry', from)} and expiry <= ${through}
  and not exists (select from event where ${noticeOf('access_record', webhook)}
    and (select delivery.state from delivery where endpoint_id = event.webhook_id and event_id = event.id) is distinct from 'superseded'
    offset 0)`;

const SUBSCRIPTIONS_TO_SCAN = {
  name: 'subscriptions_to_scan',
  text: `select id from webhook where ${RECEIVES_NOTICES} and (
      expiring_through is null or expiring_through not between ${THROUGH} - ${STEP} and ${THROUGH}
      or exists (select from access_record
        where ${due({ webhook: 'webhook.id', duid: 'webhook.duid', from: FROM, through: THROUGH })}))
    order by id`,
};

/** Locks the subscription, so that one scan runs at a time. `xmin` is its row version. */
const START_SCAN = {
  name: 'start_scan',
  text: `select id as webhook, duid, (${FROM})::text as from, (${THROUGH})::text as through, xmin::text as version
    from webhook where id = $1 and ${RECEIVES_NOTICES} for no key update skip locked`,
};

const DUE = due({ webhook: '$1::uuid', duid: '$2', from: '$3::timestamptz', through: '$4::timestamptz' });

/**
 * Inserts events for due records after a position, in order. A concurrent withdrawal of one waits, so that no notice follows a withdrawal.
 * Lanes are locked in the order of the records; records that another transaction has locked are skipped. They are locked by id (`is true`
 * keeps PostgreSQL from using the indexes of expiries).
 */
const INSERT_EVENTS = {
  name: 'insert_consent_expiring',
  text: `with due as materialized (
      select id, expiry from access_record where ${DUE} and (expiry, id) > ($5::timestamptz, $6::uuid)
      order by expiry, id limit ${MAX_NOTICES}),
    locked as (
      select id, duid, expiry from access_record
      where id = any (array(select id from due)) and state = 'ACTIVE' and ${ON_CONSENT} and (${isAhead('expiry')} and expiry <= $4) is true
      for share skip locked),
    published as (
      insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
      select 'consent.expiring', duid, id, $1, expiry, ceil(extract(epoch from expiry - register_now()) / 86400) from locked order by id
      on conflict do nothing)
    select id, expiry::text, (select count(*) from due)::int as due, (select count(*) from locked)::int as locked,
      array(select id::text from locked where exists (select from event where ${noticeOf('locked', '$1')}) order by id) as superseded
    from due order by due.expiry desc, id desc limit 1`,
};

/** Makes the fan-out call `make_notices_of_expiry`, which makes superseded deliveries due again. */
const ANNOUNCE = {
  name: 'announce_superseded_notices',
  text: 'insert into fanout (subject) select unnest($1::text[])',
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
  /** A record was skipped: the scan is not stored, and the next one repeats it. */
  readonly isIncomplete: boolean;
}

/** Position before all records. */
const START = { expiry: '-infinity', id: '00000000-0000-0000-0000-000000000000', isIncomplete: false };

/** Returns subscriptions with a window to scan. */
export async function subscriptionsToScan(pool: Pool): Promise<string[]> {
  return (await pool.query<{ id: string }>(SUBSCRIPTIONS_TO_SCAN)).rows.map(({ id }) => id);
}

/**
 * Inserts `consent.expiring` events for a subscription, one per record and expiry within its window (decisions A/B, 6), up to {@link
 * MAX_NOTICES}. Returns where to continue if there may be more.
 */
export function notifySome(pool: Pool, webhookId: string, before?: ScanProgress): Promise<ScanProgress | undefined> {
  return inTransaction(pool, async (session) => {
    const [scan] = (await session.query<Scan>({ ...START_SCAN, values: [webhookId] })).rows;
    if (scan === undefined) return undefined;
    const { webhook, duid, from, through, version } = scan;
    const { expiry, id, isIncomplete } = before?.version === version ? before : START;
    const values = [webhook, duid, from, through, expiry, id];
    const [last] = (await session.query<Notified>({ ...INSERT_EVENTS, values })).rows;
    if (last !== undefined && last.superseded.length > 0)
      await session.query({ ...ANNOUNCE, values: [last.superseded] });
    const isPartial = isIncomplete || (last !== undefined && last.locked < last.due);
    if (last?.due === MAX_NOTICES) return { version, expiry: last.expiry, id: last.id, isIncomplete: isPartial };
    if (!isPartial) await session.query({ ...END_SCAN, values: [webhook, through] });
    return undefined;
  });
}
