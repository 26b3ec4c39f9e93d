import { ArgsType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { DateTime, EventId } from '../../../schema/scalars';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import type { PageRequest } from '../../server/lists/connection';
import { PageInfoType } from '../../server/lists/page-info.types';
import type { EventLog, LoggedEvent } from '../events/event-log.queries';
import { RegisterEventObject } from '../events/register-event.types';
import type { DeliveredEventType, DeliveryState } from './webhook';
import type { DeliveryAttempt, WebhookDelivery } from './webhook-delivery.repository';
import { DeliveredEventTypeEnum, DeliveryStateEnum } from './webhook.types';

@ObjectType('DeliveryAttempt', simple('One POST to the callback URL.'))
export class DeliveryAttemptType implements DeliveryAttempt {
  @Field(() => DateTime, { description: 'When the request was sent.' }) at: Date;
  @Field(() => Int, nullable('Status of the response; null without one.')) status: number | null;
  @Field(() => Int, { description: 'Duration in milliseconds.' }) durationMs: number;
  @Field(() => String, nullable('Reason of the failure, in one word; null if the attempt succeeded.'))
  error: string | null;
}

@ObjectType('WebhookDelivery', simple('The delivery of an event to one subscription.'))
class WebhookDeliveryType implements WebhookDelivery {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => DeliveredEventTypeEnum, { description: 'Its type.' }) eventType: DeliveredEventType;
  @Field(() => DeliveryStateEnum, { description: 'State of the delivery.' }) status: DeliveryState;
  @Field(() => Int, { description: 'Position in the order of the events of one subject.' }) sequence: number;
  @Field(() => [DeliveryAttemptType], { description: 'Every attempt, oldest first.' })
  attempts: readonly DeliveryAttemptType[];
  @Field(() => DateTime, nullable('When the next attempt is due; null without one.')) nextAttemptAt: Date | null;
}

@ObjectType('WebhookDeliveryEdge', simple('A delivery in a list.'))
class WebhookDeliveryEdgeType {
  @Field(() => String, { description: 'Position of the entry in the list.' }) cursor: string;
  @Field(() => WebhookDeliveryType, { description: 'The entry.' }) node: WebhookDeliveryType;
}

@ObjectType('WebhookDeliveryConnection', simple('A page of the deliveries of a subscription, newest first.'))
export class WebhookDeliveryConnectionType {
  @Field(() => [WebhookDeliveryEdgeType], { description: 'Entries with their cursors.' })
  edges: readonly WebhookDeliveryEdgeType[];
  @Field(() => [WebhookDeliveryType], { description: 'Entries.' }) nodes: readonly WebhookDeliveryType[];
  @Field(() => String, nullable('Cursor of the next page; null on the last one.')) nextCursor: string | null;
  @Field(() => PageInfoType, { description: 'End of the page.' }) pageInfo: PageInfoType;
}

/** Arguments that select a page of the deliveries of a subscription. */
@ArgsType()
export class WebhookDeliveryArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
  @Field(() => DeliveryStateEnum, optional('Only deliveries in this state.')) state: DeliveryState | null;
}

/** Resolves the event of a delivery for the Data User that owns both. */
@Resolver(() => WebhookDeliveryType)
export class WebhookDeliveryResolver {
  constructor(private readonly events: EventLog) {}

  @FieldResolver(() => RegisterEventObject, nullable('The event in the event log.'))
  event(@Root() { eventId }: WebhookDelivery): Promise<LoggedEvent | null> {
    return this.events.byId(eventId);
  }
}
