import { RegisterError } from '../../../schema/register-error';
import { type Connection, type PageRequest, requirePageSize } from '../../server/lists/connection';
import { newestFirst } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, once } from '../../server/idempotency';
import { onlyRow } from '../../server/database/transaction';
import type { DeliveredEventType, DeliveryState, Webhook } from './webhook';

/** One POST to a callback URL. */
export interface DeliveryAttempt {
  readonly at: Date;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** The delivery of an event to one subscription. */
export interface WebhookDelivery {
  readonly eventId: string;
  readonly eventType: DeliveredEventType;
  readonly status: DeliveryState;
  readonly sequence: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: Date | null;
}

interface DeliveryRow extends Omit<WebhookDelivery, 'attempts'> {
  /** JSON: the instants are text. */
  readonly attempts: readonly (Omit<DeliveryAttempt, 'at'> & { readonly at: string })[];
}

const MAX_PAGE_SIZE = 500;

const OF_WEBHOOK = {
  name: 'webhook_deliveries',
  columns: `delivery.event_id as "eventId", event.type as "eventType", delivery.state as status, sequence, attempts,
    case when delivery.state = 'pending' then next_attempt_at end as "nextAttemptAt"`,
  from: 'delivery join event on event.id = delivery.event_id',
  where: 'endpoint_id = $1',
  instant: 'delivery.created_at',
  id: 'delivery.event_id',
  textId: /^evt_[0-9a-f]{24}$/,
};

const inState = (state: DeliveryState, condition: string) => ({
  ...OF_WEBHOOK,
  name: `webhook_deliveries_${state}`,
  where: `endpoint_id = $1 and ${condition}`,
});

/** The states that few deliveries have are conditions of the index `delivery_in_state`. */
const IN_STATE = {
  pending: inState('pending', `delivery.state = 'pending'`),
  delivered: inState('delivered', `delivery.state = 'delivered'`),
  undelivered: inState('undelivered', `upper(delivery.state) = 'UNDELIVERED'`),
  superseded: inState('superseded', `upper(delivery.state) = 'SUPERSEDED'`),
} satisfies Readonly<Record<DeliveryState, object>>;

const REDELIVER = { name: 'redeliver_event', text: 'select redeliver($1, $2) as planned' };

const TEST = {
  name: 'test_webhook',
  text: `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id as "eventId"`,
};

/** The log of the deliveries of subscriptions, redeliveries and test events. */
export class WebhookDeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page of the deliveries of a subscription, newest first, with their attempts. */
  page(
    webhookId: string,
    page: PageRequest & { readonly state: DeliveryState | null },
  ): Promise<Connection<WebhookDelivery>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const nodeOf = (row: DeliveryRow) => ({
      ...row,
      attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
    });
    const statement = page.state === null ? OF_WEBHOOK : IN_STATE[page.state];
    return newestFirst(this.database.pool, statement, [webhookId], page, nodeOf);
  }

  /**
   * Schedules another delivery of an event and returns its id; undefined if the idempotency key was used before. Throws NTF001 if the
   * subscription has no delivery of it.
   */
  redeliver(webhookId: string, eventId: string, idempotent: IdempotentRequest): Promise<string | undefined> {
    return once(this.database.pool, idempotent, async (session) => {
      const { rows } = await session.query<{ planned: boolean }>({ ...REDELIVER, values: [webhookId, eventId] });
      if (rows[0]?.planned !== true) throw new RegisterError('NTF001');
      return eventId;
    });
  }

  /** Inserts a test event for a subscription and returns its id; undefined if the idempotency key was used before. */
  test({ id, duid }: Pick<Webhook, 'id' | 'duid'>, idempotent: IdempotentRequest): Promise<string | undefined> {
    return once(this.database.pool, idempotent, async (session) => {
      return onlyRow(await session.query<{ eventId: string }>({ ...TEST, values: [duid, id] })).eventId;
    });
  }
}
