import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { DateTime, IdentityRecordKey } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/callers/caller';
import type { CallOrigin } from '../../server/graph/service-query';
import { isOwnedBy } from '../records/identity-record';
import type { AnonymisingRepository } from './anonymising.repository';

@ObjectType('IdentityRecordAnonymisation', {
  description: 'An Identity Record that was anonymised, or is closed until it can be. This is permanent.',
  simpleResolvers: true,
})
class IdentityRecordAnonymisation {
  @Field(() => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ir: string;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time of the anonymising; a repeat returns the same. Null while ACTIVE access records of other Data Users are linked to it.',
  })
  anonymisedAt: Date | null;
}

/**
 * Time of the anonymising; null while ACTIVE access records of other Data Users delay it; `refused` while one of its own Data User exists.
 */
export type AnonymisingOutcome = { readonly anonymisedAt: Date | null } | 'refused';

/** Anonymises a record, or closes it until the last linked access record has ended. */
type Anonymise = (id: string, actor: string, origin: CallOrigin) => Promise<AnonymisingOutcome>;

/** Anonymises Identity Records (decisions A/B, 4). */
@Resolver()
export class AnonymisingResolver {
  constructor(
    private readonly records: AnonymisingRepository,
    private readonly anonymise: Anonymise,
  ) {}

  @MayCall('data_user')
  @Mutation(() => IdentityRecordAnonymisation, {
    description:
      'Anonymises an own Identity Record permanently. CNF003 while a linked access record of the caller is ACTIVE. While one of another Data User is, the record is closed, and anonymised when the last of them has ended. A repeat returns the same result.',
  })
  async anonymiseIdentityRecord(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Ctx() context: CallContext,
  ): Promise<IdentityRecordAnonymisation> {
    const record = await this.records.byRef(ref);
    if (record === undefined) throw new RegisterError('NTF001');
    if (!isOwnedBy(record, duidOf(context))) throw new RegisterError('PRM002');
    const outcome = await this.anonymise(record.id, callerOf(context).accountId, context);
    if (outcome === 'refused') throw new RegisterError('CNF003');
    return { ir: record.ir, ...outcome };
  }
}
