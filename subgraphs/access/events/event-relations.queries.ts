import type { Database } from '../../server/database/database';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import { type DeliveredEventType, type DeliveryState, WEBHOOK_EVENT_TYPES } from '../webhooks/webhook';

/** Delivery of an event to one subscription. */
export interface EventDelivery {
  readonly webhookId: string;
  readonly status: DeliveryState;
  readonly attempts: number;
}

/** Types of the events that are sent to subscriptions. */
const DELIVERED_TYPES = [...WEBHOOK_EVENT_TYPES, 'webhook.test'] satisfies DeliveredEventType[];

/**
 * Joins through the subscriptions of the Data User, because the index of deliveries is on endpoint and event. A subscription that was deleted
 * before the event has no delivery; the transaction of a deletion ends within a minute.
 */
const DELIVERIES = {
  name: 'deliveries_of_events',
  text: `select event.id as "eventId", webhook.id as "webhookId", delivery.state as status, jsonb_array_length(attempts) as attempts
    from event
      join webhook on webhook.duid = event.duid and coalesce(deleted_at, 'infinity') > event.recorded_at - interval '1 minute'
        and (event.webhook_id is null or webhook.id = event.webhook_id)
      join delivery on delivery.endpoint_id = webhook.id and delivery.event_id = event.id
    where event.id = any($1::text[]) and event.type in (${DELIVERED_TYPES.map((type) => `'${type}'`).join(', ')})
    order by webhook.created_at, webhook.id`,
};

const EFFECTIVE_DATE = {
  name: 'effective_date_of_change',
  text: 'select id, effective_date::text from tenancy_change where id = any($1::uuid[])',
};

/** Data related to events; one statement reads it for all events of a request. */
export interface EventRelations {
  /** Its deliveries, in the order in which their subscriptions were registered. */
  deliveries(eventId: string): Promise<readonly EventDelivery[]>;
  /** Effective date of a change of tenancy, `YYYY-MM-DD`. */
  effectiveDate(changeId: string): Promise<string | null>;
}

/** Reads deliveries and effective dates of events. Deliveries are not short reads: an event may have many. */
export function eventRelations(database: Pick<Database, 'pool' | 'reads'>): EventRelations {
  type DeliveryRow = EventDelivery & { readonly eventId: string };
  type DateRow = { readonly id: string; readonly effective_date: string };
  const keyOf = ({ eventId }: DeliveryRow) => [eventId] as const;
  const effectiveDate = database.reads.byKey<string, DateRow>(EFFECTIVE_DATE, ({ id }) => id, String);
  return {
    deliveries: rowsByKey(longReads(database), DELIVERIES, keyOf),
    effectiveDate: async (changeId) => (await effectiveDate(changeId))?.effective_date ?? null,
  };
}
