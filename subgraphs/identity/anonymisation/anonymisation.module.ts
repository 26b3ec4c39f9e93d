import type { DatabaseAddress } from '../../server/database/database-login';
import { AuditLog } from '../../server/audit/audit.repository';
import { IdentityAuditResolver } from '../identity-audit.resolver';
import { repeat } from '../../server/jobs/repeat';
import { CloseIdentityRecord } from '../../../schema/generated/service-queries-to-access';
import { type CallOrigin, ofThisService, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import { ANONYMISE, AnonymisingRepository, type AnonymisingSteps } from './anonymising.repository';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { type AnonymisingOutcome, AnonymisingResolver } from './anonymising.resolver';

/** Seconds between two searches for closing records whose job was lost. */
const REQUEUE_EVERY_SECONDS = 300;

/** Actor of the job in the audit. The request that it completes has its own entry. */
const JOB_ACTOR = 'register';

/** Anonymising of Identity Records in repeatable steps over both subgraphs. */
export function anonymisingModule(dependencies: IdentityDependencies, address: DatabaseAddress): SubgraphModule {
  const { access, logger } = dependencies;
  const records = new AnonymisingRepository(dependencies, address);
  const stopRequeueing = repeat(REQUEUE_EVERY_SECONDS, () => records.requeueLostJobs(), logger);
  return {
    resolvers: [
      new AnonymisingResolver(records, (id, actor, origin) => anonymise(records, access, { id, actor }, origin)),
      new IdentityAuditResolver(new AuditLog(dependencies.database.pool)),
    ],
    tasks: { [ANONYMISE]: (payload) => resumeAnonymising(records, access, (payload as { id: string }).id) },
    stop: async () => {
      await Promise.all([stopRequeueing(), records.close()]);
    },
  };
}

/**
 * Anonymises a record: marks it as closing, which rejects registrations; lets `access` drop its links; destroys data key and blind indexes.
 * If a linked record of its own Data User is ACTIVE, `access` rejects the closing, and the mark is removed. If one of another Data User is,
 * the record remains closed, and a job anonymises it when the last of them has ended.
 */
function anonymise(
  records: AnonymisingRepository,
  access: SubgraphLink,
  { id, actor }: { readonly id: string; readonly actor: string },
  origin: CallOrigin,
): Promise<AnonymisingOutcome> {
  return records.withRecordLock(id, actor, async (steps) => {
    const { anonymisedAt } = await steps.state();
    if (anonymisedAt !== null) return { anonymisedAt };
    await steps.markClosing();
    return closeAndDestroy(steps, access, id, origin);
  });
}

/** Resumes an interrupted anonymising: `access` decides whether it completes or is undone. Does nothing if it ended. */
async function resumeAnonymising(records: AnonymisingRepository, access: SubgraphLink, id: string): Promise<void> {
  await records.withRecordLock(id, JOB_ACTOR, async (steps) => {
    const { closing, anonymisedAt } = await steps.state();
    if (!closing || anonymisedAt !== null) return;
    await closeAndDestroy(steps, access, id, ofThisService());
  });
}

async function closeAndDestroy(
  steps: AnonymisingSteps,
  access: SubgraphLink,
  id: string,
  origin: CallOrigin,
): Promise<AnonymisingOutcome> {
  const { duid, isClosed } = await steps.state();
  const { closed, refused } = await close(access, { id, duid }, origin);
  if (closed) {
    await steps.destroy();
    return { anonymisedAt: (await steps.state()).anonymisedAt };
  }
  if (refused && !isClosed) {
    await steps.undo();
    return 'refused';
  }
  await steps.delay();
  return { anonymisedAt: null };
}

async function close(access: SubgraphLink, record: { readonly id: string; readonly duid: string }, origin: CallOrigin) {
  return (await querySubgraph(access, 'identity', CloseIdentityRecord, record, origin)).closeIdentityRecord;
}
