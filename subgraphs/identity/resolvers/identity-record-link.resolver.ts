import { Arg, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid, IdentityRecordKey } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type * as domain from '../domain/identity-record';

const MOST_LINKS = 500;

/** IdentityRecordLink of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordLink', {
  description: 'What `access` must know to link a record to its Identity Record.',
  simpleResolvers: true,
})
export class IdentityRecordLink implements domain.IdentityRecordLink {
  @Field(() => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string;
  @Field(() => ID, { description: 'Internal identifier of the Identity Record.' }) id: string;
  @Field(() => Duid, { description: 'The Data User that created it.' }) duid: string;
  @Field(() => ID, { nullable: true, description: 'Opaque id of its meter point; null once anonymised.' })
  meterPointId: string | null;
  @Field(() => Boolean, { description: 'Whether it was anonymised.' }) anonymised: boolean;
  @Field(() => Boolean, { description: 'Whether it is being anonymised, or was.' }) closing: boolean;
}

/** What the other services of the register ask of Identity Records. */
@Resolver()
export class IdentityRecordLinkResolver {
  constructor(private readonly records: IdentityRecordRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [IdentityRecordLink], {
    nullable: 'items',
    description: 'Links by key, in the order asked for, null for unknown keys.',
  })
  async identityRecordLinks(
    @Arg('refs', () => [IdentityRecordKey], { description: 'Keys of Identity Records, at most 500.' }) refs: string[],
  ): Promise<(domain.IdentityRecordLink | null)[]> {
    if (refs.length > MOST_LINKS) throw new RegisterError('VAL003', `refs must have at most ${MOST_LINKS} entries`);
    return Promise.all(refs.map(async (ref) => (await this.records.link(ref)) ?? null));
  }
}
