import { inSlices } from '../../../subgraphs/server/in-slices';
import type { Coordinates } from './map-plane';
import type { ObjectChangeKind } from './operation-results';

/** All locations of one kind on a map of many locations: one path through all lines and one through all marks. */
interface MapLayer {
  readonly kind: ObjectChangeKind;
  /** True if a new line follows the same course. */
  readonly isReplaced: boolean;
  readonly lines: string;
  readonly marks: string;
}

/** A location on the map; coordinates are percentages of the picture. */
interface DrawnLocation {
  readonly kind: ObjectChangeKind;
  readonly isReplaced: boolean;
  readonly points: readonly Coordinates[];
}

/** About one pixel, in percent of the picture: closer points are indistinguishable. */
const PIXEL_SIZE = 0.2;

/** Returns the layers of a map in drawing order. Draws one of several locations with the same appearance. */
export async function layersOf(
  places: readonly DrawnLocation[],
  kinds: readonly ObjectChangeKind[],
): Promise<MapLayer[]> {
  const layers: MapLayer[] = [];
  for (const kind of kinds)
    for (const isReplaced of [true, false]) {
      const own = places.filter((place) => place.kind === kind && place.isReplaced === isReplaced);
      const paths = await pathsOf(own.map(({ points }) => points));
      if (paths.lines !== '' || paths.marks !== '') layers.push({ kind, isReplaced, ...paths });
    }
  return layers;
}

async function pathsOf(courses: readonly (readonly Coordinates[])[]): Promise<Pick<MapLayer, 'lines' | 'marks'>> {
  const lines = new Set<string>();
  const marks = new Set<string>();
  await inSlices(courses, (points) => {
    const [first, ...others] = simplified(points, PIXEL_SIZE).map(written);
    if (points.length < 2) marks.add(`M${first}h0`);
    else lines.add(others.length === 0 ? `M${first}h${PIXEL_SIZE}` : `M${first}L${others.join(' ')}`);
  });
  return { lines: [...lines].join(''), marks: [...marks].join('') };
}

function written({ x, y }: Coordinates): string {
  return `${Number(x.toFixed(1))} ${Number(y.toFixed(1))}`;
}

/**
 * Removes points closer than `minDistance` to the previous one; the end points stay unless they are that close
 * themselves.
 */
export function simplified(points: readonly Coordinates[], minDistance: number): Coordinates[] {
  const simplifiedPoints: Coordinates[] = [];
  for (const point of points) {
    const last = simplifiedPoints.at(-1);
    if (last === undefined || Math.hypot(point.x - last.x, point.y - last.y) >= minDistance)
      simplifiedPoints.push(point);
  }
  const end = points.at(-1);
  if (end !== undefined && simplifiedPoints.length > 1) simplifiedPoints[simplifiedPoints.length - 1] = end;
  return simplifiedPoints;
}
