import { Arg, Ctx, Directive, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { MAX_LOOKUPS } from '../../../schema/lookups';
import { DateTime, Duid } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { isReadable } from '../occupancy/occupancy';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { CustomerSession } from '../sign-in/customer-session';
import type { CustomerSessions } from '../sign-in/customer-sessions.flow';
import type * as domain from './identity-lookup.repository';
import type { IdentityLookupRepository } from './identity-lookup.repository';

const IdentityLookupKind = graphqlEnum('IdentityLookKind', 'Kind of lookup of a customer.', {
  'existence-check': 'It checked whether a customer is registered at the meter point.',
  reidentification: 'It started or tried to start a re-identification of the customer.',
  'show-consents': 'It read the consents at the meter point.',
} satisfies Record<domain.IdentityLookupKind, string>);

/** The DataUser of `access`. */
@Directive('@key(fields: "duid", resolvable: false)')
@ObjectType('DataUser', { simpleResolvers: true })
export class DataUserReference {
  @Field(() => Duid) duid: string;
}

@ObjectType('IdentityLook', simple('Number of lookups by an organisation in one hour.'))
class IdentityLookup {
  @Field(() => DataUserReference, nullable('The organisation.')) dataUser: DataUserReference | null;
  @Field(() => IdentityLookupKind, { description: 'Kind of lookup.' }) kind: domain.IdentityLookupKind;
  @Field(() => DateTime, { description: 'Start of the hour.' }) hour: Date;
  @Field(() => Int, { description: 'Number of lookups.' }) count: number;
}

/** Lookups of the calling customer (decisions A/B, 10). */
@Resolver()
export class IdentityLookupResolver {
  constructor(
    private readonly lookups: IdentityLookupRepository,
    private readonly occupants: OccupancyRepository,
    private readonly sessions: CustomerSessions,
  ) {}

  @MayCall('customer')
  @Query(() => [IdentityLookup], {
    description: `Lookups of the customer by organisations: existence checks, re-identifications and lookups of consents, newest first, at most ${MAX_LOOKUPS}.`,
  })
  async identityLooks(
    @Arg('before', () => DateTime, nullable('Only hours that start before this instant.')) before: Date | null,
    @Ctx() context: CallContext,
  ): Promise<IdentityLookup[]> {
    const session = await this.sessions.ofCaller(context);
    const { since, beganAt, endedAt } = session;
    const lookups = await this.lookups.of({
      recordIds: await this.recordsOf(session),
      since,
      beganAt,
      endedAt,
      before,
    });
    return lookups.map(({ duid, ...lookup }) => ({ ...lookup, dataUser: { duid } }));
  }

  /** Returns all records of the present occupancy; of an ended or contested one only the customer's own. */
  private async recordsOf({ isCurrent, isContested, mpxn, ownRecordIds }: CustomerSession): Promise<readonly string[]> {
    if (!isCurrent || isContested) return ownRecordIds;
    const records = await this.occupants.recordsAt(mpxn);
    return records.filter((record) => isReadable(record) && record.occupancy === 'current').map(({ id }) => id);
  }
}
