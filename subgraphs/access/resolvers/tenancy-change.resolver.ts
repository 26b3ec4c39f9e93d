import { Arg, Directive, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { CalendarDate, Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { TenancyChangeAnnouncement, TenancyChangeRepository } from '../database/tenancy-change.repository';

/** TenancyChangeAnnouncement of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('TenancyChangeAnnouncement', {
  description: 'Whom a Change of Tenancy was announced to.',
  simpleResolvers: true,
})
export class TenancyChangeAnnouncementType implements TenancyChangeAnnouncement {
  @Field(() => Int, { description: 'ACTIVE access records at the meter point.' }) activeRecordsAffected: number;
  @Field(() => [Duid], { description: 'Their Data Users.' }) dataUsersNotified: string[];
}

/** What `identity` asks when a Change of Tenancy was recorded. */
@Resolver()
export class TenancyChangeResolver {
  constructor(private readonly changes: TenancyChangeRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => TenancyChangeAnnouncementType, {
    description:
      'Internal: tells every Data User with ACTIVE access records at a meter point. A repeat tells nobody again.',
  })
  announceChangeOfTenancy(
    @Arg('id', () => ID, { description: 'What the change is known by.' }) id: string,
    @Arg('meterPointId', () => ID, { description: 'Opaque id of the meter point.' }) meterPointId: string,
    @Arg('effectiveDate', () => CalendarDate, { description: 'Day on which the tenancy begins.' })
    effectiveDate: string,
    @Arg('sourceReference', () => String, { description: "The operator's reference." }) sourceReference: string,
  ): Promise<TenancyChangeAnnouncement> {
    return this.changes.announce({ id, meterPointId, effectiveDate, sourceReference });
  }
}
