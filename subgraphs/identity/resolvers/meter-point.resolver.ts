import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/caller';
import { type RateLimit, withinLimit } from '../../server/rate-limits';
import type { BlindIndexes } from '../database/blind-index';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type { OccupancyRepository } from '../database/occupancy.repository';
import { currentContacts, isContested } from '../domain/contacts';
import { availableMethods } from '../domain/reidentification-choice';
import { IdentityRecordExistence, MeterPoint } from './meter-point.types';

/** What is asked by MPxN, across Data Users. */
@Resolver()
export class MeterPointResolver {
  constructor(
    private readonly records: IdentityRecordRepository,
    private readonly occupants: OccupancyRepository,
    private readonly indexes: BlindIndexes,
    /** Of an account, a minute and a day (2-decisions-a-b.md, section 2). */
    private readonly existenceChecks: readonly RateLimit[],
  ) {}

  @MayCall('data_user', 'portal')
  @Query(() => IdentityRecordExistence, {
    description: 'Whether an Identity Record exists for a meter point, and how to re-identify.',
  })
  async identityRecordExistence(
    @Arg('mpxn', () => Mpxn, { description: 'The meter point.' }) mpxn: string,
    @Ctx() context: CallContext,
  ): Promise<IdentityRecordExistence> {
    for (const limit of this.existenceChecks) await withinLimit(limit, callerOf(context).accountId);
    await this.records.countExistenceCheck(mpxn, duidOf(context));
    const records = await this.occupants.recordsAt(mpxn);
    const exists = records.length > 0;
    if (isContested(currentContacts(records).groups)) return { mpxn, exists, availableMethods: [] };
    const verifiedOnly = callerOf(context).role === 'portal';
    return { mpxn, exists, availableMethods: availableMethods(records, { verifiedOnly }) };
  }

  @MayCall('data_user', 'portal')
  @Query(() => MeterPoint, { description: 'The meter point of an MPxN. Nothing is looked up: every MPxN has one.' })
  meterPoint(@Arg('mpxn', () => Mpxn, { description: 'The meter point number.' }) mpxn: string): MeterPoint {
    return { id: this.indexes.meterPointId(mpxn) };
  }
}
