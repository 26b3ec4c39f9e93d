import { RegisterError } from '../../../schema/register-error';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  instantText,
  isInstant,
  refuseCursor,
  requirePageSize,
} from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, once } from '../../server/idempotency';
import { type Session, onlyRow } from '../../server/database/transaction';
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

/** An event to deliver; `replayed` if an earlier request with the idempotency key planned it. */
export interface PlannedEvent {
  readonly eventId: string;
  readonly replayed: boolean;
}

interface DeliveryRow extends Omit<WebhookDelivery, 'attempts'> {
  readonly instant: string;
  /** JSON: the instants are text. */
  readonly attempts: readonly (Omit<DeliveryAttempt, 'at'> & { readonly at: string })[];
}

const MAX_PAGE_SIZE = 500;

const PAGE = {
  name: 'webhook_deliveries',
  text: `select delivery.event_id as "eventId", event.type as "eventType", delivery.state as status, sequence, attempts,
      case when delivery.state = 'pending' then next_attempt_at end as "nextAttemptAt",
      ${instantText('delivery.created_at')} as instant
    from delivery join event on event.id = delivery.event_id
    where endpoint_id = $1 and ($2::text is null or delivery.state = $2)
      and (delivery.created_at, delivery.event_id) < ($3::timestamptz, $4::text)
    order by delivery.created_at desc, delivery.event_id desc limit $5`,
};

const REDELIVER = { name: 'redeliver_event', text: 'select redeliver($1, $2) as planned' };

const TEST = {
  name: 'test_webhook',
  text: `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id as "eventId"`,
};

/** The position before all entries of a list that is ordered newest first. */
const START = ['infinity', ''] as const;
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) (evt_[0-9a-f]{24})$/;

/** The log of the deliveries of subscriptions, redeliveries and test events. */
export class WebhookDeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page of the deliveries of a subscription, newest first, with their attempts. */
  async page(
    webhookId: string,
    page: PageRequest & { readonly state: DeliveryState | null },
  ): Promise<Connection<WebhookDelivery>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const values = [webhookId, page.state, ...positionOf(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<DeliveryRow>({ ...PAGE, values });
    const nodeOf = (row: DeliveryRow) => ({
      ...row,
      attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
    });
    const cursor = ({ instant, eventId }: DeliveryRow) => Buffer.from(`${instant} ${eventId}`).toString('base64url');
    return connectionOf(rows, page, cursor, nodeOf);
  }

  /** Returns the stored response of an earlier request with the idempotency key, even if the subscription is deleted since. */
  async findStoredResponse(idempotent: IdempotentRequest): Promise<PlannedEvent | undefined> {
    const eventId = await idempotent.findStoredResponse<string>(this.database.reads);
    return eventId === undefined ? undefined : { eventId, replayed: true };
  }

  /** Schedules another delivery of an event. NTF001 if the subscription has no delivery of it. */
  redeliver(webhookId: string, eventId: string, idempotent: IdempotentRequest): Promise<PlannedEvent> {
    return this.once(idempotent, async (session) => {
      const { rows } = await session.query<{ planned: boolean }>({ ...REDELIVER, values: [webhookId, eventId] });
      if (rows[0]?.planned !== true) throw new RegisterError('NTF001');
      return eventId;
    });
  }

  /** Inserts a test event for a subscription. */
  test({ id, duid }: Pick<Webhook, 'id' | 'duid'>, idempotent: IdempotentRequest): Promise<PlannedEvent> {
    return this.once(idempotent, async (session) => {
      return onlyRow(await session.query<{ eventId: string }>({ ...TEST, values: [duid, id] })).eventId;
    });
  }

  private async once(request: IdempotentRequest, plan: (session: Session) => Promise<string>): Promise<PlannedEvent> {
    const { answer, replayed } = await once(this.database.pool, request, plan);
    return { eventId: answer, replayed };
  }
}

/** Returns the position after which a page starts. VAL001 at `after` unless the cursor is canonical. */
function positionOf(cursor: string | null): readonly [string, string] {
  if (cursor === null) return START;
  const [, instant, eventId] = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (instant === undefined || eventId === undefined || !isInstant(instant)) return refuseCursor();
  return [instant, eventId];
}
