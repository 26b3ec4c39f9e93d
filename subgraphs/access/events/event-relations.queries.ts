import type { Database } from '../../server/database/database';
import type { DeliveryState } from '../webhooks/webhook';

/** Delivery of an event to one subscription. */
export interface EventDelivery {
  readonly webhookId: string;
  readonly status: DeliveryState;
  readonly attempts: number;
}

/** Joined through the subscriptions of the Data User, because deliveries are indexed by endpoint and event. */
const DELIVERIES = {
  name: 'deliveries_of_event',
  text: `select event.id, coalesce(json_agg(json_build_object('webhookId', webhook.id, 'status', delivery.state, 'attempts',
        jsonb_array_length(delivery.attempts)) order by webhook.created_at, webhook.id), '[]') as deliveries
    from event join webhook on webhook.duid = event.duid
      join delivery on delivery.endpoint_id = webhook.id and delivery.event_id = event.id
    where event.id = any($1) group by event.id`,
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

/** Reads deliveries and effective dates of events. */
export function eventRelations({ reads }: Database): EventRelations {
  type DeliveriesRow = { readonly id: string; readonly deliveries: readonly EventDelivery[] };
  type DateRow = { readonly id: string; readonly effective_date: string };
  const deliveries = reads.byKey<string, DeliveriesRow>(DELIVERIES, ({ id }) => id, String);
  const effectiveDate = reads.byKey<string, DateRow>(EFFECTIVE_DATE, ({ id }) => id, String);
  return {
    deliveries: async (eventId) => (await deliveries(eventId))?.deliveries ?? [],
    effectiveDate: async (changeId) => (await effectiveDate(changeId))?.effective_date ?? null,
  };
}
