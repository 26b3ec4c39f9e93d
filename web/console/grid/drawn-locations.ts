import { inSlices, mappedInSlices } from '../../../subgraphs/server/in-slices';
import { formerPoints } from './location-rows';
import type { Coordinates } from './map-plane';
import type { GridLocation } from './operation-results';

/** Maximum number of points that are drawn of a location: on the map a line of more points is indistinguishable. */
const MAX_DRAWN_POINTS = 5_000;

/**
 * Returns the locations that a map shows: those of the most frequent coordinate system that have points, with the points that it draws.
 * `pointsBefore` is empty unless the location moves.
 */
export async function drawnLocations(locations: readonly GridLocation[]): Promise<GridLocation[]> {
  const drawn: GridLocation[] = [];
  await inSlices(locations, (location) => {
    const points = drawnPoints(location.points);
    if (points.length > 0) drawn.push({ ...location, points, pointsBefore: drawnPoints(formerPoints(location)) });
  });
  return inOneSystem(drawn);
}

/** Returns two opposite corners of the rectangle around all points; nothing without locations. */
export async function cornersOf(locations: readonly GridLocation[]): Promise<Coordinates[]> {
  const corners = await mappedInSlices(locations, ({ points, pointsBefore }) => {
    const [x, y] = (['x', 'y'] as const).map((axis) => [...points, ...pointsBefore].map((point) => point[axis]));
    return [
      { x: Math.min(...(x ?? [])), y: Math.min(...(y ?? [])) },
      { x: Math.max(...(x ?? [])), y: Math.max(...(y ?? [])) },
    ];
  });
  return corners.flat();
}

/** Returns at most {@link MAX_DRAWN_POINTS} finite points, at equal distances in their order, among them the first and the last. */
function drawnPoints(points: readonly Coordinates[]): Coordinates[] {
  const finite = points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const distance = Math.max(1, (finite.length - 1) / (MAX_DRAWN_POINTS - 1));
  const count = Math.min(finite.length, MAX_DRAWN_POINTS);
  return Array.from({ length: count }, (_, index) => finite[Math.round(index * distance)]).flatMap(
    (each) => each ?? [],
  );
}

/** Returns the locations of the most frequent coordinate system: one map cannot show two systems. */
function inOneSystem(locations: readonly GridLocation[]): GridLocation[] {
  const counts = new Map<string | null, number>();
  for (const { coordinateSystem } of locations) counts.set(coordinateSystem, (counts.get(coordinateSystem) ?? 0) + 1);
  const [mostFrequent] = [...counts].toSorted(([, one], [, other]) => other - one);
  return locations.filter(({ coordinateSystem }) => coordinateSystem === mostFrequent?.[0]);
}
