import { dueKeys } from '../../server/occupancy-keys';
import { repeat } from '../../server/jobs/repeat';
import { purgePeriodically } from '../../server/retention';
import { AnnounceChangeOfTenancy } from '../../../schema/generated/service-queries-to-access';
import { type CallOrigin, ofThisService, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import { ANNOUNCE, type Announcement, ChangeOfTenancyRepository } from './change-of-tenancy.repository';
import { DiscoveredMeterPointRepository } from './discovered-meter-point.repository';
import { IDENTITY_OCCUPANCIES } from '../occupancy/identity-occupancies.queries';
import { reencryptIdentityMpxns } from '../occupancy/mpxn-reencryption.flow';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { ChangeOfTenancyResolver } from './change-of-tenancy.resolver';
import { DiscoveredMeterPointResolver } from './discovered-meter-point.resolver';

/** Seconds between two searches for changes whose job was lost, and for rows without the key of an occupancy. */
const SEARCH_EVERY_SECONDS = 300;
/** Seconds between two passes over the keys of occupancies, which destroy those that are due. */
const DESTROY_EVERY_SECONDS = 3_600;

/** Reports of the communications operator: Changes of Tenancy and discovered access (decisions A/B, 5). */
export function operatorModule(dependencies: IdentityDependencies): SubgraphModule {
  const { access, database, idempotency, logger } = dependencies;
  const changes = new ChangeOfTenancyRepository(dependencies);
  const announce = (id: string, origin: CallOrigin) => announced(changes, access, id, origin);
  const byJob = (payload: unknown) => announce((payload as { id: string }).id, ofThisService());
  return {
    resolvers: [
      new ChangeOfTenancyResolver(changes, announce, idempotency),
      new DiscoveredMeterPointResolver(new DiscoveredMeterPointRepository(dependencies)),
    ],
    tasks: { [ANNOUNCE]: async (payload) => void (await byJob(payload)) },
    stop: stopAll([
      repeat(SEARCH_EVERY_SECONDS, () => changes.requeueLostJobs(), logger),
      repeat(SEARCH_EVERY_SECONDS, () => reencryptIdentityMpxns(dependencies), logger),
      purgePeriodically([dueKeys(database.pool, IDENTITY_OCCUPANCIES)], DESTROY_EVERY_SECONDS, logger),
    ]),
  };
}

const stopAll = (stops: readonly (() => Promise<void>)[]) => async () => {
  await Promise.all(stops.map((stop) => stop()));
};

/**
 * Announces a change and returns its announcement. `access` notifies Data Users once, so each step is repeatable: the next request or the
 * job completes an interrupted announcement.
 */
async function announced(
  changes: ChangeOfTenancyRepository,
  access: SubgraphLink,
  id: string,
  origin: CallOrigin,
): Promise<Announcement> {
  const stored = await changes.byId(id);
  if (stored === undefined) throw new Error('a recorded change of tenancy is missing');
  if (stored.announcement !== null) return stored.announcement;
  const announcement = (await querySubgraph(access, 'identity', AnnounceChangeOfTenancy, stored.unannounced, origin))
    .announceChangeOfTenancy;
  await changes.note(id, announcement);
  return announcement;
}
