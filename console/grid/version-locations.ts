import type { Visit } from '../page';
import { countsByKind } from './counts-by-kind';
import type { ProjectAddress } from './project-address';
import { found } from './project-reading';
import type { GridLocation, ObjectChangeKind, ObjectClassCount } from './register-answers';

/** Locations that are asked for at once: as many as the graph gives. */
const ASKED_AT_ONCE = 5_000;

/** Locations that a map draws at most: the files of a licence area seldom have so many. */
export const MOST_DRAWN = 30_000;

/** Locations of a version, in the order of mRIDs: all, or the first of very many. */
export interface VersionLocations {
  readonly nodes: readonly GridLocation[];
  readonly totalCount: number;
}

/** Asks for the locations of a version, page after page. */
export async function readLocations(
  { ask }: Pick<Visit, 'ask'>,
  address: ProjectAddress,
  version: number,
): Promise<VersionLocations> {
  const nodes: GridLocation[] = [];
  let after: string | null = null;
  for (;;) {
    const first = Math.min(ASKED_AT_ONCE, MOST_DRAWN - nodes.length);
    const answer: LocationsAnswer = await ask('ReadGridLocations', { ...address, version, first, after });
    const { locations } = found(answer.project?.version);
    nodes.push(...locations.nodes);
    after = locations.nextCursor;
    if (after === null || nodes.length >= MOST_DRAWN) return { nodes, totalCount: locations.totalCount };
  }
}

interface LocationsAnswer {
  readonly project: {
    readonly version: { readonly locations: VersionLocations & { readonly nextCursor: string | null } } | null;
  } | null;
}

/** How many locations there are of each kind, also of those that were not asked for: what is neither a new object nor one that goes is changed. */
export function locationTotals(
  { nodes, totalCount }: VersionLocations,
  classCounts: readonly ObjectClassCount[],
): Readonly<Record<ObjectChangeKind, number>> {
  if (nodes.length === totalCount) {
    const counts = { ADDED: 0, REMOVED: 0, CHANGED: 0 };
    for (const { kind } of nodes) counts[kind] += 1;
    return counts;
  }
  const whole = classCounts.find(({ type }) => type === 'cim:Location');
  const { ADDED, REMOVED } = countsByKind(whole ?? { added: 0, removed: 0, changed: 0 });
  return { ADDED, REMOVED, CHANGED: totalCount - ADDED - REMOVED };
}
