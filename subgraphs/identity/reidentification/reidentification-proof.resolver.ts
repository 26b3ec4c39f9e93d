import { Arg, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { CalendarDate, DateTime, Duid, TokenRef } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { ReidentificationRepository } from './reidentification.repository';
import type * as domain from './reidentification';
import { ReidentificationState } from './reidentification.types';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType(
  'ReidentificationProof',
  simple('Internal: fields of a re-identification that `access` needs to accept its token.'),
)
class ReidentificationProof {
  @Field(() => Duid, { description: 'The Data User that initiated it; no other organisation can use the token.' })
  initiator: string;
  @Field(() => ID, { description: 'Internal identifier of the Identity Record.' }) identityRecordId: string;
  @Field(() => ID, nullable('Opaque id of its meter point; null after anonymising.')) meterPointId: string | null;
  @Field(() => ReidentificationState, { description: 'State of the re-identification.' })
  status: domain.ReidentificationState;
  @Field(() => DateTime, { description: 'One hour after issuance; a confirmed token can be used once until then.' })
  expiresAt: Date;
  @Field(() => Boolean, { description: 'Whether the Identity Record was anonymised.' }) anonymised: boolean;
  @Field(() => Boolean, { description: 'Whether the Identity Record is being anonymised.' }) closing: boolean;
  @Field(() => [ID], {
    description: 'Internal identifiers of all Identity Records of the person; none after anonymising.',
  })
  ownRecordIds: readonly string[];
  @Field(
    () => CalendarDate,
    nullable('Day on which the person moved in, by the earliest of these records; null after anonymising.'),
  )
  since: string | null;
  @Field(() => DateTime, nullable('Instant at which the occupancy started; null without a Change of Tenancy.'))
  beganAt: Date | null;
}

/** Attests a token-ref: initiator, meter point, confirmation and expiry. */
@Resolver()
export class ReidentificationProofResolver {
  constructor(private readonly reidentifications: ReidentificationRepository) {}

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Query(
    () => ReidentificationProof,
    nullable('Internal: the re-identification of a token-ref; null if there is none.'),
  )
  async reidentificationProof(
    @Arg('token', () => TokenRef, { description: 'The token-ref.' }) token: string,
  ): Promise<ReidentificationProof | null> {
    const found = await this.reidentifications.byToken(token);
    if (!found) return null;
    const { duid: initiator, recordId: identityRecordId, meterPointId, state: status } = found;
    const { expiresAt, anonymised, closing, occupant } = found;
    const { ownRecordIds, since, beganAt } = occupant ?? { ownRecordIds: [], since: null, beganAt: null };
    const attested = { initiator, identityRecordId, meterPointId, status, expiresAt, anonymised, closing };
    return { ...attested, ownRecordIds, since, beganAt };
  }
}
