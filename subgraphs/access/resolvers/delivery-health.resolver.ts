import { FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { MayCall } from '../../server/caller';
import type { DirectoryEntry, DataUserRepository } from '../database/data-user.repository';
import type {
  DeliveryHealth,
  DeliveryHealthRepository,
  SubscriptionHealth,
} from '../database/delivery-health.repository';
import { DataUserType } from './data-user.types';
import { DeliveryHealthType, SubscriptionHealthType } from './delivery-health.types';

/** How deliveries fare, for the back office: no URL and no address, which only the owning Data User sees. */
@Resolver(() => SubscriptionHealthType)
export class DeliveryHealthResolver {
  constructor(
    private readonly health: DeliveryHealthRepository,
    private readonly dataUsers: DataUserRepository,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => DeliveryHealthType, { description: 'How the deliveries of all subscriptions fare.' })
  deliveryHealth(): Promise<DeliveryHealth> {
    return this.health.now();
  }

  @FieldResolver(() => DataUserType, { description: 'Whose subscription it is.' })
  dataUser(@Root() { duid }: SubscriptionHealth): Promise<DirectoryEntry | null> {
    return this.dataUsers.byDuid(duid);
  }
}
