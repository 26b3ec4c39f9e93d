import type { Database } from '../../server/database';
import type { DeliveredEventType } from '../domain/webhook';
import type { WebhookSeals } from './webhook-seal';

/** A delivery that was given up. */
export interface GivenUpEvent {
  readonly eventId: string;
  readonly eventType: DeliveredEventType;
  readonly occurredAt: Date;
}

/** What a mail about given up deliveries is made of. */
export interface Alert {
  readonly wid: string;
  readonly alertEmail: string;
  readonly events: readonly GivenUpEvent[];
}

/** A mail may be sent now, not before some seconds, or there is nothing to tell. */
export type AlertTurn =
  { readonly kind: 'now' } | { readonly kind: 'later'; readonly seconds: number } | { readonly kind: 'nothing' };

const UNTOLD = `select from delivery where endpoint_id = $1 and state = 'undelivered' and alerted_at is null`;

/** Takes the hour, whatever the register's clock did since: an instant in its future is none in which a mail was sent. */
const TAKE_TURN = `
  insert into webhook_alert as last (webhook_id, mailed_at)
  select id, register_now() from webhook where id = $1 and deleted_at is null and exists (${UNTOLD})
  on conflict (webhook_id) do update set mailed_at = register_now()
    where last.mailed_at <= register_now() - interval '1 hour' or last.mailed_at > register_now()
  returning webhook_id`;

const WAITING = `
  select extract(epoch from mailed_at + interval '1 hour' - register_now())::float8 as seconds
  from webhook_alert join webhook on webhook.id = webhook_id and deleted_at is null where webhook_id = $1 and exists (${UNTOLD})`;

/** The turn is open again: the mail was surely not taken. */
const GIVE_BACK = `update webhook_alert set mailed_at = register_now() - interval '1 hour' where webhook_id = $1`;

const SUBSCRIPTION = 'select wid, alert_email_sealed as sealed from webhook where id = $1 and deleted_at is null';

const EVENTS = `
  select event_id as "eventId", event.type as "eventType", occurred_at as "occurredAt"
  from delivery join event on event.id = event_id
  where endpoint_id = $1 and state = 'undelivered' and alerted_at is null order by occurred_at, event_id`;

const TOLD = `
  update delivery set alerted_at = register_now() where endpoint_id = $1 and event_id = any($2::text[]) and state = 'undelivered'`;

/** Mails to those who look after a subscription: at most one in an hour (2-decisions-a-b.md, section 6). */
export class WebhookAlertRepository {
  constructor(
    private readonly database: Database,
    private readonly seals: WebhookSeals,
  ) {}

  /** Whether it is the turn of a mail, which is taken if so. */
  async takeTurn(webhookId: string): Promise<AlertTurn> {
    const { pool } = this.database;
    if ((await pool.query(TAKE_TURN, [webhookId])).rowCount === 1) return { kind: 'now' };
    const [waiting] = (await pool.query<{ seconds: number }>(WAITING, [webhookId])).rows;
    return waiting ? { kind: 'later', seconds: waiting.seconds } : { kind: 'nothing' };
  }

  /** The mail was surely not taken: another one may be sent at once. */
  async giveBack(webhookId: string): Promise<void> {
    await this.database.pool.query(GIVE_BACK, [webhookId]);
  }

  /** What a mail has to tell; undefined when the subscription is gone. */
  async alert(webhookId: string): Promise<Alert | undefined> {
    const { pool } = this.database;
    const [row] = (await pool.query<{ wid: string; sealed: Buffer }>(SUBSCRIPTION, [webhookId])).rows;
    if (row === undefined) return undefined;
    const events = (await pool.query<GivenUpEvent>(EVENTS, [webhookId])).rows;
    return { wid: row.wid, alertEmail: this.seals.openAlertEmail(webhookId, row.sealed), events };
  }

  /** Notes which events a mail has told of. */
  async told(webhookId: string, events: readonly GivenUpEvent[]): Promise<void> {
    await this.database.pool.query(TOLD, [webhookId, events.map(({ eventId }) => eventId)]);
  }
}
