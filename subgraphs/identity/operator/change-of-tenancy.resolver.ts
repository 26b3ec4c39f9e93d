import { Arg, Ctx, Directive, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { type Idempotency, type IdempotentRequest, replayable } from '../../server/idempotency';
import type { CallOrigin } from '../../server/graph/service-query';
import { IdempotencyKey, REPLAYED } from '../../server/graph/idempotency-key.types';
import type { Announcement, ChangeOfTenancyRepository, RecordedChange } from './change-of-tenancy.repository';
import { changeOfTenancyViolations, type ChangeOfTenancy } from './change-of-tenancy';
import { CalendarDate, Duid, Mpxn } from '../../../schema/scalars';

@InputType('ChangeOfTenancyInput', { description: 'A Change of Tenancy, as the communications operator records it.' })
class ChangeOfTenancyInput implements ChangeOfTenancy {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => CalendarDate, { description: 'Day on which the tenancy starts; it may be in the future.' })
  effectiveDate: string;
  @Field(() => String, { description: "The operator's reference of the change, without personal data." })
  sourceReference: string;
}

@ObjectType('ChangeOfTenancyRecord', {
  description: 'A recorded Change of Tenancy. It revokes no access; Data Users are notified.',
  simpleResolvers: true,
})
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

/** Announces a recorded change if necessary; returns its announcement. */
type AnnounceChange = (id: string, origin: CallOrigin) => Promise<Announcement>;

const OPERATION = 'recordChangeOfTenancy';
/** Name of the operation under which a recorded change is stored until its response is. */
const STARTED = 'recordChangeOfTenancy, begun';

/**
 * Changes of Tenancy (decisions A/B, 5; POST /cot-events). A request that fails after it recorded a change has no stored response: a repeat
 * with the same idempotency key continues with that change and is no replay.
 */
@Resolver()
export class ChangeOfTenancyResolver {
  constructor(
    private readonly changes: ChangeOfTenancyRepository,
    private readonly announce: AnnounceChange,
    private readonly idempotency: Idempotency,
  ) {}

  @MayCall('communications_operator')
  @Mutation(() => ChangeOfTenancyRecord, {
    description:
      'Records a Change of Tenancy and immediately notifies every Data User with ACTIVE access records at the meter point, even of a ' +
      'future one. A repeat of meter point, day and reference notifies no Data User again.',
  })
  async recordChangeOfTenancy(
    @Arg('input', () => ChangeOfTenancyInput, { description: 'The change.' }) input: ChangeOfTenancyInput,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ChangeOfTenancyRecord> {
    const { accountId } = callerOf(context);
    const [started, request] = [STARTED, OPERATION].map((operation) =>
      this.idempotency.request(accountId, operation, idempotencyKey, input),
    ) as [IdempotentRequest, IdempotentRequest];
    const stored = await request.findStoredResponse<RecordedChange>();
    if (stored) return this.response(input, stored, true, context);
    const { response: recorded } = await replayable(started, async () => {
      throwViolations(changeOfTenancyViolations(input));
      return this.changes.record(input, started);
    });
    const response = await this.response(input, recorded, false, context);
    return { ...response, replayed: !(await this.changes.storeResponse(recorded, request)) };
  }

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Query(() => String, {
    nullable: true,
    description: 'Internal: the source reference of a change, for notices to Data Users; null once it was erased.',
  })
  changeOfTenancySourceReference(
    @Arg('id', () => ID, { description: 'Id of the change.' }) id: string,
  ): Promise<string | null> {
    return this.changes.sourceReferenceOf(id);
  }

  /**
   * Returns the first announcement of a change. The request repeats the MPxN, so that the response is complete after the stored MPxN was
   * erased.
   */
  private async response(
    { mpxn, effectiveDate, sourceReference }: ChangeOfTenancyInput,
    { id, isNew }: RecordedChange,
    replayed: boolean,
    context: CallContext,
  ) {
    return { mpxn, effectiveDate, sourceReference, ...(await this.announce(id, context)), isNew, replayed };
  }
}
