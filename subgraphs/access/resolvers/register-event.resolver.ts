import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { CalendarDate, EventId } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/caller';
import { requireWithin } from '../../server/connection';
import { followedByGateway } from '../../server/subgraph-schema';
import type { DirectoryEntry } from '../database/data-user.repository';
import { type EventCount, LONGEST_SPAN } from '../database/event-counts';
import type { EventFilter, LoggedEvent } from '../database/event-log';
import type { StoredAccessRecord } from '../database/stored-access-record';
import type { Webhook } from '../domain/webhook';
import type { AccessParts } from '../schema';
import { AccessRecordType } from './access-record.types';
import { DataUserType } from './data-user.types';
import {
  EventDeliveryType,
  EventFilterArgs,
  EventStreamArgs,
  LatestEventArgs,
  RegisterEventArgs,
  RegisterEventConnectionType,
  RegisterEventCountType,
  RegisterEventObject,
} from './register-event.types';
import { WebhookType } from './webhook.types';

const READERS = ['admin', 'analyst', 'data_user'] as const;

/** The event log: all of it for the back office, its own events for a Data User. */
@Resolver(() => RegisterEventObject)
export class RegisterEventResolver {
  constructor(
    private readonly parts: Pick<
      AccessParts,
      'events' | 'eventCounts' | 'eventRelations' | 'records' | 'dataUsers' | 'webhooks'
    >,
  ) {}

  @MayCall(...READERS)
  @Query(() => RegisterEventObject, { nullable: true, description: 'An event by its id.' })
  registerEvent(
    @Arg('id', () => EventId, { description: 'Its id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<LoggedEvent | null> {
    return readableEvent(this.parts, id, context);
  }

  @MayCall(...READERS)
  @Query(() => RegisterEventConnectionType, { description: 'Events, oldest first: as a subscription brings them.' })
  registerEvents(@Args(() => RegisterEventArgs) args: RegisterEventArgs, @Ctx() context: CallContext) {
    return this.parts.events.page(visible(args, context), args);
  }

  @MayCall(...READERS)
  @Query(() => [RegisterEventObject], { description: 'The latest events, newest first.' })
  latestRegisterEvents(@Args(() => LatestEventArgs) args: LatestEventArgs, @Ctx() context: CallContext) {
    return this.parts.events.latest(visible(args, context), args.first);
  }

  @MayCall('admin', 'analyst')
  @Query(() => [RegisterEventCountType], {
    description:
      'How many events of each type were written down in each of the last minutes, the present one included.',
  })
  registerEventCounts(
    @Arg('minutes', () => Int, { defaultValue: 60, description: 'So many minutes, 1 to 1440.' }) minutes: number,
  ): Promise<EventCount[]> {
    requireWithin('minutes', minutes, LONGEST_SPAN);
    return this.parts.eventCounts.ofLast(minutes);
  }

  @MayCall(...READERS)
  @Subscription(() => RegisterEventObject, {
    name: 'registerEvents',
    subscribe: followedByGateway,
    description:
      'Every event from now on, or from a cursor: what was missed comes first, then what happens, without gap or duplicate.',
  })
  registerEventStream(@Args(() => EventStreamArgs) args: EventStreamArgs, @Ctx() context: CallContext) {
    visible(args, context);
    return followedByGateway();
  }

  @FieldResolver(() => DataUserType, {
    nullable: true,
    description: 'The Data User whose record it concerns; null for a discovered access.',
  })
  async dataUser(@Root() { row }: LoggedEvent): Promise<DirectoryEntry | null> {
    return row.duid === null ? null : this.parts.dataUsers.byDuid(row.duid);
  }

  @FieldResolver(() => AccessRecordType, { nullable: true, description: 'The record as it is now.' })
  async accessRecord(@Root() { row }: LoggedEvent, @Ctx() context: CallContext): Promise<StoredAccessRecord | null> {
    const record = row.record_id === null ? null : await this.parts.records.byId(row.record_id);
    return isOwnersEvent(context) ? record : (record?.forBackOffice() ?? null);
  }

  @FieldResolver(() => [AccessRecordType], {
    nullable: true,
    description:
      "For TENANCY_CHANGE: the Data User's own records that were ACTIVE at the meter point. Null for the back office, to which they would show what belongs to one meter point.",
  })
  async affectedRecords(
    @Root() { row }: LoggedEvent,
    @Ctx() context: CallContext,
  ): Promise<StoredAccessRecord[] | null> {
    if (row.record_ids === null || !isOwnersEvent(context)) return null;
    const records = await Promise.all(row.record_ids.map((id) => this.parts.records.byId(id)));
    return records.filter((record) => record !== null);
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: "For TENANCY_CHANGE: how many of the Data User's records were ACTIVE at the meter point.",
  })
  affectedRecordCount(@Root() { row }: LoggedEvent): number | null {
    return row.record_ids?.length ?? null;
  }

  @FieldResolver(() => CalendarDate, {
    nullable: true,
    description: 'For TENANCY_CHANGE: the date from which it is effective.',
  })
  async effectiveDate(@Root() { row }: LoggedEvent): Promise<string | null> {
    return row.change_id === null ? null : this.parts.eventRelations.effectiveDate(row.change_id);
  }

  @FieldResolver(() => WebhookType, {
    nullable: true,
    description: 'The one subscription that it is for, if there is one: for its own Data User only.',
  })
  async webhook(@Root() { row }: LoggedEvent, @Ctx() context: CallContext): Promise<Webhook | null> {
    const { duid } = callerOf(context);
    return row.webhook_id === null || duid === null ? null : this.parts.webhooks.ownById(row.webhook_id, duid);
  }

  @FieldResolver(() => [EventDeliveryType], { description: 'How far it came at each subscription.' })
  async deliveries(@Root() { id }: LoggedEvent): Promise<readonly EventDeliveryType[]> {
    return this.parts.eventRelations.deliveries(id);
  }
}

/** Whether the caller is the Data User whose event it is: the back office reads all events, every Data User its own only. */
function isOwnersEvent(context: CallContext): boolean {
  return callerOf(context).role === 'data_user';
}

/** An event for those who may read it: PRM002 when it is another Data User's. */
export async function readableEvent(
  { events }: Pick<AccessParts, 'events'>,
  id: string,
  context: CallContext,
): Promise<LoggedEvent | null> {
  const event = await events.byId(id);
  const { role } = callerOf(context);
  if (event === null || role === 'admin' || role === 'analyst') return event;
  if (role !== 'data_user') throw new RegisterError('PRM001');
  if (event.row.duid !== duidOf(context)) throw new RegisterError('PRM002');
  return event;
}

/** Of a Data User's events its own only: PRM002 when it asks for another's. */
function visible({ types, duid }: EventFilterArgs, context: CallContext): EventFilter {
  if (callerOf(context).role !== 'data_user') return { types, duid };
  const own = duidOf(context);
  if (duid !== null && duid !== own) throw new RegisterError('PRM002');
  return { types, duid: own };
}
