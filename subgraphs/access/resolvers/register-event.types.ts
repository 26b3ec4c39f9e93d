import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, Duid, EventId } from '../../../schema/scalars';
import type { PageRequest } from '../../server/connection';
import type { EventCount } from '../database/event-counts';
import type { EventFilter, EventLogEntry, EventLogPage } from '../database/event-log';
import type { EventDelivery } from '../database/event-relations';
import type { Transition } from '../database/record-history';
import type { RegisterEventType } from '../domain/register-event';
import type { DeliveryState } from '../domain/webhook';
import { PageInfoType } from '../../server/page-info.types';
import { TransitionType } from './record-history.types';
import { RegisterEventTypeEnum } from './register-event.enums';
import { DeliveryStateEnum } from './webhook.enums';

@Directive('@key(fields: "id")')
@ObjectType('RegisterEvent', {
  description: 'What has happened in the register: the same event, with the same id, in webhooks and in subscriptions.',
  simpleResolvers: true,
})
export class RegisterEventObject {
  @Field(() => EventId, { description: 'Identifier.' }) id: string;
  @Field(() => String, { description: 'Where the event stands in the log; a subscription goes on after it.' })
  cursor: string;
  @Field(() => RegisterEventTypeEnum, { description: 'What has happened.' }) type: RegisterEventType;
  @Field(() => DateTime, { description: 'When it happened.' }) occurredAt: Date;
  @Field(() => DateTime, { description: 'When the register wrote it down.' }) recordedAt: Date;
  @Field(() => TransitionType, { nullable: true, description: 'The state change, if it is one.' })
  transition: Transition | null;
  @Field(() => DateTime, { nullable: true, description: 'For CONSENT_EXPIRING: when the access ends.' })
  expiry: Date | null;
  @Field(() => Int, { nullable: true, description: 'For CONSENT_EXPIRING: days until then, begun ones counted.' })
  daysRemaining: number | null;
}

@ObjectType('EventDelivery', { description: 'How far an event came at one subscription.', simpleResolvers: true })
export class EventDeliveryType implements EventDelivery {
  @Field(() => ID, { description: 'Internal identifier of the subscription.' }) webhookId: string;
  @Field(() => DeliveryStateEnum, { description: 'What became of the delivery.' }) status: DeliveryState;
  @Field(() => Int, { description: 'Attempts so far.' }) attempts: number;
}

@ObjectType('RegisterEventEdge', { description: 'An event in a list.', simpleResolvers: true })
class RegisterEventEdgeType {
  @Field(() => String, { description: 'Where the entry stands.' }) cursor: string;
  @Field(() => RegisterEventObject, { description: 'The event.' }) node: RegisterEventObject;
}

@ObjectType('RegisterEventConnection', {
  description: 'A page of the event log, oldest first.',
  simpleResolvers: true,
})
export class RegisterEventConnectionType {
  @Field(() => [RegisterEventEdgeType], { description: 'Entries with their cursors.' })
  edges: readonly RegisterEventEdgeType[];
  @Field(() => [RegisterEventObject], { description: 'Entries.' }) nodes: readonly RegisterEventObject[];
  @Field(() => String, { nullable: true, description: 'Cursor of the next page; null on the last one.' }) nextCursor:
    string | null;
  @Field(() => PageInfoType, { description: 'Where the page ends.' }) pageInfo: PageInfoType;
}

@ObjectType('RegisterEventCount', { description: 'Events of one type in one minute.', simpleResolvers: true })
export class RegisterEventCountType implements EventCount {
  @Field(() => DateTime, { description: 'Beginning of the minute in which they were written down.' }) minute: Date;
  @Field(() => RegisterEventTypeEnum, { description: 'What happened.' }) type: RegisterEventType;
  @Field(() => Int, { description: 'How often.' }) count: number;
}

/** Which events. */
@ArgsType()
export class EventFilterArgs implements EventFilter {
  @Field(() => [RegisterEventTypeEnum], { nullable: true, defaultValue: null, description: 'Only these types.' })
  types: RegisterEventType[] | null;
  @Field(() => Duid, { nullable: true, defaultValue: null, description: 'Only events of this Data User.' })
  duid: string | null;
}

/** Which page of the event log. */
@ArgsType()
export class RegisterEventArgs extends EventFilterArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Cursor after which the page begins; empty, or left out: the beginning of the log.',
  })
  after: string | null;
}

/** How many of the latest events. */
@ArgsType()
export class LatestEventArgs extends EventFilterArgs {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries, 1 to 500.' }) first: number;
}

/** From where a subscription begins. */
@ArgsType()
export class EventStreamArgs extends EventFilterArgs {
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description:
      'Cursor of the last event that was received: what followed it comes first. Empty: from the beginning of the log. Left out: from now on.',
  })
  after: string | null;
}

/** Seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('EventLogEntry', { description: 'An entry of the event log.', simpleResolvers: true })
class EventLogEntryType implements EventLogEntry {
  @Field(() => EventId, { description: 'The event.' }) id: string;
  @Field(() => String, { description: 'Where it stands.' }) cursor: string;
  @Field(() => RegisterEventTypeEnum, { description: 'What has happened.' }) type: RegisterEventType;
  @Field(() => Duid, { nullable: true, description: 'Whose event it is; null when it is for the back office only.' })
  duid: string | null;
}

@Directive('@inaccessible')
@ObjectType('EventLogPage', { description: 'What followed a cursor in the event log.', simpleResolvers: true })
export class EventLogPageType implements EventLogPage {
  @Field(() => String, { description: 'Cursor after which the next entries come.' }) cursor: string;
  @Field(() => [EventLogEntryType], { description: 'Entries, oldest first.' }) entries: readonly EventLogEntryType[];
}
