import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { EventLog, LoggedEvent } from '../database/event-log';
import type { WebhookDelivery } from '../database/webhook-delivery.repository';
import { RegisterEventObject } from './register-event.types';
import { WebhookDeliveryType } from './webhook-delivery.types';

/** From a delivery to the event that it delivers: seen by its Data User, whose event it is. */
@Resolver(() => WebhookDeliveryType)
export class WebhookDeliveryResolver {
  constructor(private readonly events: EventLog) {}

  @FieldResolver(() => RegisterEventObject, { nullable: true, description: 'The event, as the log holds it.' })
  event(@Root() { eventId }: WebhookDelivery): Promise<LoggedEvent | null> {
    return this.events.byId(eventId);
  }
}
