import { Arg, Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/callers/caller';
import { type RateLimit, withinLimit } from '../../server/callers/rate-limits';
import { TOO_MANY_EXISTENCE_CHECKS } from './identity-record-rules';
import { simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { currentContacts, isContested } from '../contacts/contacts';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type * as domain from '../reidentification/reidentification';
import { availableMethods } from '../reidentification/reidentification-choice';
import type { BlindIndexes } from './blind-index';
import type { IdentityRecordRepository } from './identity-record.repository';

export const ReidentificationMethod = graphqlEnum('ReidentificationMethod', 'Method of re-identification.', {
  'magic-link': 'A link mailed to the stored e-mail address.',
  'passkey-assert': 'A passkey registered earlier.',
  'passkey-register': 'Registration of a new passkey.',
} satisfies Record<domain.ReidentificationMethod, string>);

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint', simple('A meter point, identified by an opaque id that does not disclose its MPxN.'))
class MeterPoint {
  @Field(() => ID, { description: 'Opaque id.' }) id: string;
}

@ObjectType(
  'IdentityRecordExistence',
  simple('Whether any Data User has registered a live Identity Record for a meter point.'),
)
class IdentityRecordExistence {
  @Field(() => Mpxn, { description: 'The meter point of the query.' }) mpxn: string;
  @Field(() => Boolean, { description: 'Whether a live Identity Record exists.' }) exists: boolean;

  @Field(() => [ReidentificationMethod], {
    description: 'Methods by which its customer can be re-identified now; empty if there is none.',
  })
  availableMethods: domain.ReidentificationMethod[];
}

/** Queries by MPxN across Data Users. */
@Resolver()
export class MeterPointResolver {
  constructor(
    private readonly records: IdentityRecordRepository,
    private readonly occupants: OccupancyRepository,
    private readonly indexes: BlindIndexes,
    /** Limits per account, in a minute and in a day (decisions A/B, 2). */
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
    for (const limit of this.existenceChecks)
      await withinLimit(limit, callerOf(context).accountId, TOO_MANY_EXISTENCE_CHECKS);
    await this.records.countExistenceCheck(mpxn, duidOf(context));
    const records = await this.occupants.recordsAt(mpxn);
    const methods = availableMethods(records, {
      verifiedOnly: callerOf(context).role === 'portal',
      isContested: isContested(currentContacts(records).groups),
    });
    return { mpxn, exists: records.length > 0, availableMethods: methods };
  }

  @MayCall('data_user', 'portal')
  @Query(() => MeterPoint, { description: 'The meter point of an MPxN. The id is computed, so every MPxN has one.' })
  meterPoint(@Arg('mpxn', () => Mpxn, { description: 'The meter point number.' }) mpxn: string): MeterPoint {
    return { id: this.indexes.meterPointId(mpxn) };
  }
}
