import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { IdentityRecordKey } from '../../../schema/scalars';
import { type CallContext, MayCall, duidOf } from '../../server/caller';
import type { QuestionOrigin } from '../../server/service-question';
import type { AnonymisingRepository } from '../database/anonymising.repository';
import { isOwnedBy } from '../domain/ownership';
import { IdentityRecordAnonymisation } from './anonymising.types';

/** When a record was anonymised, null while ACTIVE access records of other Data Users delay it; refused by one of its own Data User. */
export type AnonymisingOutcome = { readonly anonymisedAt: Date | null } | 'refused';

/** Anonymises a record, now or when the last linked access record has ended. */
export type Anonymise = (id: string, origin: QuestionOrigin) => Promise<AnonymisingOutcome>;

/** Anonymises Identity Records (2-decisions-a-b.md, section 4). */
@Resolver()
export class AnonymisingResolver {
  constructor(
    private readonly records: AnonymisingRepository,
    private readonly anonymise: Anonymise,
  ) {}

  @MayCall('data_user')
  @Mutation(() => IdentityRecordAnonymisation, {
    description:
      'Anonymises an own Identity Record, for ever; refused while an own access record that is linked to it is ACTIVE. While one of another Data User is, the record is closed at once, and anonymised when the last of them has ended. A repeat answers the same.',
  })
  async anonymiseIdentityRecord(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Ctx() context: CallContext,
  ): Promise<IdentityRecordAnonymisation> {
    const record = await this.records.byRef(ref);
    if (record === undefined) throw new RegisterError('NTF001');
    if (!isOwnedBy(record, duidOf(context))) throw new RegisterError('PRM002');
    const outcome = await this.anonymise(record.id, context);
    if (outcome === 'refused') throw new RegisterError('CNF003');
    return { ir: record.ir, ...outcome };
  }
}
