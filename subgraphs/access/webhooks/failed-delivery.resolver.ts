import { Args, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { DateTime, EventId, WebhookId } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import type { DataUserRepository, DirectoryEntry } from '../accounts/data-user.repository';
import { DataUserType } from '../accounts/data-user.resolver';
import type { DeliveryHealthRepository, FailedDelivery } from './delivery-health.repository';
import type { DeliveredEventType, DeliveryState } from './webhook';
import { DeliveryAttemptType } from './webhook-delivery.resolver';
import { DeliveredEventTypeEnum, DeliveryStateEnum } from './webhook.types';

@ObjectType(
  'FailedDelivery',
  simple('A delivery that failed, without its callback URL, which only its Data User may read.'),
)
class FailedDeliveryType implements Omit<FailedDelivery, 'duid'> {
  @Field(() => WebhookId, { description: 'The subscription.' }) wid: string;
  @Field(() => EventId, { description: 'The event.' }) eventId: string;
  @Field(() => DeliveredEventTypeEnum, { description: 'Its type.' }) eventType: DeliveredEventType;
  @Field(() => DeliveryStateEnum, { description: 'State of the delivery.' }) status: DeliveryState;
  @Field(
    () => DeliveryAttemptType,
    nullable('The last failed attempt; null if the body could not be assembled, so that nothing was sent.'),
  )
  lastFailure: DeliveryAttemptType | null;
  @Field(() => DateTime, nullable('When the next attempt is due; null without one.')) nextAttemptAt: Date | null;
}

const FailedDeliveryConnectionType = connectionType(
  'FailedDelivery',
  'A page of failed deliveries, newest first.',
  () => FailedDeliveryType,
);

/** The deliveries behind the figures of `deliveryHealth`, for the back office. */
@Resolver(() => FailedDeliveryType)
export class FailedDeliveryResolver {
  constructor(
    private readonly health: DeliveryHealthRepository,
    private readonly dataUsers: DataUserRepository,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => FailedDeliveryConnectionType, {
    description:
      'Deliveries of all subscriptions that failed, newest first: pending ones, those that became undelivered in the last day, and those ' +
      'that ended in the last hour after a failed attempt in it.',
  })
  failedDeliveries(@Args(() => PageArgs) page: PageArgs): Promise<Connection<FailedDelivery>> {
    return this.health.failed(page);
  }

  @FieldResolver(() => DataUserType, { description: 'The Data User of the subscription.' })
  dataUser(@Root() { duid }: FailedDelivery): Promise<DirectoryEntry | null> {
    return this.dataUsers.byDuid(duid);
  }
}
