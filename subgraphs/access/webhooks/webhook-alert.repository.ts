import type { Database } from '../../server/database/database';
import type { DeliveredEventType } from './webhook';
import type { WebhookCipher } from './webhook-secrets.repository';

/** The event of an undelivered delivery. */
interface UndeliveredEvent {
  readonly eventId: string;
  readonly eventType: DeliveredEventType;
  readonly occurredAt: Date;
}

/** The content of a mail about undelivered events. */
export interface Alert {
  readonly wid: string;
  readonly alertEmail: string;
  /** Whether the Data User is suspended: it can call nothing until it is active again. */
  readonly isSuspended: boolean;
  /** Ids of all events, the earliest undelivered first. */
  readonly eventIds: readonly string[];
  /** The first {@link MAX_LISTED} events, in the order of their occurrence. */
  readonly listed: readonly UndeliveredEvent[];
}

/** Maximum events that a mail lists; the log of deliveries contains all. */
const MAX_LISTED = 200;
/** Deliveries that one statement marks: a mail may report several hundred thousand. */
const MAX_MARKED = 1_000;

/** `now`: the hour is reserved for a mail; `later`: another mail was sent less than an hour ago; `nothing`: no mail is due. */
type HourReservation =
  { readonly kind: 'now' } | { readonly kind: 'later'; readonly seconds: number } | { readonly kind: 'nothing' };

/** SQL: the subscriptions that can receive a mail: neither deleted, nor those of a terminated Data User. */
const LIVE = `from webhook join account using (duid) where deleted_at is null and terminated_at is null`;

/** SQL: of these, the ones with an undelivered delivery that no mail has listed. */
const UNREPORTED = `${LIVE}
  and exists (select from delivery where endpoint_id = webhook.id and state = 'undelivered' and alerted_at is null)`;

/** Selects the subscriptions that a mail is due to. */
export const SUBSCRIPTIONS_TO_ALERT = `select webhook.id ${UNREPORTED}`;

/**
 * Ignores a `mailed_at` in the future, which a moved clock has left behind. The clock of the call, because a concurrent reservation that the
 * statement waited for may be later than its arrival.
 */
const RESERVE_HOUR = `
  insert into webhook_alert as last (webhook_id, mailed_at)
  select webhook.id, register_now() ${UNREPORTED} and webhook.id = $1
  on conflict (webhook_id) do update set mailed_at = register_now()
    where last.mailed_at <= register_now() - interval '1 hour' or last.mailed_at > access.clock_of_call()
  returning webhook_id`;

const WAITING = `
  select extract(epoch from mailed_at + interval '1 hour' - register_now())::float8 as seconds
  from webhook_alert where webhook_id = $1 and exists (select ${UNREPORTED} and webhook.id = $1)`;

const RELEASE_HOUR = `update webhook_alert set mailed_at = register_now() - interval '1 hour' where webhook_id = $1`;

const RECIPIENT = `select wid, alert_email_sealed as encrypted, status = 'suspended' as "isSuspended" ${LIVE} and webhook.id = $1`;

const EVENT_IDS = `
  select event_id as id from delivery
  where endpoint_id = $1 and state = 'undelivered' and alerted_at is null order by ended_at, event_id`;

const LISTED = `
  select id as "eventId", type as "eventType", occurred_at as "occurredAt"
  from event where id = any($1::text[]) order by occurred_at, id`;

const STORE_ALERTED = `
  update delivery set alerted_at = register_now() where endpoint_id = $1 and event_id = any($2::text[]) and state = 'undelivered'
    and alerted_at is null`;

interface RecipientRow extends Pick<Alert, 'wid' | 'isSuspended'> {
  readonly encrypted: Buffer;
}

/** Reserves the hours of alert mails: at most one per subscription and hour (decisions A/B, 6). */
export class WebhookAlertRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: WebhookCipher,
  ) {}

  /** Reserves the current hour if a mail is due and none was sent within an hour. */
  async reserveHour(webhookId: string): Promise<HourReservation> {
    const { pool } = this.database;
    if ((await pool.query(RESERVE_HOUR, [webhookId])).rowCount === 1) return { kind: 'now' };
    const [waiting] = (await pool.query<{ seconds: number }>(WAITING, [webhookId])).rows;
    return waiting ? { kind: 'later', seconds: waiting.seconds } : { kind: 'nothing' };
  }

  /** Releases the hour if no mail was sent. */
  async releaseHour(webhookId: string): Promise<void> {
    await this.database.pool.query(RELEASE_HOUR, [webhookId]);
  }

  /** Returns the content of the mail; undefined if the subscription is deleted or its Data User terminated. */
  async alert(webhookId: string): Promise<Alert | undefined> {
    const { pool } = this.database;
    const [row] = (await pool.query<RecipientRow>(RECIPIENT, [webhookId])).rows;
    if (row === undefined) return undefined;
    const { encrypted, ...recipient } = row;
    const eventIds = (await pool.query<{ id: string }>(EVENT_IDS, [webhookId])).rows.map(({ id }) => id);
    const listed = (await pool.query<UndeliveredEvent>(LISTED, [eventIds.slice(0, MAX_LISTED)])).rows;
    return { ...recipient, alertEmail: this.cipher.decryptAlertEmail(webhookId, encrypted), eventIds, listed };
  }

  /** Marks the deliveries of events as reported by a mail, in short statements; a repetition marks the rest. */
  async storeAlerted(webhookId: string, eventIds: readonly string[]): Promise<void> {
    for (let from = 0; from < eventIds.length; from += MAX_MARKED)
      await this.database.pool.query(STORE_ALERTED, [webhookId, eventIds.slice(from, from + MAX_MARKED)]);
  }
}
