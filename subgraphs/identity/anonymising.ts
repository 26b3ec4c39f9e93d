import { newIdentifier } from '../../schema/identifiers';
import type { DatabaseAddress } from '../server/database-login';
import { repeat } from '../server/repeat';
import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';
import { ANONYMISE, AnonymisingRepository, type AnonymisingSteps } from './database/anonymising.repository';
import type { Area, Foundation } from './foundation';
import { type AnonymisingOutcome, AnonymisingResolver } from './resolvers/anonymising.resolver';

/** Seconds between looks for records whose closing was begun and forgotten. */
const LOOK_EVERY = 300;

/** Anonymising Identity Records, in repeatable steps over both subgraphs. */
export function anonymisingArea({ database, jobs, access, logger }: Foundation, address: DatabaseAddress): Area {
  const records = new AnonymisingRepository(database, jobs, address);
  const stopLooking = repeat(LOOK_EVERY, () => records.recallForgotten(), logger);
  return {
    resolvers: [new AnonymisingResolver(records, (id, origin) => anonymise(records, access, id, origin))],
    tasks: { [ANONYMISE]: (payload) => endAnonymising(records, access, (payload as { id: string }).id) },
    stop: async () => {
      await Promise.all([stopLooking(), records.close()]);
    },
  };
}

/**
 * The steps in order: the record is marked closing (registrations are refused from here on), `access` drops its links, then the data key
 * and the blind indexes are destroyed. While a linked record of its own Data User is ACTIVE, `access` refuses: then the mark is taken back.
 * While one of another Data User is, the record stays closed, and a job anonymises it when the last of them has ended.
 */
function anonymise(
  records: AnonymisingRepository,
  access: SubgraphLink,
  id: string,
  origin: QuestionOrigin,
): Promise<AnonymisingOutcome> {
  return records.alone(id, async (steps) => {
    const { anonymisedAt } = await steps.state();
    if (anonymisedAt !== null) return { anonymisedAt };
    await steps.markClosing();
    return closeAndDestroy(steps, access, id, origin);
  });
}

/** What a kill left is finished or undone, as `access` decides; what was ended is left alone. */
async function endAnonymising(records: AnonymisingRepository, access: SubgraphLink, id: string): Promise<void> {
  await records.alone(id, async (steps) => {
    const { closing, anonymisedAt } = await steps.state();
    if (!closing || anonymisedAt !== null) return;
    await closeAndDestroy(steps, access, id, { transactionId: newIdentifier('tid'), clientAddress: '' });
  });
}

async function closeAndDestroy(
  steps: AnonymisingSteps,
  access: SubgraphLink,
  id: string,
  origin: QuestionOrigin,
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

const CLOSE = `mutation CloseIdentityRecord($id: ID!, $duid: DUID!) {
  closeIdentityRecord(id: $id, duid: $duid) { closed refused }
}`;

interface Closure {
  readonly closed: boolean;
  readonly refused: boolean;
}

async function close(
  access: SubgraphLink,
  record: { readonly id: string; readonly duid: string },
  origin: QuestionOrigin,
): Promise<Closure> {
  type Answer = { closeIdentityRecord: Closure };
  return (await askSubgraph<Answer>(access, 'identity', CLOSE, record, origin)).closeIdentityRecord;
}
