import type { Database } from '../../server/database';

/** How the deliveries of a subscription fare. */
export interface SubscriptionHealth {
  readonly webhookId: string;
  readonly duid: string;
  /** False while the Data User is suspended: its deliveries wait. */
  readonly active: boolean;
  readonly pending: number;
  readonly failedAttemptsLastHour: number;
  readonly undelivered: number;
  readonly lastDeliveredAt: Date | null;
}

/** How the deliveries of all subscriptions fare. */
export interface DeliveryHealth {
  readonly pending: number;
  readonly oldestPendingSeconds: number | null;
  readonly deliveredLastHour: number;
  readonly failedAttemptsLastHour: number;
  readonly undeliveredLastDay: number;
  readonly subscriptions: SubscriptionHealth[];
}

/** Subscriptions that are told of at most. */
const MOST_SUBSCRIPTIONS = 500;

const LAST_HOUR = `register_now() - interval '1 hour'`;
const LAST_DAY = `register_now() - interval '1 day'`;

const ALL = `
  select (select count(*) from delivery where state = 'pending')::int as pending,
    (select extract(epoch from register_now() - min(created_at)) from delivery where state = 'pending')::int as "oldestPendingSeconds",
    (select count(*) from delivery where state = 'delivered' and ended_at > ${LAST_HOUR})::int as "deliveredLastHour",
    (select count(*) from delivery_attempt where error is not null and at > ${LAST_HOUR})::int as "failedAttemptsLastHour",
    (select count(*) from delivery where state = 'undelivered' and ended_at > ${LAST_DAY})::int as "undeliveredLastDay"`;

/** Each figure by an index: the log of 90 days is not read through. Nothing is delivered to a Data User that was terminated. */
const BY_SUBSCRIPTION = `
  with pending as (select endpoint_id, count(*) from delivery where state = 'pending' group by 1),
    failed as (select endpoint_id, count(*) from delivery_attempt where error is not null and at > ${LAST_HOUR} group by 1),
    undelivered as (select endpoint_id, count(*) from delivery where state = 'undelivered' and ended_at > ${LAST_DAY} group by 1)
  select webhook.id as "webhookId", duid, status = 'active' as active, coalesce(pending.count, 0)::int as pending,
    coalesce(failed.count, 0)::int as "failedAttemptsLastHour", coalesce(undelivered.count, 0)::int as undelivered,
    (select ended_at from delivery where endpoint_id = webhook.id and state = 'delivered'
      order by created_at desc, event_id desc limit 1) as "lastDeliveredAt"
  from webhook join account using (duid)
    left join pending on pending.endpoint_id = webhook.id
    left join failed on failed.endpoint_id = webhook.id
    left join undelivered on undelivered.endpoint_id = webhook.id
  where deleted_at is null and status <> 'terminated'
  order by pending desc, "failedAttemptsLastHour" desc, undelivered desc, webhook.id limit ${MOST_SUBSCRIPTIONS}`;

/** What the back office sees of deliveries: counts and times, by internal ids. */
export class DeliveryHealthRepository {
  constructor(private readonly database: Database) {}

  /** How deliveries fare at this instant. */
  async now(): Promise<DeliveryHealth> {
    const { pool } = this.database;
    const [all, bySubscription] = await Promise.all([
      pool.query<Omit<DeliveryHealth, 'subscriptions'>>(ALL),
      pool.query<SubscriptionHealth>(BY_SUBSCRIPTION),
    ]);
    const [counts] = all.rows as [Omit<DeliveryHealth, 'subscriptions'>];
    return { ...counts, subscriptions: bySubscription.rows };
  }
}
