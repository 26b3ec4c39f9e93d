import { RegisterError } from '../../../schema/register-error';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  instantText,
  isInstant,
  refuseCursor,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import { type IdempotentRequest, once } from '../../server/idempotency';
import type { Session } from '../../server/transaction';
import type { DeliveredEventType, DeliveryState, Webhook } from '../domain/webhook';

/** One POST to a callback URL. */
export interface DeliveryAttempt {
  readonly at: Date;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** An event on its way to one subscription. */
export interface WebhookDelivery {
  readonly eventId: string;
  readonly eventType: DeliveredEventType;
  readonly status: DeliveryState;
  readonly sequence: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: Date | null;
}

/** An event that will be delivered: by this request, or by an earlier one with the same idempotency key. */
export interface PlannedEvent {
  readonly eventId: string;
  readonly replayed: boolean;
}

interface DeliveryRow extends Omit<WebhookDelivery, 'attempts'> {
  readonly instant: string;
}

interface AttemptRow extends DeliveryAttempt {
  readonly eventId: string;
}

/** Entries of a page of the deliveries at most. */
const LARGEST_PAGE = 500;

const PAGE = {
  name: 'webhook_deliveries',
  text: `select delivery.event_id as "eventId", event.type as "eventType", delivery.state as status, sequence,
      case when delivery.state = 'pending' then next_attempt_at end as "nextAttemptAt",
      ${instantText('delivery.created_at')} as instant
    from delivery join event on event.id = delivery.event_id
    where endpoint_id = $1 and ($2::text is null or delivery.state = $2)
      and (delivery.created_at, delivery.event_id) < ($3::timestamptz, $4::text)
    order by delivery.created_at desc, delivery.event_id desc limit $5`,
};

const ATTEMPTS = {
  name: 'webhook_delivery_attempts',
  text: `select event_id as "eventId", at, status, duration_ms as "durationMs", error from delivery_attempt
    where endpoint_id = $1 and event_id = any($2::text[]) order by event_id, number`,
};

const REDELIVER = { name: 'redeliver_event', text: 'select redeliver($1, $2) as planned' };

const TEST = {
  name: 'test_webhook',
  text: `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id as "eventId"`,
};

/** Comes before every entry of a list that is ordered newest first. */
const BEFORE_THE_FIRST = ['infinity', ''] as const;
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) (evt_[0-9a-f]{24})$/;

/** The deliveries of subscriptions: their log, and what their Data Users ask of them. */
export class WebhookDeliveryRepository {
  constructor(private readonly database: Database) {}

  /** A page of the deliveries of a subscription, newest first, each with its attempts. */
  async page(
    webhookId: string,
    page: PageRequest & { readonly state: DeliveryState | null },
  ): Promise<Connection<WebhookDelivery>> {
    requirePageSize(page.first, LARGEST_PAGE);
    const values = [webhookId, page.state, ...positionOf(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<DeliveryRow>({ ...PAGE, values });
    const attempts = await this.attempts(webhookId, rows);
    const nodeOf = (row: DeliveryRow) => ({ ...row, attempts: attempts.get(row.eventId) ?? [] });
    const cursor = ({ instant, eventId }: DeliveryRow) => Buffer.from(`${instant} ${eventId}`).toString('base64url');
    return connectionOf(rows, page, cursor, nodeOf);
  }

  /** What the same request was answered before, if it was made before: also when its subscription is gone. */
  async recallKept(idempotent: IdempotentRequest): Promise<PlannedEvent | undefined> {
    const kept = await idempotent.recallKept<string>(this.database.reads);
    return kept === undefined ? undefined : { eventId: kept, replayed: true };
  }

  /** Delivers an event once more; NTF001 when it was never to be delivered to the subscription. */
  redeliver(webhookId: string, eventId: string, idempotent: IdempotentRequest): Promise<PlannedEvent> {
    return this.once(idempotent, async (session) => {
      const { rows } = await session.query<{ planned: boolean }>({ ...REDELIVER, values: [webhookId, eventId] });
      if (rows[0]?.planned !== true) throw new RegisterError('NTF001');
      return eventId;
    });
  }

  /** Makes a test event for a subscription. */
  test({ id, duid }: Pick<Webhook, 'id' | 'duid'>, idempotent: IdempotentRequest): Promise<PlannedEvent> {
    return this.once(idempotent, async (session) => {
      const { rows } = await session.query<{ eventId: string }>({ ...TEST, values: [duid, id] });
      return (rows[0] as { eventId: string }).eventId;
    });
  }

  private async once(request: IdempotentRequest, plan: (session: Session) => Promise<string>): Promise<PlannedEvent> {
    const { answer, replayed } = await once(this.database.pool, request, plan);
    return { eventId: answer, replayed };
  }

  private async attempts(webhookId: string, rows: readonly DeliveryRow[]): Promise<Map<string, DeliveryAttempt[]>> {
    const values = [webhookId, rows.map(({ eventId }) => eventId)];
    const found = (await this.database.pool.query<AttemptRow>({ ...ATTEMPTS, values })).rows;
    const byEvent = new Map<string, DeliveryAttempt[]>(rows.map(({ eventId }) => [eventId, []]));
    for (const { eventId, ...attempt } of found) byEvent.get(eventId)?.push(attempt);
    return byEvent;
  }
}

/** The position after which a page begins; VAL001 at `after` when the cursor is none of ours. */
function positionOf(cursor: string | null): readonly [string, string] {
  if (cursor === null) return BEFORE_THE_FIRST;
  const [, instant, eventId] = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (instant === undefined || eventId === undefined || !isInstant(instant)) return refuseCursor();
  return [instant, eventId];
}
