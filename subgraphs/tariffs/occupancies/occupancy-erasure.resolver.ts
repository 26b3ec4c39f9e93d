import { Arg, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { ErasedOccupancies, OccupancyErasureRepository } from './occupancy-erasure.repository';
import { requireMpxn } from '../arguments';

@ObjectType('ErasedOccupancies', simple('Ended occupancies of an MPxN in which the register still stored the MPxN.'))
class ErasedOccupanciesPayload implements ErasedOccupancies {
  @Field(() => Int, { description: 'Occupancies whose MPxN was erased.' }) erased: number;
  @Field(() => Int, {
    description:
      'Occupancies that retain the MPxN for now: a consent granted in them is live, or was revoked in the last four days.',
  })
  retained: number;
}

/** Erasure at a customer's request (decisions A/B, 12). */
@Resolver()
export class OccupancyErasureResolver {
  constructor(private readonly erasure: OccupancyErasureRepository) {}

  @MayCall('admin')
  @Mutation(() => ErasedOccupanciesPayload, {
    description:
      'Erases an MPxN from the assignments, consents and events of its ended occupancies; an occupancy ends when an assignment ends. The ' +
      'register does so without a request 13 months after the end. The present occupancy is unchanged.',
  })
  eraseEndedOccupancies(
    @Arg('mpxn', () => String, { description: 'The MPxN.' }) mpxn: string,
    @Ctx() context: CallContext,
  ): Promise<ErasedOccupancies> {
    requireMpxn(mpxn);
    return this.erasure.erase(mpxn, callerOf(context).accountId);
  }
}
