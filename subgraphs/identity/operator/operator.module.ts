import { dueKeys } from '../../server/occupancy-keys';
import { repeat, stopAll } from '../../server/jobs/repeat';
import { purgePeriodically } from '../../server/retention';
import { ofThisService } from '../../server/graph/service-query';
import { ANNOUNCE, ChangeOfTenancyRepository } from './change-of-tenancy.repository';
import { DiscoveredMeterPointRepository } from './discovered-meter-point.repository';
import { IDENTITY_OCCUPANCIES } from '../occupancy/identity-occupancies.queries';
import { reencryptIdentityMpxns } from '../occupancy/mpxn-reencryption.flow';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { ChangeOfTenancyResolver } from './change-of-tenancy.resolver';
import { DiscoveredMeterPointResolver } from './discovered-meter-point.resolver';
import { TenancyAnnouncement } from './tenancy-announcement.flow';

/** Seconds between two searches for changes whose job was lost, and for rows without the key of an occupancy. */
const SEARCH_EVERY_SECONDS = 300;
/** Seconds between two passes over the keys of occupancies, which destroy those that are due. */
const DESTROY_EVERY_SECONDS = 3_600;
/** Seconds between searches for changes that were recorded while the clock was ahead; they read an index. */
const CORRECT_EVERY_SECONDS = 10;

/** Reports of the communications operator: Changes of Tenancy and discovered access (decisions A/B, 5). */
export function operatorModule(dependencies: IdentityDependencies): SubgraphModule {
  const { database, logger } = dependencies;
  const changes = new ChangeOfTenancyRepository(dependencies);
  const announcement = new TenancyAnnouncement(changes, dependencies);
  return {
    resolvers: [
      new ChangeOfTenancyResolver(changes, announcement),
      new DiscoveredMeterPointResolver(new DiscoveredMeterPointRepository(dependencies)),
    ],
    tasks: {
      [ANNOUNCE]: async (payload) =>
        void (await announcement.announce((payload as { id: string }).id, ofThisService())),
    },
    stop: stopAll([
      repeat(CORRECT_EVERY_SECONDS, () => changes.correctTimesAhead(), logger),
      repeat(SEARCH_EVERY_SECONDS, () => changes.requeueLostJobs(), logger),
      repeat(SEARCH_EVERY_SECONDS, () => reencryptIdentityMpxns(dependencies), logger),
      purgePeriodically(database.pool, [dueKeys(database.pool, IDENTITY_OCCUPANCIES)], DESTROY_EVERY_SECONDS, logger),
    ]),
  };
}
