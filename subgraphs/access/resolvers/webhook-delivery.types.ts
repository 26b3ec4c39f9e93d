import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DateTime, EventId } from '../../../schema/scalars';
import type { PageRequest } from '../../server/connection';
import type { DeliveryAttempt, WebhookDelivery } from '../database/webhook-delivery.repository';
import type { DeliveredEventType, DeliveryState } from '../domain/webhook';
import { PageInfoType } from '../../server/page-info.types';
import { DeliveredEventTypeEnum, DeliveryStateEnum } from './webhook.enums';

@ObjectType('DeliveryAttempt', { description: 'One POST to the callback URL.', simpleResolvers: true })
class DeliveryAttemptType implements DeliveryAttempt {
  @Field(() => DateTime, { description: 'When.' }) at: Date;
  @Field(() => Int, { nullable: true, description: 'Status of the answer; null without one.' }) status: number | null;
  @Field(() => Int, { description: 'How long it took, in milliseconds.' }) durationMs: number;
  @Field(() => String, { nullable: true, description: 'Why it failed, in one word; null when it did not.' }) error:
    string | null;
}

@ObjectType('WebhookDelivery', { description: 'An event on its way to one subscription.', simpleResolvers: true })
export class WebhookDeliveryType implements WebhookDelivery {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => DeliveredEventTypeEnum, { description: 'Its type.' }) eventType: DeliveredEventType;
  @Field(() => DeliveryStateEnum, { description: 'What became of it.' }) status: DeliveryState;
  @Field(() => Int, { description: 'Its number in the order of the events of one subject.' }) sequence: number;
  @Field(() => [DeliveryAttemptType], { description: 'Every attempt, oldest first.' })
  attempts: readonly DeliveryAttemptType[];
  @Field(() => DateTime, { nullable: true, description: 'When it is tried next; null when it is not.' })
  nextAttemptAt: Date | null;
}

@ObjectType('WebhookDeliveryEdge', { description: 'A delivery in a list.', simpleResolvers: true })
class WebhookDeliveryEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => WebhookDeliveryType, { description: 'The entry.' }) node: WebhookDeliveryType;
}

@ObjectType('WebhookDeliveryConnection', {
  description: 'A page of the deliveries of a subscription, newest first.',
  simpleResolvers: true,
})
export class WebhookDeliveryConnectionType {
  @Field(() => [WebhookDeliveryEdgeType], { description: 'Entries with their cursors.' })
  edges: readonly WebhookDeliveryEdgeType[];
  @Field(() => [WebhookDeliveryType], { description: 'Entries.' }) nodes: readonly WebhookDeliveryType[];
  @Field(() => String, { nullable: true, description: 'Cursor of the next page; null on the last one.' }) nextCursor:
    string | null;
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}

/** Which page of the deliveries of a subscription, and which of them. */
@ArgsType()
export class WebhookDeliveryArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
  @Field(() => DeliveryStateEnum, { nullable: true, defaultValue: null, description: 'Only deliveries in this state.' })
  state: DeliveryState | null;
}
