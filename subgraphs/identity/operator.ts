import { newIdentifier } from '../../schema/identifiers';
import { repeat } from '../server/repeat';
import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';
import {
  ANNOUNCE,
  type Announcement,
  type AnnouncedChange,
  ChangeOfTenancyRepository,
  type KeptChange,
} from './database/change-of-tenancy.repository';
import { DiscoveredMeterPointRepository } from './database/discovered-meter-point.repository';
import type { Area, Foundation } from './foundation';
import { ChangeOfTenancyResolver } from './resolvers/change-of-tenancy.resolver';
import { DiscoveredMeterPointResolver } from './resolvers/discovered-meter-point.resolver';

/** Seconds between looks for changes whose announcement was begun and forgotten. */
const LOOK_EVERY = 300;

/** What the communications operator tells: changes of tenancy, and where access was discovered (2-decisions-a-b.md, section 5). */
export function operatorArea(foundation: Foundation): Area {
  const { access, idempotency, logger } = foundation;
  const changes = new ChangeOfTenancyRepository(foundation);
  const announce = (id: string, origin: QuestionOrigin) => announced(changes, access, id, origin);
  const byJob = (payload: unknown) => announce((payload as { id: string }).id, ofThisService());
  return {
    resolvers: [
      new ChangeOfTenancyResolver(changes, announce, idempotency),
      new DiscoveredMeterPointResolver(new DiscoveredMeterPointRepository(foundation)),
    ],
    tasks: { [ANNOUNCE]: async (payload) => void (await byJob(payload)) },
    stop: repeat(LOOK_EVERY, () => changes.recallForgotten(), logger),
  };
}

function ofThisService(): QuestionOrigin {
  return { transactionId: newIdentifier('tid'), clientAddress: '' };
}

/**
 * The change as it was announced. `access` tells Data Users of it once, however often it is asked, so each step may be repeated: whatever
 * a kill has left undone is done by the next request or by the job.
 */
async function announced(
  changes: ChangeOfTenancyRepository,
  access: SubgraphLink,
  id: string,
  origin: QuestionOrigin,
): Promise<AnnouncedChange> {
  const kept = await changes.byId(id);
  if (kept === undefined) throw new Error('a recorded change of tenancy is missing');
  if (kept.announcement !== null) return { ...kept, announcement: kept.announcement };
  const announcement = await announceTo(access, kept, origin);
  await changes.note(id, announcement);
  return { ...kept, announcement };
}

const ANNOUNCEMENT = `mutation AnnounceChangeOfTenancy($id: ID!, $meterPointId: ID!, $effectiveDate: Date!, $sourceReference: String!) {
  announceChangeOfTenancy(id: $id, meterPointId: $meterPointId, effectiveDate: $effectiveDate, sourceReference: $sourceReference) {
    activeRecordsAffected
    dataUsersNotified
  }
}`;

async function announceTo(
  access: SubgraphLink,
  { id, meterPointId, change }: KeptChange,
  origin: QuestionOrigin,
): Promise<Announcement> {
  const { effectiveDate, sourceReference } = change;
  const variables = { id, meterPointId, effectiveDate, sourceReference };
  type Answer = { announceChangeOfTenancy: Announcement };
  return (await askSubgraph<Answer>(access, 'identity', ANNOUNCEMENT, variables, origin)).announceChangeOfTenancy;
}
