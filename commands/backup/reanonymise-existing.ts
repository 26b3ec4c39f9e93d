import { migrate } from '../../subgraphs/server/database/migrate';
import { rejectUnfinishedRestore } from '../../subgraphs/server/restore-mark';
import { requireLists } from './anonymised-list';
import { requireRegister } from './own-register';
import { type Reanonymised, reanonymise } from './reanonymise';
import { inSession } from './session';
import type { RestorePlan } from './restore';

/**
 * Repeats the erasures of the lists of a folder in an existing database, such as a promoted standby or a rewound server,
 * which may lack the latest ones. Runs pending migrations first.
 */
export async function reanonymiseExisting(plan: RestorePlan): Promise<Reanonymised> {
  const list = await requireLists(plan.root, plan.alsoFrom);
  return inSession(plan.databaseUrl, {}, async (session) => {
    await rejectUnfinishedRestore(session);
    await requireRegister(session);
    for (const { address, tables, keys } of plan.subgraphs) await migrate(address, tables, undefined, keys);
    return await reanonymise(session, list, plan);
  });
}
