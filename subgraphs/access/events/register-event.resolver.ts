import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { CalendarDate, EventId } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { rejectCursor, requireWithin } from '../../server/lists/connection';
import { nullable } from '../../server/graph/decorator-options';
import { followedByGateway } from '../../server/graph/subgraph-schema';
import type { DirectoryEntry } from '../accounts/data-user.repository';
import { type EventCount, MAX_MINUTES } from './event-counts.queries';
import type { LoggedEvent } from './event-log.queries';
import type { StoredAccessRecord } from '../records/stored-access-record.queries';
import type { Webhook } from '../webhooks/webhook';
import { selectsDocument } from '../records/operation-records.queries';
import { AccessRecordType } from '../records/access-record.types';
import { DataUserType } from '../accounts/data-user.resolver';
import {
  AffectedRecordArgs,
  EventDeliveryType,
  EventStreamArgs,
  LatestEventArgs,
  MAX_AFFECTED_RECORDS,
  RegisterEventArgs,
  RegisterEventConnectionType,
  RegisterEventCountType,
  RegisterEventObject,
} from './register-event.types';
import { isOwnersEvent, readableEvent, visibleTo } from './event-rights.flow';
import { WebhookType } from '../webhooks/webhook.types';
import type { AccessDependencies } from '../dependencies';

const READERS = ['admin', 'analyst', 'data_user'] as const;

/** The event log: all events for the back office, own events for a Data User. */
@Resolver(() => RegisterEventObject)
export class RegisterEventResolver {
  constructor(
    private readonly dependencies: Pick<
      AccessDependencies,
      'events' | 'eventCounts' | 'eventRelations' | 'recordsOfOperations' | 'dataUsers' | 'webhooks'
    >,
  ) {}

  @MayCall(...READERS)
  @Query(() => RegisterEventObject, nullable('An event by its id.'))
  registerEvent(
    @Arg('id', () => EventId, { description: 'Its id.' }) id: string,
    @Ctx() context: CallContext,
  ): Promise<LoggedEvent | null> {
    return readableEvent(this.dependencies, id, context);
  }

  @MayCall(...READERS)
  @Query(() => RegisterEventConnectionType, {
    description: 'Events, oldest first, in the order in which a subscription sends them.',
  })
  registerEvents(@Args(() => RegisterEventArgs) args: RegisterEventArgs, @Ctx() context: CallContext) {
    return this.dependencies.events.page(visibleTo(args, context), args);
  }

  @MayCall(...READERS)
  @Query(() => [RegisterEventObject], { description: 'The latest events, newest first.' })
  latestRegisterEvents(@Args(() => LatestEventArgs) args: LatestEventArgs, @Ctx() context: CallContext) {
    return this.dependencies.events.latest(visibleTo(args, context), args.first);
  }

  @MayCall('admin', 'analyst')
  @Query(() => [RegisterEventCountType], {
    description: 'Number of events of each type recorded in each of the last minutes, including the current one.',
  })
  registerEventCounts(
    @Arg('minutes', () => Int, { defaultValue: 60, description: 'Number of minutes, 1 to 1440.' }) minutes: number,
  ): Promise<EventCount[]> {
    requireWithin('minutes', minutes, MAX_MINUTES);
    return this.dependencies.eventCounts.ofLast(minutes);
  }

  @MayCall(...READERS)
  @Subscription(() => RegisterEventObject, {
    name: 'registerEvents',
    subscribe: followedByGateway,
    description:
      'Every event from now on, or after a cursor: first the missed events, then new ones, without gap or duplicate.',
  })
  registerEventStream(@Args(() => EventStreamArgs) args: EventStreamArgs, @Ctx() context: CallContext) {
    visibleTo(args, context);
    return followedByGateway();
  }

  @FieldResolver(() => DataUserType, nullable('The Data User of the record; null for a discovered access.'))
  async dataUser(@Root() { row }: LoggedEvent): Promise<DirectoryEntry | null> {
    return row.duid === null ? null : this.dependencies.dataUsers.byDuid(row.duid);
  }

  @FieldResolver(() => AccessRecordType, nullable('The record in its present state.'))
  async accessRecord(
    @Root() { row }: LoggedEvent,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<StoredAccessRecord | null> {
    if (row.record_id === null) return null;
    const record = await this.dependencies.recordsOfOperations(row.record_id, context, selectsDocument(info));
    return isOwnersEvent(context) ? record : (record?.forBackOffice() ?? null);
  }

  @FieldResolver(() => [AccessRecordType], {
    nullable: true,
    description:
      "For TENANCY_CHANGE: the Data User's own records that were ACTIVE at the meter point, a page of those that `affectedRecordCount` counts. Null for the back office, which could otherwise join the records of one meter point.",
  })
  async affectedRecords(
    @Root() { row }: LoggedEvent,
    @Args(() => AffectedRecordArgs) { first, after }: AffectedRecordArgs,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<StoredAccessRecord[] | null> {
    requireWithin('first', first, MAX_AFFECTED_RECORDS);
    if (row.record_ids === null || !isOwnersEvent(context)) return null;
    const start = after === null ? 0 : row.record_ids.indexOf(after) + 1;
    if (after !== null && start === 0) rejectCursor();
    const withDocument = selectsDocument(info);
    const records = await Promise.all(
      row.record_ids
        .slice(start, start + first)
        .map((id) => this.dependencies.recordsOfOperations(id, context, withDocument)),
    );
    return records.filter((record) => record !== null);
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description:
      "For TENANCY_CHANGE: how many of the Data User's records were ACTIVE at the meter point, without those anonymised since.",
  })
  affectedRecordCount(@Root() { row }: LoggedEvent): number | null {
    return row.record_ids?.length ?? null;
  }

  @FieldResolver(() => CalendarDate, nullable('For TENANCY_CHANGE: the date from which it is effective.'))
  async effectiveDate(@Root() { row }: LoggedEvent): Promise<string | null> {
    return row.change_id === null ? null : this.dependencies.eventRelations.effectiveDate(row.change_id);
  }

  @FieldResolver(
    () => WebhookType,
    nullable('The subscription to which alone the event is sent, if there is one; visible to its own Data User only.'),
  )
  async webhook(@Root() { row }: LoggedEvent, @Ctx() context: CallContext): Promise<Webhook | null> {
    const { duid } = callerOf(context);
    return row.webhook_id === null || duid === null ? null : this.dependencies.webhooks.ownById(row.webhook_id, duid);
  }

  @FieldResolver(() => [EventDeliveryType], { description: 'Its delivery to each subscription.' })
  async deliveries(@Root() { id }: LoggedEvent): Promise<readonly EventDeliveryType[]> {
    return this.dependencies.eventRelations.deliveries(id);
  }
}
