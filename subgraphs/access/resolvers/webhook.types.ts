import { Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, EmailAddress, EventId, Uri, WebhookId } from '../../../schema/scalars';
import {
  NOTIFY_DAYS,
  type Webhook,
  type WebhookEventType,
  type WebhookInput,
  type WebhookUpdate,
} from '../domain/webhook';
import { WebhookEventTypeEnum } from './webhook.enums';

@Directive('@key(fields: "id")')
@ObjectType('Webhook', {
  description: 'A subscription to events, seen by its own Data User only.',
  simpleResolvers: true,
})
export class WebhookType implements Omit<Webhook, 'duid'> {
  @Field(() => ID, { description: 'Internal identifier.' }) id: string;
  @Field(() => WebhookId, { description: 'Identifier.' }) wid: string;
  @Field(() => Uri, { description: 'Where events are delivered to.' }) callbackUrl: string;
  @Field(() => EmailAddress, { description: 'Who is told when the last attempt has failed.' }) alertEmail: string;
  @Field(() => Int, { description: 'Days before an expiry from which it is told.' }) notifyDaysBefore: number;
  @Field(() => [WebhookEventTypeEnum], { description: 'What is delivered.' }) eventTypes: readonly WebhookEventType[];
  @Field(() => DateTime, { description: 'When it was registered.' }) createdAt: Date;
  @Field(() => Boolean, { description: 'False while the Data User is suspended.' }) active: boolean;
}

@InputType('WebhookInput', { description: 'A subscription to register.' })
export class WebhookInputType implements WebhookInput {
  @Field(() => Uri, { description: 'Where events are delivered to: https.' }) callbackUrl: string;
  @Field(() => EmailAddress, { description: 'Who is told when the last attempt has failed.' }) alertEmail: string;
  @Field(() => Int, {
    nullable: true,
    defaultValue: NOTIFY_DAYS.unlessGiven,
    description: 'Days before an expiry from which it is told, 1 to 90.',
  })
  notifyDaysBefore: number | null;
  @Field(() => [WebhookEventTypeEnum], {
    nullable: true,
    defaultValue: null,
    description: 'What is delivered; all types when left out.',
  })
  eventTypes: WebhookEventType[] | null;
}

@InputType('WebhookUpdateInput', { description: 'A partial update: what is left out stays as it is.' })
export class WebhookUpdateInputType implements WebhookUpdate {
  @Field(() => Uri, { nullable: true, description: 'Where events are delivered to: https.' }) callbackUrl?:
    string | null;
  @Field(() => EmailAddress, { nullable: true, description: 'Who is told when the last attempt has failed.' })
  alertEmail?: string | null;
  @Field(() => Int, { nullable: true, description: 'Days before an expiry from which it is told, 1 to 90.' })
  notifyDaysBefore?: number | null;
  @Field(() => [WebhookEventTypeEnum], { nullable: true, description: 'What is delivered.' })
  eventTypes?: WebhookEventType[] | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Issues a new signing secret; the old one stays valid for 15 minutes.',
  })
  rotateSecret?: boolean | null;
}

@ObjectType('WebhookRegistration', { description: 'A registered subscription.', simpleResolvers: true })
export class WebhookRegistrationType {
  @Field(() => WebhookType, { description: 'The subscription.' }) webhook: WebhookType;
  @Field(() => String, { description: 'The secret that deliveries are signed with. It cannot be retrieved later.' })
  signingSecret: string;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}

@ObjectType('WebhookUpdate', { description: 'An updated subscription.', simpleResolvers: true })
export class WebhookUpdateType {
  @Field(() => WebhookType, { description: 'The subscription.' }) webhook: WebhookType;
  @Field(() => String, { nullable: true, description: 'The new secret, shown once; null unless it was rotated.' })
  signingSecret: string | null;
}

@ObjectType('WebhookDeletion', { description: 'A deleted subscription.', simpleResolvers: true })
export class WebhookDeletionType {
  @Field(() => WebhookId, { description: 'Its identifier.' }) wid: string;
}

@ObjectType('EventRedelivery', { description: 'An event that will be delivered once more.', simpleResolvers: true })
export class EventRedeliveryType {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}

@ObjectType('WebhookTest', { description: 'A test event that will be delivered.', simpleResolvers: true })
export class WebhookTestType {
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => Boolean, { description: 'The answer of an earlier request with the same idempotency key.' })
  replayed: boolean;
}
