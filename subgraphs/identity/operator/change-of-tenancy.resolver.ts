import { Arg, Ctx, Directive, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import { IdempotencyKey, REPLAYED } from '../../server/graph/idempotency-key.types';
import type { ChangeOfTenancyRepository } from './change-of-tenancy.repository';
import type { ChangeOfTenancy } from './change-of-tenancy';
import type { TenancyAnnouncement } from './tenancy-announcement.flow';
import { CalendarDate, Duid, Mpxn } from '../../../schema/scalars';

@InputType('ChangeOfTenancyInput', { description: 'A Change of Tenancy, as the communications operator records it.' })
class ChangeOfTenancyInput implements ChangeOfTenancy {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the tenancy starts; it may be in the future.' })
  effectiveDate: string;
  @Field(() => String, { description: "The operator's reference of the change, without personal data." })
  sourceReference: string;
}

@ObjectType(
  'ChangeOfTenancyRecord',
  simple('A recorded Change of Tenancy. It revokes no access; Data Users are notified.'),
)
class ChangeOfTenancyRecord implements ChangeOfTenancy {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the tenancy starts.' }) effectiveDate: string;
  @Field(() => String, { description: "The operator's reference of the change." }) sourceReference: string;
  @Field(() => Int, { description: 'ACTIVE access records at the meter point when it was recorded.' })
  activeRecordsAffected: number;
  @Field(() => [Duid], { description: 'The Data Users of these records, without terminated ones.' })
  dataUsersNotified: readonly string[];
  @Field(() => Boolean, { description: 'False for a repeat, which notifies no Data User again.' }) isNew: boolean;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

/** Changes of Tenancy (decisions A/B, 5; POST /cot-events). */
@Resolver()
export class ChangeOfTenancyResolver {
  constructor(
    private readonly changes: ChangeOfTenancyRepository,
    private readonly announcement: TenancyAnnouncement,
  ) {}

  @MayCall('communications_operator')
  @Mutation(() => ChangeOfTenancyRecord, {
    description:
      'Records a Change of Tenancy and immediately notifies every Data User with ACTIVE access records at the meter point, even of a ' +
      'future one. A repeat of meter point, day and reference notifies no Data User again.',
  })
  recordChangeOfTenancy(
    @Arg('input', () => ChangeOfTenancyInput, { description: 'The change.' }) input: ChangeOfTenancyInput,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ChangeOfTenancyRecord> {
    return this.announcement.record(input, idempotencyKey, context);
  }

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Query(
    () => String,
    nullable('Internal: the source reference of a change, for notices to Data Users; null once it was erased.'),
  )
  changeOfTenancySourceReference(
    @Arg('id', () => ID, { description: 'Id of the change.' }) id: string,
  ): Promise<string | null> {
    return this.changes.sourceReferenceOf(id);
  }
}
