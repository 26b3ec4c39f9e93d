import { Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { DateTime, WebhookId } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { DataUserRepository, DirectoryEntry } from '../accounts/data-user.repository';
import { DataUserType } from '../accounts/data-user.resolver';
import {
  type DeliveryHealth,
  type DeliveryHealthRepository,
  MAX_SUBSCRIPTIONS,
  type SubscriptionHealth,
} from './delivery-health.repository';

@ObjectType(
  'SubscriptionHealth',
  simple('Figures of the deliveries of a subscription, without its callback URL, which only its Data User may read.'),
)
class SubscriptionHealthType implements Omit<SubscriptionHealth, 'duid'> {
  @Field(() => ID, { description: 'Internal identifier of the subscription.' }) webhookId: string;
  @Field(() => WebhookId, { description: 'Identifier of the subscription.' }) wid: string;
  @Field(() => Boolean, { description: 'False while its Data User is suspended: the deliveries wait.' })
  active: boolean;
  @Field(() => Int, { description: 'Pending deliveries.' }) pending: number;
  @Field(() => Int, { description: 'Failed attempts in the last hour.' }) failedAttemptsLastHour: number;
  @Field(() => Int, { description: 'Pending deliveries whose body could not be assembled; nothing was sent.' })
  faulty: number;
  @Field(() => Int, { description: 'Deliveries that became undelivered in the last day.' }) undelivered: number;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'When a delivery last succeeded; if more than a day ago, among the 20 delivered events that were planned last.',
  })
  lastDeliveredAt: Date | null;
}

@ObjectType('DeliveryHealth', simple('Figures of the deliveries of all subscriptions.'))
class DeliveryHealthType implements DeliveryHealth {
  @Field(() => Int, { description: 'Pending deliveries.' }) pending: number;
  @Field(() => Int, {
    nullable: true,
    description:
      'Age of the oldest pending delivery in seconds, without those that wait while their Data User is suspended; null without one.',
  })
  oldestPendingSeconds: number | null;
  @Field(() => Int, { description: 'Deliveries that succeeded in the last hour.' }) deliveredLastHour: number;
  @Field(() => Int, { description: 'Failed attempts in the last hour.' }) failedAttemptsLastHour: number;
  @Field(() => Int, { description: 'Pending deliveries whose body could not be assembled; nothing was sent.' })
  faulty: number;
  @Field(() => Int, { description: 'Deliveries that became undelivered in the last day.' }) undeliveredLastDay: number;
  @Field(() => [SubscriptionHealthType], {
    description: `Figures of at most ${MAX_SUBSCRIPTIONS} subscriptions: those with the most undelivered events first, then by \`faulty\`, \`failedAttemptsLastHour\` and \`pending\`.`,
  })
  subscriptions: SubscriptionHealth[];
}

/** Figures of deliveries for the back office, without URLs and addresses, which only the owning Data User may read. */
@Resolver(() => SubscriptionHealthType)
export class DeliveryHealthResolver {
  constructor(
    private readonly health: DeliveryHealthRepository,
    private readonly dataUsers: DataUserRepository,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => DeliveryHealthType, { description: 'Figures of the deliveries of all subscriptions.' })
  deliveryHealth(): Promise<DeliveryHealth> {
    return this.health.now();
  }

  @FieldResolver(() => DataUserType, { description: 'The Data User of the subscription.' })
  dataUser(@Root() { duid }: SubscriptionHealth): Promise<DirectoryEntry | null> {
    return this.dataUsers.byDuid(duid);
  }
}
