import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { Idempotency, IdempotentRequest } from '../../server/idempotency';
import type { QuestionOrigin } from '../../server/service-question';
import type {
  AnnouncedChange,
  ChangeOfTenancyRepository,
  RecordedChange,
} from '../database/change-of-tenancy.repository';
import { changeOfTenancyViolations } from '../domain/change-of-tenancy';
import { ChangeOfTenancyInput, ChangeOfTenancyRecord } from './change-of-tenancy.types';

/** Announces a recorded change, unless that was done; the change with its announcement. */
export type AnnounceChange = (id: string, origin: QuestionOrigin) => Promise<AnnouncedChange>;

const OPERATION = 'recordChangeOfTenancy';
/** Under which it is kept what a request has recorded, from then on until it is answered. */
const BEGUN = 'recordChangeOfTenancy, begun';

/**
 * Changes of Tenancy (2-decisions-a-b.md, section 5, POST /cot-events). A request that fails after it has recorded a change is not
 * answered: its repeat under the same idempotency key goes on with that change, as what it was first, and is no replay.
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
      'Records a Change of Tenancy and tells every Data User with ACTIVE access records at the meter point, now, also of one that lies ' +
      'ahead. A repeat of meter point, day and reference tells nobody again.',
  })
  async recordChangeOfTenancy(
    @Arg('input', () => ChangeOfTenancyInput, { description: 'The change.' }) input: ChangeOfTenancyInput,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      defaultValue: null,
      description: 'Makes a repeat give the same answer, for 24 hours.',
    })
    idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ChangeOfTenancyRecord> {
    const { accountId } = callerOf(context);
    const [begun, request] = [BEGUN, OPERATION].map((operation) =>
      this.idempotency.request(accountId, operation, idempotencyKey, input),
    ) as [IdempotentRequest, IdempotentRequest];
    const answered = await this.changes.recallKept(request);
    if (answered) return this.answer(answered, true, context);
    let recorded = await this.changes.recallKept(begun);
    if (recorded === undefined) {
      refuse(changeOfTenancyViolations(input));
      recorded = (await this.changes.record(input, begun)) ?? (await this.changes.recall(begun));
    }
    const answer = await this.answer(recorded, false, context);
    return { ...answer, replayed: !(await this.changes.keepAnswered(recorded, request)) };
  }

  /** What is answered is what was announced first, however often it is asked. */
  private async answer({ id, isNew }: RecordedChange, replayed: boolean, context: CallContext) {
    const { change, announcement } = await this.announce(id, context);
    return { ...change, ...announcement, isNew, replayed };
  }
}
