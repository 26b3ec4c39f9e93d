import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { AccessKey, CalendarDate, Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { IdempotencyKey, REPLAYED } from '../../server/graph/idempotency-key.types';
import { type Idempotency, replayable } from '../../server/idempotency';
import type { DataType } from '../../../schema/data-types';
import type { DiscoveredAccessReport, DiscoveredState } from './discovered-access';
import { discoveredAccessViolations } from './discovered-access-rules';
import type { DiscoveredAccessRepository } from './discovered-access.repository';
import type { DiscoveredMeterPoints } from './discovered-meter-points.client';

const DiscoveredStateEnum = graphqlEnum('DiscoveredState', 'State of the record of a discovered access.', {
  DISCOVERED: 'Visible to the customer; it cannot authorise data release.',
  EXPIRED: 'The last sighting is too old.',
} satisfies Record<DiscoveredState, string>);

@InputType('DiscoveredAccessInput', {
  description: 'A report of the communications operator about an organisation that has not registered its access.',
})
class DiscoveredAccessInputType implements DiscoveredAccessReport {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
  @Field(() => String, { description: 'Name of the organisation.' }) organisationName: string;
  @Field(() => String, { description: "The operator's reference of the organisation." }) organisationReference: string;
  @Field(() => CalendarDate, { description: 'Day of the first request.' }) firstSeen: string;
  @Field(() => [DataTypeEnum], { description: 'Data categories requested.' }) dataTypesObserved: DataType[];
  @Field(() => String, { description: "The operator's reference of this report, without personal data." })
  sourceReference: string;
  @Field(() => CalendarDate, nullable('Day of the last request.')) lastSeen?: string | null;
}

@ObjectType('DiscoveredAccessReport', simple('A reported access.'))
class DiscoveredAccessReportType {
  @Field(() => AccessKey, { description: 'The access key: a secret. It verifies, and authorises nothing.' }) ak: string;
  @Field(() => DiscoveredStateEnum, { description: 'State of the record.' }) state: DiscoveredState;
  @Field(() => Boolean, { description: 'False for a repeat, which updates the record.' }) isNew: boolean;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

const OPERATION = 'reportDiscoveredAccess';

/** Reports of the communications operator (decisions A/B, 5; POST /discovered-access). */
@Resolver()
export class DiscoveredAccessResolver {
  constructor(
    private readonly discoveries: DiscoveredAccessRepository,
    private readonly meterPoints: DiscoveredMeterPoints,
    private readonly idempotency: Idempotency,
  ) {}

  @MayCall('communications_operator')
  @Mutation(() => DiscoveredAccessReportType, {
    description:
      'Reports an organisation that requests data of a meter point without being registered. A repeat for the same meter point and ' +
      'organisation updates its record.',
  })
  async reportDiscoveredAccess(
    @Arg('input', () => DiscoveredAccessInputType, { description: 'The report.' }) input: DiscoveredAccessInputType,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<DiscoveredAccessReportType> {
    const { accountId } = callerOf(context);
    const request = this.idempotency.request(accountId, OPERATION, idempotencyKey, input);
    const { response, replayed } = await replayable(request, async () => {
      throwViolations(discoveredAccessViolations(input, await this.discoveries.today()));
      const meterPointId = await this.meterPoints(input.mpxn, context);
      return this.discoveries.report({ accountId, meterPointId, report: input }, request);
    });
    return { ...response, replayed };
  }
}
