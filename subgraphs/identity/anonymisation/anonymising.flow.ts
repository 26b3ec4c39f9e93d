import { CloseIdentityRecord } from '../../../schema/generated/service-queries-to-access';
import { type Session, inTransactionOf } from '../../server/database/transaction';
import { type CallOrigin, ofThisService, querySubgraph } from '../../server/graph/service-query';
import { keepConnections } from '../contacts/kept-connections.repository';
import type { IdentityDependencies } from '../dependencies';
import { eraseOccupancy } from '../occupancy/occupancy-erasure.flow';
import type { AnonymisingRepository } from './anonymising.repository';
import { anonymisingState, audited, destroyPersonalData } from './personal-data-destruction.repository';

/** Actor of the job in the audit. The request that it completes has its own entry. */
const JOB_ACTOR = 'register';

/**
 * Time of the anonymising; null while ACTIVE access records of other Data Users delay it; `refused` while one of its own Data User exists.
 */
type AnonymisingOutcome = { readonly anonymisedAt: Date | null } | 'refused';

/** A record under its lock, and the request or job that anonymises it. */
interface AnonymisingRun {
  readonly session: Session;
  readonly id: string;
  /** Actor in the audit. */
  readonly actor: string;
  readonly origin: CallOrigin;
}

/** Anonymises Identity Records in repeatable steps over both subgraphs (decisions A/B, 4). */
export class Anonymising {
  constructor(
    private readonly records: AnonymisingRepository,
    private readonly dependencies: Pick<IdentityDependencies, 'access' | 'cipher'>,
  ) {}

  /**
   * Anonymises a record: marks it as closing, which rejects registrations; lets `access` drop its links; destroys data key and blind indexes.
   * If a linked record of its own Data User is ACTIVE, `access` rejects the closing, and the mark is removed. If one of another Data User is,
   * the record remains closed, and a job anonymises it when the last of them has ended.
   */
  anonymise(id: string, actor: string, origin: CallOrigin): Promise<AnonymisingOutcome> {
    return this.records.withRecordLock(id, async (session) => {
      const { anonymisedAt } = await anonymisingState(session, id);
      if (anonymisedAt !== null) return { anonymisedAt };
      const run = { session, id, actor, origin };
      await this.step(run, () => this.records.markClosing(session, id));
      return this.closeAndDestroy(run);
    });
  }

  /** Resumes an interrupted anonymising: `access` decides whether it completes or is undone. Does nothing if it ended. */
  async resume(id: string): Promise<void> {
    await this.records.withRecordLock(id, async (session) => {
      const { closing, anonymisedAt } = await anonymisingState(session, id);
      if (!closing || anonymisedAt !== null) return;
      await this.closeAndDestroy({ session, id, actor: JOB_ACTOR, origin: ofThisService() });
    });
  }

  private async closeAndDestroy(run: AnonymisingRun): Promise<AnonymisingOutcome> {
    const { access, cipher } = this.dependencies;
    const { session, id, origin } = run;
    const { duid, isClosed } = await anonymisingState(session, id);
    const { closeIdentityRecord } = await querySubgraph(access, 'identity', CloseIdentityRecord, { id, duid }, origin);
    if (closeIdentityRecord.closed) {
      await this.step(run, async () => {
        await keepConnections(session, cipher, id);
        await eraseOccupancy(session, cipher, id);
        await destroyPersonalData(session, id);
      });
      return { anonymisedAt: (await anonymisingState(session, id)).anonymisedAt };
    }
    if (isClosed) {
      await this.records.retryLater(session, id);
      return { anonymisedAt: null };
    }
    if (closeIdentityRecord.refused) {
      await this.step(run, () => this.records.undo(session, id));
      return 'refused';
    }
    await this.step(run, async () => {
      await keepConnections(session, cipher, id);
      await this.records.closePermanently(session, id);
    });
    return { anonymisedAt: null };
  }

  /** Runs a step in one transaction, with the audit of the transition that occurred. */
  private step({ session, id, actor }: AnonymisingRun, change: () => Promise<void>): Promise<void> {
    const work = () => audited(session, id, actor, change);
    return inTransactionOf(session, work, () => undefined); // withRecordLock discards a session that fails
  }
}
