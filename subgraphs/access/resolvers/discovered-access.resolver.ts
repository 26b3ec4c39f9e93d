import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { Idempotency } from '../../server/idempotency';
import type { DiscoveredAccessRepository } from '../database/discovered-access.repository';
import type { DiscoveredMeterPoints } from '../discovered-meter-points';
import { discoveredAccessViolations } from '../domain/discovered-access-rules';
import { DiscoveredAccessInputType, DiscoveredAccessReportType } from './discovered-access.types';

const OPERATION = 'reportDiscoveredAccess';

/** What the communications operator reports (2-decisions-a-b.md, section 5, POST /discovered-access). */
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
      'Reports an organisation that asks for data of a meter point without being registered. A repeat for the same meter point and ' +
      'organisation brings its record up to date.',
  })
  async reportDiscoveredAccess(
    @Arg('input', () => DiscoveredAccessInputType, { description: 'What was seen.' }) input: DiscoveredAccessInputType,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description: 'Makes a repeat give the same answer, for 24 hours.',
    })
    idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<DiscoveredAccessReportType> {
    const { accountId } = callerOf(context);
    const request = this.idempotency.request(accountId, OPERATION, idempotencyKey ?? null, input);
    const kept = await this.discoveries.recallKept(request);
    if (kept) return { ...kept, replayed: true };
    refuse(discoveredAccessViolations(input, await this.discoveries.today()));
    const meterPointId = await this.meterPoints(input.mpxn, context);
    return this.discoveries.report({ accountId, meterPointId, report: input }, request);
  }
}
