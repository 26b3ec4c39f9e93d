import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { DeliveryHealth, SubscriptionHealth } from '../database/delivery-health.repository';

@ObjectType('SubscriptionHealth', {
  description: 'How the deliveries of a subscription fare; where they go is for its Data User alone to see.',
  simpleResolvers: true,
})
export class SubscriptionHealthType implements Omit<SubscriptionHealth, 'duid'> {
  @Field(() => ID, { description: 'Internal identifier of the subscription.' }) webhookId: string;
  @Field(() => Boolean, { description: 'False while its Data User is suspended: its deliveries wait.' })
  active: boolean;
  @Field(() => Int, { description: 'Deliveries that are still to be made.' }) pending: number;
  @Field(() => Int, { description: 'Attempts that failed within the last hour.' }) failedAttemptsLastHour: number;
  @Field(() => Int, { description: 'Deliveries that were given up within the last day.' }) undelivered: number;
  @Field(() => DateTime, { nullable: true, description: 'When a delivery last arrived.' }) lastDeliveredAt: Date | null;
}

@ObjectType('DeliveryHealth', { description: 'How the deliveries of all subscriptions fare.', simpleResolvers: true })
export class DeliveryHealthType implements DeliveryHealth {
  @Field(() => Int, { description: 'Deliveries that are still to be made.' }) pending: number;
  @Field(() => Int, { nullable: true, description: 'Seconds since the oldest of them was planned; null without any.' })
  oldestPendingSeconds: number | null;
  @Field(() => Int, { description: 'Deliveries that arrived within the last hour.' }) deliveredLastHour: number;
  @Field(() => Int, { description: 'Attempts that failed within the last hour.' }) failedAttemptsLastHour: number;
  @Field(() => Int, { description: 'Deliveries that were given up within the last day.' }) undeliveredLastDay: number;
  @Field(() => [SubscriptionHealthType], { description: 'By subscription, those with most to be made first.' })
  subscriptions: SubscriptionHealth[];
}
