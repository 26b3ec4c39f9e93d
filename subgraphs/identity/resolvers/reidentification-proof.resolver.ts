import { Arg, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime, Duid, TokenRef } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { ReidentificationRepository } from '../database/reidentification.repository';
import type * as domain from '../domain/reidentification';
import { ReidentificationState } from './reidentification.enums';

/** ReidentificationProof of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('ReidentificationProof', {
  description: 'What `access` must know of a re-identification to accept its token. The token is not consumed here.',
  simpleResolvers: true,
})
export class ReidentificationProof {
  @Field(() => Duid, { description: 'The Data User that initiated it: nobody else can use the token.' })
  initiator: string;
  @Field(() => ID, { description: 'Internal identifier of the Identity Record.' }) identityRecordId: string;
  @Field(() => ID, { nullable: true, description: 'Opaque id of its meter point; null once anonymised.' })
  meterPointId: string | null;
  @Field(() => ReidentificationState, { description: 'How far it has come.' }) status: domain.ReidentificationState;
  @Field(() => DateTime, { description: 'One hour after issuance: until then a confirmed token can be used, once.' })
  expiresAt: Date;
  @Field(() => Boolean, { description: 'Whether the Identity Record was anonymised.' }) anonymised: boolean;
  @Field(() => Boolean, { description: 'Whether the Identity Record is being anonymised.' }) closing: boolean;
}

/** Vouches for a token-ref: initiator, meter point, confirmation and expiry. */
@Resolver()
export class ReidentificationProofResolver {
  constructor(private readonly reidentifications: ReidentificationRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => ReidentificationProof, {
    nullable: true,
    description: 'What a token-ref proves; null when there is no such re-identification.',
  })
  async reidentificationProof(
    @Arg('token', () => TokenRef, { description: 'The token-ref.' }) token: string,
  ): Promise<ReidentificationProof | null> {
    const found = await this.reidentifications.byToken(token);
    if (!found) return null;
    const { duid: initiator, recordId: identityRecordId, meterPointId, state: status } = found;
    const { expiresAt, anonymised, closing } = found;
    return { initiator, identityRecordId, meterPointId, status, expiresAt, anonymised, closing };
  }
}
