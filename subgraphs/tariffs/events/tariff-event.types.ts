import { ArgsType, Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, EventId } from '../../../schema/scalars';
import { connectionType } from '../../server/lists/connection.types';
import type { EventPage } from '../../server/event-log/event-follow';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { TariffEventType as EventType, TariffDeliveryState } from './tariff-event';
import type { LoggedTariffEvent, TariffEventDelivery, TariffEventEntry } from './tariff-event.queries';

const TariffEventTypeEnum = graphqlEnum(
  'TariffEventType',
  'What happened to the tariff of an MPxN, to its supplier, or to a consent.',
  {
    'tariff.change':
      'The MPxN moved to an unrelated tariff, or to a tariff of its new supplier, or no tariff applies to it any more.',
    'tariff.update': "A tariff that replaces the MPxN's tariff took effect.",
    'supplier.change':
      'The tariff of another supplier took effect, whose assignment started at most 90 days after that of the former supplier ended; RTI Users of the former supplier receive the event.',
    'consent.revoked': 'The consent no longer shares the tariffs of the MPxN.',
    'supplier.cessation': 'The supplier left the register. It concerns no MPxN.',
  } satisfies Record<EventType, string>,
);

const TariffDeliveryStateEnum = graphqlEnum(
  'TariffDeliveryState',
  'State of a delivery to the webhook of an RTI User.',
  {
    pending: 'Attempts continue, or wait while the RTI User or the supplier is suspended or disabled.',
    delivered: 'The webhook accepted it.',
    undelivered:
      'Every attempt failed, or the body could not be made and nothing was sent; there are no more attempts.',
    superseded: 'It became obsolete before it was delivered.',
  } satisfies Record<TariffDeliveryState, string>,
);

@Directive('@key(fields: "id")')
@ObjectType(
  'TariffEvent',
  simple('An event of the tariff of an MPxN. It has the same id in webhooks and in subscriptions.'),
)
export class TariffEventObject implements Omit<LoggedTariffEvent, 'tariffId' | 'consentId' | 'decryptMpxn'> {
  @Field(() => EventId, { description: 'Identifier.' }) id: string;
  @Field(() => String, { description: 'Position of the event in the log; a subscription continues after it.' })
  cursor: string;
  @Field(() => TariffEventTypeEnum, { description: 'What happened.' }) type: EventType;
  @Field(() => DateTime, { description: 'When it took effect.' }) at: Date;
  @Field(() => DateTime, { description: 'When the register recorded it.' }) recordedAt: Date;
  @Field(() => String, {
    description: 'The supplier whose RTI Users receive the event; for a change of supplier the former one.',
  })
  mpid: string;
}

@ObjectType('TariffEventDelivery', simple('The delivery of an event to one webhook.'))
export class TariffEventDeliveryType implements TariffEventDelivery {
  @Field(() => ID, { description: 'The webhook.' }) webhookId: string;
  @Field(() => String, { description: 'The RTI User of the webhook.' }) userId: string;
  @Field(() => TariffDeliveryStateEnum, { description: 'State of the delivery.' }) state: TariffDeliveryState;
  @Field(() => Int, {
    description: 'Number of stored attempts: of more than 100, the last 100 and the last successful one before them.',
  })
  attempts: number;
}

/** A page of events. */
export const TariffEventConnectionType = connectionType(
  'TariffEvent',
  'A page of the event log of tariffs, oldest first.',
  () => TariffEventObject,
);

@InputType('TariffEventFilter', { description: 'Selects events: both conditions must hold.' })
export class TariffEventFilterInput {
  @Field(() => String, nullable('Events that the RTI Users of this supplier receive.')) mpid?: string | null;
  @Field(() => [TariffEventTypeEnum], nullable('Events of these types, at least one; null for all.'))
  types?: EventType[] | null;
}

/** Arguments that select a page of the event log. */
@ArgsType()
export class TariffEventArgs {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, nullable('Cursor after which the page starts; empty or absent: the start of the log.'))
  after?: string | null;
}

@Directive('@inaccessible')
@ObjectType('TariffEventLogEntry', simple('An entry of the event log of tariffs.'))
class TariffEventLogEntryType implements TariffEventEntry {
  @Field(() => EventId, { description: 'The event.' }) id: string;
  @Field(() => String, { description: 'Its position in the log.' }) cursor: string;
  @Field(() => TariffEventTypeEnum, { description: 'What happened.' }) type: EventType;
  @Field(() => String, { description: 'The supplier whose RTI Users receive the event.' }) mpid: string;
}

@Directive('@inaccessible')
@ObjectType('TariffEventLogPage', simple('Entries of the event log of tariffs after a cursor, oldest first.'))
export class TariffEventLogPageType implements EventPage<TariffEventEntry> {
  @Field(() => String, { description: 'End of the page: the next page starts after it.' }) cursor: string;
  @Field(() => [TariffEventLogEntryType], { description: 'The entries.' }) entries: readonly TariffEventLogEntryType[];
}
