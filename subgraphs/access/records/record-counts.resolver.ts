import { Arg, Args, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import type { DataUserRepository, DirectoryEntry } from '../accounts/data-user.repository';
import { DataUserType } from '../accounts/data-user.resolver';
import type { AccessState, LegalBasis } from './access-record';
import { AccessStateEnum, LegalBasisEnum } from './access-record.enums';
import type { AccessRecordQueries } from './access-record.queries';
import type { DataUserRecordCounts, RecordCount } from './record-counts.repository';

@ObjectType('AccessRecordCount', simple('Number of access records that have a state and a legal basis.'))
class AccessRecordCountType implements RecordCount {
  @Field(() => AccessStateEnum, { description: 'Present state.' }) state: AccessState;
  @Field(() => LegalBasisEnum, nullable('Legal basis; null for discovered accesses.')) legalBasis: LegalBasis | null;
  @Field(() => Int, { description: 'Number of records.' }) total: number;
}

@ObjectType('DataUserRecordCounts', simple('Numbers of the access records of a Data User.'))
class DataUserRecordCountsType implements Omit<DataUserRecordCounts, 'duid'> {
  @Field(() => [AccessRecordCountType], {
    description: 'The exact number of its access records of each state and legal basis.',
  })
  counts: readonly RecordCount[];
}

const DataUserRecordCountsConnectionType = connectionType(
  'DataUserRecordCounts',
  'A page of Data Users with the numbers of their access records, by DUID.',
  () => DataUserRecordCountsType,
);

/** Counts access records for the back office. */
@Resolver(() => DataUserRecordCountsType)
export class RecordCountsResolver {
  constructor(
    private readonly records: AccessRecordQueries,
    private readonly dataUsers: DataUserRepository,
  ) {}

  @MayCall('admin', 'analyst')
  @Query(() => [AccessRecordCountType], {
    description:
      'The exact number of access records of each state and legal basis, of all Data Users or of one. SYS002 while the register counts all records, after a restore.',
  })
  async accessRecordCounts(
    @Arg('duid', () => Duid, { nullable: true, description: 'Only records of this Data User.' }) duid?: string | null,
  ): Promise<readonly RecordCount[]> {
    return counted(await this.records.totals(duid ?? null));
  }

  @MayCall('admin', 'analyst')
  @Query(() => DataUserRecordCountsConnectionType, {
    description:
      'The exact number of access records of each state and legal basis for each Data User that has some, by DUID. SYS002 while the register counts all records, after a restore.',
  })
  async accessRecordCountsByDataUser(@Args(() => PageArgs) page: PageArgs): Promise<Connection<DataUserRecordCounts>> {
    return counted(await this.records.totalsByDataUser(page));
  }

  @FieldResolver(() => DataUserType, { description: 'The Data User.' })
  dataUser(@Root() { duid }: DataUserRecordCounts): Promise<DirectoryEntry | null> {
    return this.dataUsers.byDuid(duid);
  }
}

/** Throws SYS002 before the records are counted for the first time. */
function counted<Totals>(totals: Totals | undefined): Totals {
  if (totals === undefined) throw new RegisterError('SYS002');
  return totals;
}
