import { Arg, Directive, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { CalendarDate, Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { TenancyChangeAnnouncement, TenancyChangeRepository } from './tenancy-change.repository';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('TenancyChangeAnnouncement', simple('Data Users that were notified of a Change of Tenancy.'))
class TenancyChangeAnnouncementType implements TenancyChangeAnnouncement {
  @Field(() => Int, { description: 'ACTIVE access records at the meter point.' }) activeRecordsAffected: number;
  @Field(() => [Duid], { description: 'Their Data Users.' }) dataUsersNotified: string[];
}

/** Mutation that `identity` calls after it recorded a Change of Tenancy. */
@Resolver()
export class TenancyChangeResolver {
  constructor(private readonly changes: TenancyChangeRepository) {}

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Mutation(() => TenancyChangeAnnouncementType, {
    description:
      'Internal: notifies every Data User with ACTIVE access records at a meter point. A repeat sends no event.',
  })
  announceChangeOfTenancy(
    @Arg('id', () => ID, { description: 'Id of the change.' }) id: string,
    @Arg('meterPointId', () => ID, { description: 'Opaque id of the meter point.' }) meterPointId: string,
    @Arg('effectiveDate', () => CalendarDate, { description: 'Day on which the tenancy starts.' })
    effectiveDate: string,
  ): Promise<TenancyChangeAnnouncement> {
    return this.changes.announce({ id, meterPointId, effectiveDate });
  }
}
