import type { DatabaseAddress } from '../../server/database/database-login';
import { AuditLog } from '../../server/audit/audit.repository';
import { repeat } from '../../server/jobs/repeat';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { IdentityAuditResolver } from '../identity-audit.resolver';
import { OwnRecords } from '../records/own-records.repository';
import { Anonymising } from './anonymising.flow';
import { ANONYMISE, AnonymisingRepository } from './anonymising.repository';
import { AnonymisingResolver } from './anonymising.resolver';

/** Seconds between two searches for closing records whose job was lost. */
const REQUEUE_EVERY_SECONDS = 300;

/** Anonymising of Identity Records (decisions A/B, 4). */
export function anonymisingModule(dependencies: IdentityDependencies, address: DatabaseAddress): SubgraphModule {
  const records = new AnonymisingRepository(dependencies, address);
  const anonymising = new Anonymising(records, dependencies);
  const stopRequeueing = repeat(REQUEUE_EVERY_SECONDS, () => records.requeueLostJobs(), dependencies.logger);
  return {
    resolvers: [
      new AnonymisingResolver(records, anonymising, new OwnRecords(dependencies.database)),
      new IdentityAuditResolver(new AuditLog(dependencies.database.pool)),
    ],
    tasks: { [ANONYMISE]: (payload) => anonymising.resume((payload as { id: string }).id) },
    stop: async () => {
      await Promise.all([stopRequeueing(), records.close()]);
    },
  };
}
