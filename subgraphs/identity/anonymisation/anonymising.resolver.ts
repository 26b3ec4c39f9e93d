import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { DateTime, IdentityRecordKey } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { OwnRecords } from '../records/own-records.repository';
import type { Anonymising } from './anonymising.flow';
import type { AnonymisingRepository } from './anonymising.repository';

@ObjectType(
  'IdentityRecordAnonymisation',
  simple('An Identity Record that was anonymised, or is closed until it can be. This is permanent.'),
)
class IdentityRecordAnonymisation {
  @Field(() => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ir: string;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time of the anonymising; a repeat returns the same. Null while ACTIVE access records of other Data Users are linked to it.',
  })
  anonymisedAt: Date | null;
}

const LINKED_TO_ACTIVE =
  'An access record of this Data User that is linked to the Identity Record is ACTIVE: revoke it first.';

/** Anonymises Identity Records (decisions A/B, 4). */
@Resolver()
export class AnonymisingResolver {
  constructor(
    private readonly records: AnonymisingRepository,
    private readonly anonymising: Anonymising,
    private readonly ownRecords: OwnRecords,
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
    await this.ownRecords.require(record, ref, context, 'reject-identity-change');
    const outcome = await this.anonymising.anonymise(record.id, callerOf(context).accountId, context);
    if (outcome === 'refused') throw new RegisterError('CNF003', LINKED_TO_ACTIVE);
    return { ir: record.ir, ...outcome };
  }
}
