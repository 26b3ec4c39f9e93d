import { ArgsType, Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, EventId } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { EventPage } from '../../server/event-follow';
import type { TariffDeliveryState, TariffEventDelivery } from '../database/event-deliveries';
import type { LoggedTariffEvent, TariffEventEntry } from '../database/tariff-event-log';
import type { TariffEventType as EventType } from '../domain/effects';
import { TariffDeliveryStateEnum, TariffEventTypeEnum } from './tariff-event.enums';

/** TariffEvent of the graph. */
@Directive('@key(fields: "id")')
@ObjectType('TariffEvent', {
  description:
    'What happened to the tariff of an MPxN: the same event, with the same id, in webhooks and in subscriptions.',
  simpleResolvers: true,
})
export class TariffEventObject implements Omit<LoggedTariffEvent, 'tariffId' | 'consentId' | 'openMpxn'> {
  @Field(() => EventId, { description: 'Identifier.' }) id: string;
  @Field(() => String, { description: 'Where the event stands in the log; a subscription goes on after it.' })
  cursor: string;
  @Field(() => TariffEventTypeEnum, { description: 'What happened.' }) type: EventType;
  @Field(() => DateTime, { description: 'When it took effect.' }) at: Date;
  @Field(() => DateTime, { description: 'When the register wrote it down.' }) recordedAt: Date;
  @Field(() => String, {
    description: 'The supplier at whose consents it is told: of a change of supplier the former.',
  })
  mpid: string;
}

@ObjectType('TariffEventDelivery', { description: 'How far an event came at one webhook.', simpleResolvers: true })
export class TariffEventDeliveryType implements TariffEventDelivery {
  @Field(() => ID, { description: 'The webhook.' }) webhookId: string;
  @Field(() => String, { description: 'The RTI User whose webhook it is.' }) userId: string;
  @Field(() => TariffDeliveryStateEnum, { description: 'What became of the delivery.' }) state: TariffDeliveryState;
  @Field(() => Int, { description: 'Attempts so far.' }) attempts: number;
}

/** TariffEventConnection of the graph. */
export const TariffEventConnectionType = connectionType(
  'TariffEvent',
  'A page of the event log of tariffs, oldest first.',
  () => TariffEventObject,
);

@InputType('TariffEventFilter', { description: 'Which events: both conditions hold.' })
export class TariffEventFilterInput {
  @Field(() => String, { nullable: true, description: 'Those that are told at the consents of this supplier.' })
  mpid?: string | null;
  @Field(() => [TariffEventTypeEnum], { nullable: true, description: 'Those of these types.' })
  types?: EventType[] | null;
}

/** Which page of the event log. */
@ArgsType()
export class TariffEventArgs {
  @Field(() => Int, { defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, {
    nullable: true,
    description: 'Cursor after which the page begins; empty, or left out: the beginning of the log.',
  })
  after?: string | null;
}

/** Seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('TariffEventLogEntry', { description: 'An entry of the event log of tariffs.', simpleResolvers: true })
class TariffEventLogEntryType implements TariffEventEntry {
  @Field(() => EventId, { description: 'The event.' }) id: string;
  @Field(() => String, { description: 'Where it stands.' }) cursor: string;
  @Field(() => TariffEventTypeEnum, { description: 'What happened.' }) type: EventType;
  @Field(() => String, { description: 'The supplier at whose consents it is told.' }) mpid: string;
}

/** Seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('TariffEventLogPage', {
  description: 'What followed a cursor in the event log of tariffs, oldest first.',
  simpleResolvers: true,
})
export class TariffEventLogPageType implements EventPage<TariffEventEntry> {
  @Field(() => String, { description: 'Where the page ends: the next one begins after it.' }) cursor: string;
  @Field(() => [TariffEventLogEntryType], { description: 'The entries.' }) entries: readonly TariffEventLogEntryType[];
}
