import type { Database } from '../../server/database/database';
import { onlyRow } from '../../server/database/transaction';
import { type Connection, type PageRequest, requirePageSize } from '../../server/lists/connection';
import { newestFirst } from '../../server/lists/paged-list';
import { sharedRead } from '../../server/shared-read';
import type { DeliveryAttempt, WebhookDelivery } from './webhook-delivery.repository';

/** Figures of the deliveries of a subscription. */
export interface SubscriptionHealth {
  readonly webhookId: string;
  readonly wid: string;
  readonly duid: string;
  /** False while the Data User is suspended: the deliveries wait. */
  readonly active: boolean;
  readonly pending: number;
  readonly failedAttemptsLastHour: number;
  /** Pending deliveries whose body could not be assembled. */
  readonly faulty: number;
  readonly undelivered: number;
  /** Time of the last success; if it is older than a day, among the {@link MAX_EARLIER_DELIVERIES} deliveries that were planned last. */
  readonly lastDeliveredAt: Date | null;
}

/** Figures of the deliveries of all subscriptions. */
export interface DeliveryHealth {
  readonly pending: number;
  /** Without the deliveries that wait because their Data User is suspended. */
  readonly oldestPendingSeconds: number | null;
  readonly deliveredLastHour: number;
  readonly failedAttemptsLastHour: number;
  /** Pending deliveries whose body could not be assembled. */
  readonly faulty: number;
  readonly undeliveredLastDay: number;
  readonly subscriptions: SubscriptionHealth[];
}

/** A failed delivery of any Data User. */
export interface FailedDelivery extends Pick<WebhookDelivery, 'eventId' | 'eventType' | 'status' | 'nextAttemptAt'> {
  readonly wid: string;
  readonly duid: string;
  /** The last failed attempt; null if the body could not be assembled, so that nothing was sent. */
  readonly lastFailure: DeliveryAttempt | null;
}

interface FailedRow extends Omit<FailedDelivery, 'lastFailure'> {
  /** JSON: the instant is text. */
  readonly lastFailure: (Omit<DeliveryAttempt, 'at'> & { readonly at: string }) | null;
}

/** Entries of a page of failed deliveries. */
const MAX_PAGE_SIZE = 500;
/** Subscriptions that the result lists, those with problems first. */
export const MAX_SUBSCRIPTIONS = 500;
/** Deliveries, those planned last, among which the last success of a subscription is found if it had none in the last day. */
const MAX_EARLIER_DELIVERIES = 20;

const LAST_HOUR = `register_now() - interval '1 hour'`;
const LAST_DAY = `register_now() - interval '1 day'`;

/** Reads two sets only: a delivery with a failed attempt in the last hour is still pending, or ended in that hour. */
const FAILED_LAST_HOUR = `
  select endpoint_id from (
    select endpoint_id, attempts from delivery where state = 'pending' and attempt > 0
    union all
    select endpoint_id, attempts from delivery where ended_at > ${LAST_HOUR} and state <> 'pending') tried
  cross join lateral jsonb_to_recordset(attempts) as made(at timestamptz, error text)
  where made.error is not null and made.at > ${LAST_HOUR}`;

/** Deliveries to suspended Data Users, and to terminated ones: how long they wait is no delay of the register. */
const WAITS_FOR_DATA_USER = `exists (select from webhook join account using (duid) where webhook.id = endpoint_id and status <> 'active')`;

const ALL = `
  select (select count(*) from delivery where state = 'pending')::int as pending,
    (select extract(epoch from register_now() - min(created_at)) from delivery
      where state = 'pending' and not ${WAITS_FOR_DATA_USER})::int as "oldestPendingSeconds",
    (select count(*) from delivery where state = 'delivered' and ended_at > ${LAST_HOUR})::int as "deliveredLastHour",
    (select count(*) from (${FAILED_LAST_HOUR}) failed)::int as "failedAttemptsLastHour",
    (select count(*) from delivery where state = 'pending' and faults > 0)::int as faulty,
    (select count(*) from delivery where state = 'undelivered' and ended_at > ${LAST_DAY})::int as "undeliveredLastDay"`;

