import type { Client } from 'pg';
import { missingMigrations } from '../../subgraphs/server/database/apply-migrations';
import { migrate } from '../../subgraphs/server/database/migrate';
import { rejectUnfinishedRestore } from '../../subgraphs/server/restore-mark';
import { requireLists } from './anonymised-list';
import { requireRegister } from './own-register';
import { type Reanonymised, reanonymise } from './reanonymise';
import { inSession } from './session';
import type { RestorePlan, RestoredSubgraph } from './restore';

/** The options of the command. */
interface ReanonymisePlan extends RestorePlan {
  readonly production: boolean;
}

/**
 * Repeats the erasures of the lists of a folder in an existing database, such as a promoted standby or a rewound server,
 * which may lack the latest ones. Runs pending migrations first, but not in production: only the migration job also grants
 * the rights that the services need after them.
 */
export async function reanonymiseExisting(plan: ReanonymisePlan): Promise<Reanonymised> {
  const list = await requireLists(plan.root, plan.alsoFrom);
  return inSession(plan.databaseUrl, {}, async (session) => {
    await rejectUnfinishedRestore(session);
    await requireRegister(session);
    if (plan.production) await rejectPendingMigrations(session, plan.subgraphs);
    for (const { address, tables, keys } of plan.subgraphs)
      await migrate(address, tables, undefined, keys, plan.logger);
    return await reanonymise(session, list, plan);
  });
}

async function rejectPendingMigrations(session: Client, subgraphs: readonly RestoredSubgraph[]): Promise<void> {
  for (const { address, tables } of subgraphs) {
    const { length } = (await missingMigrations(tables.migrations, session, address.schema)) ?? tables.migrations;
    if (length > 0)
      throw new Error(
        `${length} migrations of ${address.schema} have not been applied; run the migration job (npm run migrate)`,
      );
  }
}
