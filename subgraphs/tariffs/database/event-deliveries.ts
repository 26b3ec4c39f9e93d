import type { Database } from '../../server/database';
import { rowsByKey } from '../../server/rows-by-key';

/** What becomes of a delivery. */
export const TARIFF_DELIVERY_STATES = ['pending', 'delivered', 'undelivered', 'superseded'] as const;
/** A value of {@link TARIFF_DELIVERY_STATES}. */
export type TariffDeliveryState = (typeof TARIFF_DELIVERY_STATES)[number];

/** How far an event came at one webhook. */
export interface TariffEventDelivery {
  readonly webhookId: string;
  readonly userId: string;
  readonly state: TariffDeliveryState;
  readonly attempts: number;
}

/** By way of the webhooks at its supplier: deliveries are found by endpoint and event together. */
const DELIVERIES = {
  name: 'deliveries_of_tariff_events',
  text: `select event.id as "eventId", webhook.id as "webhookId", user_id as "userId", delivery.state, (
        select count(*) from delivery_attempt attempt where attempt.endpoint_id = webhook.id and attempt.event_id = event.id
      )::int as attempts
    from event join webhook using (mpid) join delivery on delivery.endpoint_id = webhook.id and delivery.event_id = event.id
    where event.id = any($1::text[]) order by webhook.created_at, webhook.id`,
};

/** The deliveries of events, in the order in which their webhooks were registered; for all events of an answer by one statement. */
export function eventDeliveries({
  reads,
}: Pick<Database, 'reads'>): (eventId: string) => Promise<readonly TariffEventDelivery[]> {
  type Row = TariffEventDelivery & { readonly eventId: string };
  return rowsByKey(reads, DELIVERIES, ({ eventId }: Row) => [eventId] as const);
}
