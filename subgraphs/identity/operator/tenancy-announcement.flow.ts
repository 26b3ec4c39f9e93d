import { AnnounceChangeOfTenancy } from '../../../schema/generated/service-queries-to-access';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/callers/caller';
import { type CallOrigin, querySubgraph } from '../../server/graph/service-query';
import { replayable } from '../../server/idempotency';
import type { IdentityDependencies } from '../dependencies';
import { type ChangeOfTenancy, changeOfTenancyViolations } from './change-of-tenancy';
import type { Announcement, ChangeOfTenancyRepository, RecordedChange } from './change-of-tenancy.repository';

const OPERATION = 'recordChangeOfTenancy';
/** Name of the operation under which a recorded change is stored until its response is. */
const STARTED = 'recordChangeOfTenancy, begun';

/** Records Changes of Tenancy, and announces them to Data Users through `access` (decisions A/B, 5). */
export class TenancyAnnouncement {
  constructor(
    private readonly changes: ChangeOfTenancyRepository,
    private readonly dependencies: Pick<IdentityDependencies, 'access' | 'idempotency'>,
  ) {}

  /**
   * Records and announces a change. A request that fails after it recorded the change has no stored response: a repeat with the same
   * idempotency key continues with that change and is no replay.
   */
  async record(change: ChangeOfTenancy, idempotencyKey: string | null, context: CallContext) {
    const { accountId } = callerOf(context);
    const requestOf = (operation: string) =>
      this.dependencies.idempotency.request(accountId, operation, idempotencyKey, change);
    const [started, request] = [requestOf(STARTED), requestOf(OPERATION)];
    const stored = await request.findStoredResponse<RecordedChange>();
    if (stored) return { ...(await this.response(change, stored, context)), replayed: true };
    const { response: recorded } = await replayable(started, async () => {
      throwViolations(changeOfTenancyViolations(change));
      return this.changes.record(change, started);
    });
    const response = await this.response(change, recorded, context);
    return { ...response, replayed: !(await this.changes.storeResponse(recorded, request)) };
  }

  /**
   * Announces a change and returns its announcement. `access` notifies Data Users once, so each step is repeatable: the next request or the
   * job completes an interrupted announcement.
   */
  async announce(id: string, origin: CallOrigin): Promise<Announcement> {
    const stored = await this.changes.byId(id);
    if (stored === undefined) throw new Error('a recorded change of tenancy is missing');
    if (stored.announcement !== null) return stored.announcement;
    const { announceChangeOfTenancy: announcement } = await querySubgraph(
      this.dependencies.access,
      'identity',
      AnnounceChangeOfTenancy,
      stored.unannounced,
      origin,
    );
    await this.changes.note(id, announcement);
    return announcement;
  }

  /**
   * Returns the first announcement of a change. The request repeats the MPxN, so that the response is complete after the stored MPxN was
   * erased.
   */
  private async response(
    { mpxn, effectiveDate, sourceReference }: ChangeOfTenancy,
    { id, isNew }: RecordedChange,
    origin: CallOrigin,
  ) {
    return { mpxn, effectiveDate, sourceReference, ...(await this.announce(id, origin)), isNew };
  }
}
