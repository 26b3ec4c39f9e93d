import { newIdentifier } from '../../schema/identifiers';
import type { DatabaseAddress } from '../server/database-login';
import { repeat } from '../server/repeat';
import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';
import { ANONYMISE, AnonymisingRepository, type AnonymisingSteps } from './database/anonymising.repository';
import type { Area, Foundation } from './foundation';
import { AnonymisingResolver } from './resolvers/anonymising.resolver';

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
 * and the blind indexes are destroyed. `access` refuses while a linked record is ACTIVE: then the mark is taken back.
 */
function anonymise(
  records: AnonymisingRepository,
  access: SubgraphLink,
  id: string,
  origin: QuestionOrigin,
): Promise<Date | null> {
  return records.alone(id, async (steps) => {
    const { anonymisedAt } = await steps.state();
    if (anonymisedAt !== null) return anonymisedAt;
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
): Promise<Date | null> {
  if (await isClosed(access, id, origin)) await steps.destroy();
  else await steps.undo();
  return (await steps.state()).anonymisedAt;
}

const CLOSE = 'mutation CloseIdentityRecord($id: ID!) { closeIdentityRecord(id: $id) { closed } }';

async function isClosed(access: SubgraphLink, id: string, origin: QuestionOrigin): Promise<boolean> {
  type Answer = { closeIdentityRecord: { closed: boolean } };
  return (await askSubgraph<Answer>(access, 'identity', CLOSE, { id }, origin)).closeIdentityRecord.closed;
}
