import { Arg, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { AccessState, LegalBasis } from './access-record';
import { AccessStateEnum, LegalBasisEnum } from './access-record.enums';
import type { AccessRecordQueries } from './access-record.queries';
import type { RecordCount } from './record-counts.repository';

@ObjectType('AccessRecordCount', simple('Number of access records that have a state and a legal basis.'))
class AccessRecordCountType implements RecordCount {
  @Field(() => AccessStateEnum, { description: 'Present state.' }) state: AccessState;
  @Field(() => LegalBasisEnum, nullable('Legal basis; null for discovered accesses.')) legalBasis: LegalBasis | null;
  @Field(() => Int, { description: 'Number of records.' }) total: number;
}

/** Counts access records for the back office. */
@Resolver()
export class RecordCountsResolver {
  constructor(private readonly records: AccessRecordQueries) {}

  @MayCall('admin', 'analyst')
  @Query(() => [AccessRecordCountType], {
    description:
      'The exact number of access records of each state and legal basis, of all Data Users or of one. SYS002 while the register counts all records, after a restore.',
  })
  async accessRecordCounts(
    @Arg('duid', () => Duid, { nullable: true, description: 'Only records of this Data User.' }) duid?: string | null,
  ): Promise<readonly RecordCount[]> {
    const totals = await this.records.totals(duid ?? null);
    if (totals === undefined) throw new RegisterError('SYS002');
    return totals;
  }
}
