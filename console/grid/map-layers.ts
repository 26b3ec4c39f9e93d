import type { Coordinates } from './map-plane';
import type { ObjectChangeKind } from './register-answers';

/** Everything of one kind that a map of very many locations draws: a path through all its lines, and one through all its marks. */
export interface MapLayer {
  readonly kind: ObjectChangeKind;
  /** Whether something new takes the same course. */
  readonly isReplaced: boolean;
  readonly lines: string;
  readonly marks: string;
}

/** What a location looks like on the map, in hundredths of the picture. */
export interface DrawnPlace {
  readonly kind: ObjectChangeKind;
  readonly isReplaced: boolean;
  readonly points: readonly Coordinates[];
}

/** About a pixel: what is nearer to each other cannot be told apart. */
const PIXEL = 0.2;

/** The layers of a map, each drawn over those before it: of what looks the same, one is drawn. */
export function layersOf(places: readonly DrawnPlace[], kinds: readonly ObjectChangeKind[]): MapLayer[] {
  return kinds
    .flatMap((kind) => [true, false].map((isReplaced) => ({ kind, isReplaced })))
    .map(({ kind, isReplaced }) => {
      const own = places.filter((place) => place.kind === kind && place.isReplaced === isReplaced);
      return { kind, isReplaced, ...pathsOf(own.map(({ points }) => points)) };
    })
    .filter(({ lines, marks }) => lines !== '' || marks !== '');
}

function pathsOf(courses: readonly (readonly Coordinates[])[]): Pick<MapLayer, 'lines' | 'marks'> {
  const lines = new Set<string>();
  const marks = new Set<string>();
  for (const points of courses) {
    const [first, ...others] = simplified(points, PIXEL).map(written);
    if (points.length < 2) marks.add(`M${first}h0`);
    else lines.add(others.length === 0 ? `M${first}h${PIXEL}` : `M${first}L${others.join(' ')}`);
  }
  return { lines: [...lines].join(''), marks: [...marks].join('') };
}

function written({ x, y }: Coordinates): string {
  return `${Number(x.toFixed(1))} ${Number(y.toFixed(1))}`;
}

/** A line without the points that are nearer than this to the one before; its ends stay, unless they are as near. */
export function simplified(points: readonly Coordinates[], nearness: number): Coordinates[] {
  const kept: Coordinates[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    if (last === undefined || Math.hypot(point.x - last.x, point.y - last.y) >= nearness) kept.push(point);
  }
  const end = points.at(-1);
  if (end !== undefined && kept.length > 1) kept[kept.length - 1] = end;
  return kept;
}
