import type { PageContext } from '../page';
import { countsByKind } from './class-bars';
import type { ProjectAddress } from './project-address';
import { found } from './project-reading';
import type { GridLocation, ObjectChangeKind, ObjectClassCount } from './operation-results';

/** Maximum number of locations of a query. */
const LOCATIONS_PER_QUERY = 1_000;

/** Minimum number of locations of a query: it bounds the number of queries, each of which counts for the rate limit. */
const MIN_LOCATIONS = 750;

/** Number of locations of the first query, before their points are counted. */
const FIRST_LOCATIONS = 250;

/** Usual number of points of a query: its result is made and read in one turn of the event loop. */
const POINTS_PER_QUERY = 5_000;

/** Maximum number of locations that are read for a map; the files of a licence area rarely contain more. */
const MAX_LOCATIONS = 30_000;

/** Locations of a version in the order of their mRIDs: all, or the first {@link MAX_LOCATIONS}. */
export interface VersionLocations {
  readonly nodes: readonly GridLocation[];
  readonly totalCount: number;
}

/** Reads the locations of a version, page by page. Pages are smaller if the locations before them have many points. */
export async function readLocations(
  { execute }: Pick<PageContext, 'execute'>,
  address: ProjectAddress,
  version: number,
): Promise<VersionLocations> {
  const nodes: GridLocation[] = [];
  let after: string | null = null;
  let size = FIRST_LOCATIONS;
  for (;;) {
    const first = Math.min(size, MAX_LOCATIONS - nodes.length);
    const result: LocationsResult = await execute('ReadGridLocations', { ...address, version, first, after });
    const { locations } = found(result.project?.version);
    nodes.push(...locations.nodes);
    after = locations.nextCursor;
    size = nextSize(locations.nodes);
    if (after === null || nodes.length >= MAX_LOCATIONS) return { nodes, totalCount: locations.totalCount };
  }
}

/** Returns the number of locations that have {@link POINTS_PER_QUERY} points if they are like these. */
function nextSize(nodes: readonly GridLocation[]): number {
  const points = nodes.reduce((sum, location) => sum + location.points.length + location.pointsBefore.length, 0);
  const size = Math.round((POINTS_PER_QUERY * nodes.length) / Math.max(1, points));
  return Math.min(LOCATIONS_PER_QUERY, Math.max(MIN_LOCATIONS, size));
}

interface LocationsResult {
  readonly project: {
    readonly version: { readonly locations: VersionLocations & { readonly nextCursor: string | null } } | null;
  } | null;
}

/**
 * Returns the number of locations of each kind. If not all were read, they are computed from the class counts: a
 * location is changed unless it is added or removed.
 */
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