/** Reads each figure by an index instead of scanning the log of 90 days. Omits terminated Data Users, who receive nothing. */
const BY_SUBSCRIPTION = `
  with pending as (select endpoint_id, count(*) from delivery where state = 'pending' group by 1),
    failed as (select endpoint_id, count(*) from (${FAILED_LAST_HOUR}) failed group by 1),
    faulty as (select endpoint_id, count(*) from delivery where state = 'pending' and faults > 0 group by 1),
    ended as (
      select endpoint_id, count(*) filter (where state = 'undelivered') as undelivered,
        max(ended_at) filter (where state = 'delivered') as last_delivered_at
      from delivery where ended_at > ${LAST_DAY} and state <> 'pending' group by 1)
  select webhook.id as "webhookId", wid, duid, status = 'active' as active, coalesce(pending.count, 0)::int as pending,
    coalesce(failed.count, 0)::int as "failedAttemptsLastHour", coalesce(faulty.count, 0)::int as faulty,
    coalesce(ended.undelivered, 0)::int as undelivered,
    coalesce(last_delivered_at, (
      select max(ended_at) from (
        select ended_at from delivery where endpoint_id = webhook.id and state = 'delivered'
        order by created_at desc, event_id desc limit ${MAX_EARLIER_DELIVERIES}) earlier)) as "lastDeliveredAt"
  from webhook join account using (duid)
    left join pending on pending.endpoint_id = webhook.id
    left join failed on failed.endpoint_id = webhook.id
    left join faulty on faulty.endpoint_id = webhook.id
    left join ended on ended.endpoint_id = webhook.id
  where deleted_at is null and status <> 'terminated'
  order by undelivered desc, faulty desc, "failedAttemptsLastHour" desc, pending desc, webhook.id limit ${MAX_SUBSCRIPTIONS}`;

/**
 * The deliveries behind the figures: pending ones that failed, those that became undelivered in the last day, and those that ended in the last
 * hour after a failed attempt in it. Reads the same small sets as the figures, by the same indexes.
 */
const FAILED = {
  name: 'failed_deliveries',
  columns: `webhook.wid, webhook.duid, delivery.event_id as "eventId", event.type as "eventType", delivery.state as status,
    case when delivery.state = 'pending' then next_attempt_at end as "nextAttemptAt",
    jsonb_path_query_array(attempts, '$[*] ? (@.error != null)') -> -1 as "lastFailure"`,
  from: `(
      select * from delivery where state = 'pending' and attempt > 0
      union all
      select * from delivery where state = 'pending' and faults > 0 and attempt = 0
      union all
      select * from delivery where ended_at > ${LAST_DAY} and state = 'undelivered'
      union all
      select * from delivery where ended_at > ${LAST_HOUR} and state in ('delivered', 'superseded') and exists (
        select from jsonb_to_recordset(attempts) as made(at timestamptz, error text)
        where made.error is not null and made.at > ${LAST_HOUR})) delivery
    join webhook on webhook.id = endpoint_id join event on event.id = event_id`,
  where: 'true',
  instant: 'delivery.created_at',
  id: `delivery.event_id || '.' || webhook.wid`,
  textId: /^evt_[0-9a-f]{24}\.wid_[0-9a-f]{24}$/,
};

/** Reads the figures of deliveries for the back office, and failed deliveries, without confidential data. */
export class DeliveryHealthRepository {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns the current figures. All live pages of a process share the statements, which count every pending delivery. */
  readonly now = sharedRead(() => this.read());

  private async read(): Promise<DeliveryHealth> {
    const { pool } = this.database;
    const [all, bySubscription] = await Promise.all([
      pool.query<Omit<DeliveryHealth, 'subscriptions'>>(ALL),
      pool.query<SubscriptionHealth>(BY_SUBSCRIPTION),
    ]);
    return { ...onlyRow(all), subscriptions: bySubscription.rows };
  }

  /** Returns a page of failed deliveries, newest first. */
  failed(page: PageRequest): Promise<Connection<FailedDelivery>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    return newestFirst(this.database.pool, FAILED, [], page, ({ lastFailure, ...row }: FailedRow) => ({
      ...row,
      lastFailure: lastFailure && { ...lastFailure, at: new Date(lastFailure.at) },
    }));
  }
}
