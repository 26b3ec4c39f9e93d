import { Arg, Directive, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Mpxn } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { DiscoveredMeterPointRepository } from '../database/discovered-meter-point.repository';

/** DiscoveredMeterPoint of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('DiscoveredMeterPoint', {
  description: 'The meter point at which access was discovered.',
  simpleResolvers: true,
})
export class DiscoveredMeterPoint {
  @Field(() => ID, { description: 'Opaque id.' }) meterPointId: string;
}

/** What `access` asks when the communications operator reports access that it discovered. */
@Resolver()
export class DiscoveredMeterPointResolver {
  constructor(private readonly meterPoints: DiscoveredMeterPointRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => DiscoveredMeterPoint, {
    description: 'Internal: keeps the MPxN of a meter point at which access was discovered.',
  })
  async keepDiscoveredMeterPoint(
    @Arg('mpxn', () => Mpxn, { description: 'The meter point.' }) mpxn: string,
  ): Promise<DiscoveredMeterPoint> {
    return { meterPointId: await this.meterPoints.keep(mpxn) };
  }
}
