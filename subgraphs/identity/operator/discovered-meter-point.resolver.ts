import { Arg, Directive, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Mpxn } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { DiscoveredMeterPointRepository } from './discovered-meter-point.repository';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('DiscoveredMeterPoint', simple('A meter point with discovered access.'))
class DiscoveredMeterPoint {
  @Field(() => ID, { description: 'Opaque id.' }) meterPointId: string;
}

/** Mutation that `access` calls for a report of discovered access. */
@Resolver()
export class DiscoveredMeterPointResolver {
  constructor(private readonly meterPoints: DiscoveredMeterPointRepository) {}

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Mutation(() => DiscoveredMeterPoint, {
    description: 'Internal: stores the MPxN of a meter point with discovered access.',
  })
  async keepDiscoveredMeterPoint(
    @Arg('mpxn', () => Mpxn, { description: 'The meter point.' }) mpxn: string,
  ): Promise<DiscoveredMeterPoint> {
    return { meterPointId: await this.meterPoints.store(mpxn) };
  }
}
