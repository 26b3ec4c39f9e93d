import { Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { ReturnedOnce } from '../../server/graph/checked-mutations';
import { DateTime, EmailAddress, EventId, Uri, WebhookId } from '../../../schema/scalars';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { REPLAYED } from '../../server/graph/idempotency-key.types';
import { NOTIFY_DAYS, type Webhook, type WebhookEventType, type WebhookInput, type WebhookUpdate } from './webhook';

const EVENT_TYPES: Record<WebhookEventType, string> = {
  'consent.expiring': 'An access on consent is about to expire.',
  'tenancy.change': 'A change of tenancy was recorded at a meter point with ACTIVE records of the Data User.',
  'consent.withdrawal': 'A customer has withdrawn consent; the record is already REVOKED.',
};

const WebhookEventTypeEnum = graphqlEnum('WebhookEventType', 'Type of the events of a subscription.', EVENT_TYPES);

export const DeliveredEventTypeEnum = graphqlEnum('DeliveredEventType', 'Type of a delivered event.', {
  ...EVENT_TYPES,
  'webhook.test': 'A test event that the Data User requested.',
});

export const DeliveryStateEnum = graphqlEnum('DeliveryState', 'State of a delivery.', {
  pending: 'Attempts continue until the last one.',
  delivered: 'The receiver responded with 2xx.',
  undelivered: 'The last attempt failed, or the body could not be made and nothing was sent.',
  superseded:
    'It became obsolete before it was delivered, the subscription was removed, or the Data User was terminated.',
});

@Directive('@key(fields: "id")')
@ObjectType('Webhook', simple('A subscription to events, visible to its own Data User only.'))
export class WebhookType implements Omit<Webhook, 'duid'> {
  @Field(() => ID, { description: 'Internal identifier.' }) id: string;
  @Field(() => WebhookId, { description: 'Identifier.' }) wid: string;
  @Field(() => Uri, { description: 'URL for events.' }) callbackUrl: string;
  @Field(() => EmailAddress, { description: 'Address that receives a mail when an event has become undelivered.' })
  alertEmail: string;
  @Field(() => Int, { description: 'Days before an expiry at which the event is sent.' }) notifyDaysBefore: number;
  @Field(() => [WebhookEventTypeEnum], { description: 'Types of events that are delivered.' })
  eventTypes: readonly WebhookEventType[];
  @Field(() => DateTime, { description: 'When it was registered.' }) createdAt: Date;
  @Field(() => Boolean, { description: 'False while the Data User is suspended.' }) active: boolean;
}

@InputType('WebhookInput', { description: 'A subscription to register.' })
export class WebhookInputType implements WebhookInput {
  @Field(() => Uri, { description: 'URL for events: https.' }) callbackUrl: string;
  @Field(() => EmailAddress, { description: 'Address that receives a mail when an event has become undelivered.' })
  alertEmail: string;
  @Field(() => Int, {
    nullable: true,
    defaultValue: NOTIFY_DAYS.default,
    description: 'Days before an expiry at which the event is sent, 1 to 90.',
  })
  notifyDaysBefore: number | null;
  @Field(() => [WebhookEventTypeEnum], optional('Types of events that are delivered; absent: all types.'))
  eventTypes: WebhookEventType[] | null;
}

@InputType('WebhookUpdateInput', { description: 'A partial update: absent fields stay unchanged.' })
export class WebhookUpdateInputType implements WebhookUpdate {
  @Field(() => Uri, nullable('URL for events: https.')) callbackUrl?: string | null;
  @Field(() => EmailAddress, nullable('Address that receives a mail when an event has become undelivered.'))
  alertEmail?: string | null;
  @Field(() => Int, nullable('Days before an expiry at which the event is sent, 1 to 90.'))
  notifyDaysBefore?: number | null;
  @Field(() => [WebhookEventTypeEnum], nullable('Types of events that are delivered.'))
  eventTypes?: WebhookEventType[] | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Issues a new signing secret; the old one stays valid for 15 minutes.',
  })
  rotateSecret?: boolean | null;
}

@ObjectType('WebhookRegistration', simple('A registered subscription.'))
export class WebhookRegistrationType {
  @Field(() => WebhookType, { description: 'The subscription.' }) webhook: WebhookType;
  @ReturnedOnce()
  @Field(() => String, { description: 'The secret that signs deliveries. It cannot be retrieved later.' })
  signingSecret: string;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('WebhookUpdate', simple('An updated subscription.'))
export class WebhookUpdateType {
  @Field(() => WebhookType, { description: 'The subscription.' }) webhook: WebhookType;
  @ReturnedOnce()
  @Field(() => String, nullable('The new secret, returned only once; null unless rotated.'))
  signingSecret: string | null;
}

@ObjectType('WebhookDeletion', simple('A deleted subscription.'))
export class WebhookDeletionType {
  @Field(() => WebhookId, { description: 'Its identifier.' }) wid: string;
}

@ObjectType('EventRedelivery', simple('An event that will be delivered again.'))
export class EventRedeliveryType {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('WebhookTest', simple('A test event that will be delivered.'))
export class WebhookTestType {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}
