import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, Duid, EventId } from '../../../schema/scalars';
import type { EventPage } from '../../server/event-log/event-follow';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { PageRequest } from '../../server/lists/connection';
import { connectionType } from '../../server/lists/connection.types';
import type { Transition } from '../records/record-history.queries';
import { TransitionType } from '../records/record-history.types';
import type { DeliveryState } from '../webhooks/webhook';
import { DeliveryStateEnum } from '../webhooks/webhook.types';
import type { EventCount } from './event-counts.queries';
import type { EventFilter, EventLogEntry } from './event-log.queries';
import type { EventDelivery } from './event-relations.queries';
import type { RegisterEventType } from './register-event';

const RegisterEventTypeEnum = graphqlEnum('RegisterEventType', 'Type of an event.', {
  'consent.expiring': 'A record on consent expires within the notice period of a subscription.',
  'tenancy.change': 'A change of tenancy was recorded at a meter point with ACTIVE records of the Data User.',
  'consent.withdrawal': 'A customer has withdrawn consent; the record is already REVOKED.',
  'webhook.test': 'A Data User sent a test event to a subscription.',
  'access.registered': 'A record was registered.',
  'access.revoked': 'The Controller removed its registration.',
  'access.expired': 'The expiry of a record has passed.',
  'access.discovered': 'The communications operator reported access by an organisation that has not registered it.',
  'access.claimed': 'The organisation of a discovered access has registered it.',
} satisfies Record<RegisterEventType, string>);

@Directive('@key(fields: "id")')
@ObjectType(
  'RegisterEvent',
  simple('An event of the register. Webhooks and subscriptions send the same event with the same id.'),
)
export class RegisterEventObject {
  @Field(() => EventId, { description: 'Identifier.' }) id: string;
  @Field(() => String, { description: 'Cursor of the event in the log; a subscription can continue after it.' })
  cursor: string;
  @Field(() => RegisterEventTypeEnum, { description: 'Type of the event.' }) type: RegisterEventType;
  @Field(() => DateTime, { description: 'Time at which it occurred.' }) occurredAt: Date;
  @Field(() => DateTime, { description: 'Time at which the register recorded it.' }) recordedAt: Date;
  @Field(() => TransitionType, nullable('The state transition; null for events of other kinds.'))
  transition: Transition | null;
  @Field(() => DateTime, nullable('For CONSENT_EXPIRING: when the access ends.')) expiry: Date | null;
  @Field(() => Int, nullable('For CONSENT_EXPIRING: days until the expiry, rounded up.')) daysRemaining: number | null;
}

@ObjectType('EventDelivery', simple('Delivery of an event to one subscription.'))
export class EventDeliveryType implements EventDelivery {
  @Field(() => ID, { description: 'Internal identifier of the subscription.' }) webhookId: string;
  @Field(() => DeliveryStateEnum, { description: 'State of the delivery.' }) status: DeliveryState;
  @Field(() => Int, {
    description: 'Number of stored attempts: of more than 100, the last 100 and the last successful one before them.',
  })
  attempts: number;
}

/** A page of events. */
export const RegisterEventConnectionType = connectionType(
  'RegisterEvent',
  'A page of the event log, oldest first.',
  () => RegisterEventObject,
);

@ObjectType('RegisterEventCount', simple('Events of one type in one minute.'))
export class RegisterEventCountType implements EventCount {
  @Field(() => DateTime, { description: 'Start of the minute in which the events were recorded.' }) minute: Date;
  @Field(() => RegisterEventTypeEnum, { description: 'Type of the events.' }) type: RegisterEventType;
  @Field(() => Int, { description: 'Number of events.' }) count: number;
}

/** Arguments that filter events. */
@ArgsType()
export class EventFilterArgs implements EventFilter {
  @Field(() => [RegisterEventTypeEnum], optional('Only these types, at least one; null for all.'))
  types: RegisterEventType[] | null;
  @Field(() => Duid, optional('Only events of this Data User.')) duid: string | null;
}

/** Arguments of a page of the event log. */
@ArgsType()
export class RegisterEventArgs extends EventFilterArgs implements PageRequest {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts; empty or absent: the start of the log.'))
  after: string | null;
}

/** Arguments of the latest events. */
@ArgsType()
export class LatestEventArgs extends EventFilterArgs {
  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'Entries, 1 to 500.' }) first: number;
}

/** Maximum entries of a page of the records that a Change of Tenancy affects. */
export const MAX_AFFECTED_RECORDS = 100;

/** Arguments of the records that a Change of Tenancy affects. */
@ArgsType()
export class AffectedRecordArgs {
  @Field(() => Int, { nullable: true, defaultValue: 10, description: 'Entries of the page, 1 to 100.' }) first: number;
  @Field(() => ID, optional('Id of the last record of the page before; absent: the page starts with the first record.'))
  after: string | null;
}

/** Arguments of a subscription to events. */
@ArgsType()
export class EventStreamArgs extends EventFilterArgs {
  @Field(
    () => String,
    optional(
      'Cursor of the last received event; the events after it are sent first. Empty: from the start of the log. Absent: from now on.',
    ),
  )
  after: string | null;
}

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('EventLogEntry', simple('An entry of the event log.'))
class EventLogEntryType implements EventLogEntry {
  @Field(() => EventId, { description: 'The event.' }) id: string;
  @Field(() => String, { description: 'Cursor of the event.' }) cursor: string;
  @Field(() => RegisterEventTypeEnum, { description: 'Type of the event.' }) type: RegisterEventType;
  @Field(() => Duid, nullable('Data User that may read the event; null if only the back office may.'))
  duid: string | null;
}

@Directive('@inaccessible')
@ObjectType('EventLogPage', simple('Entries of the event log after a cursor.'))
export class EventLogPageType implements EventPage<EventLogEntry> {
  @Field(() => String, { description: 'Cursor after the last entry.' }) cursor: string;
  @Field(() => [EventLogEntryType], { description: 'Entries, oldest first.' }) entries: readonly EventLogEntryType[];
}
