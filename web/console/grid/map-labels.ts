import { inSlices } from '../../../subgraphs/server/in-slices';
import { simplified } from './map-layers';
import { type Coordinates, MAP_SHAPES, type MapShape } from './map-plane';

/** A location that a map may label; earlier ones have precedence. */
interface LabelledLocation {
  readonly name: string | null;
  /** Its middle, in percent of the picture. */
  readonly at: Coordinates;
  /** Its points, through which its line is drawn. */
  readonly points: readonly Coordinates[];
}

/** Side of a point on which its label is written. */
type LabelSide = (typeof SIDES)[number];

const SIDES = ['right', 'left', 'above', 'below'] as const;

/** A label on the map. */
interface MapLabel {
  readonly text: string;
  readonly at: Coordinates;
  readonly side: LabelSide;
}

/** Maximum number of labels; the table contains all names. */
const MAX_LABELS = 24;
/** Maximum number of locations of a map with labels: on a fuller map only a few labels would fit. */
const MAX_LABELLED_LOCATIONS = 200;
/** Maximum number of boxes that keep labels away from marks and lines, for the same reason. */
const MAX_BOXES = 5_000;
const MAX_NAME_LENGTH = 30;

/** Usual width of the map; on narrower screens `grid.css` hides the labels. */
const PICTURE_WIDTH_PX = 540;
const LETTER_WIDTH_PX = 6.8;
const LINE_HEIGHT_PX = 16;
const GAP_PX = 10;
/** Minimum distance of labels from the middle of a mark or a line. */
const MARK_RADIUS_PX = 6;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns labels that neither leave the map nor cover one another, a mark or a line. Each name is written at most once:
 * at the middle of its location, or else at an end. Marks come before lines, because they offer fewer positions.
 */
export async function labelsOf(locations: readonly LabelledLocation[], shape: MapShape): Promise<MapLabel[]> {
  if (locations.length > MAX_LABELLED_LOCATIONS) return [];
  const size = { width: PICTURE_WIDTH_PX, height: PICTURE_WIDTH_PX / MAP_SHAPES[shape] };
  const ordered = locations.toSorted((one, other) => Number(one.points.length > 1) - Number(other.points.length > 1));
  const courses = ordered.map(({ points }) =>
    simplified(
      points.map((point) => pixelsOf(point, size)),
      MARK_RADIUS_PX,
    ),
  );
  if (courses.reduce((sum, course) => sum + boxCount(course), 0) > MAX_BOXES) return [];
  const taken = courses.flatMap(pointsAlong).map(boxAround);
  const labels = new Map<string, MapLabel>();
  await inSlices(ordered, (location) => {
    if (labels.size === MAX_LABELS || location.name === null || labels.has(location.name)) return;
    const label = labelPositions(location, location.name).find((each) => isFree(textBox(each, size), taken, size));
    if (label === undefined) return;
    taken.push(textBox(label, size));
    labels.set(location.name, label);
  });
  return [...labels.values()];
}

/** Returns the possible positions of a label, the best first. */
function labelPositions({ at, points }: LabelledLocation, name: string): MapLabel[] {
  const ends = points.length > 1 ? [points.at(-1) ?? at, points[0] ?? at] : [];
  return [at, ...ends].flatMap((position) => SIDES.map((side) => ({ text: shortened(name), at: position, side })));
}

/** Returns the number of boxes along a line, before any is made. */
function boxCount(points: readonly Coordinates[]): number {
  return points.reduce((sum, to, index) => sum + stepsTo(to, points[index - 1]), 0);
}

/** Returns points along a line, at most one mark radius apart. */
function pointsAlong(points: readonly Coordinates[]): Coordinates[] {
  return points.flatMap((to, index) => {
    const from = points[index - 1] ?? to;
    const steps = stepsTo(to, points[index - 1]);
    return Array.from({ length: steps }, (_, step) => ({
      x: from.x + ((to.x - from.x) * (step + 1)) / steps,
      y: from.y + ((to.y - from.y) * (step + 1)) / steps,
    }));
  });
}

/** Returns the number of boxes from the previous point of a line, if there is one, to the next. */
function stepsTo(to: Coordinates, from: Coordinates = to): number {
  return Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / MARK_RADIUS_PX));
}

function shortened(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1)}…`;
}

function pixelsOf({ x, y }: Coordinates, { width, height }: { width: number; height: number }): Coordinates {
  return { x: (x / 100) * width, y: (y / 100) * height };
}

function boxAround({ x, y }: Coordinates): Box {
  return { left: x - MARK_RADIUS_PX, right: x + MARK_RADIUS_PX, top: y - MARK_RADIUS_PX, bottom: y + MARK_RADIUS_PX };
}

function textBox({ at, text, side }: MapLabel, size: { width: number; height: number }): Box {
  const { x, y } = pixelsOf(at, size);
  const width = text.length * LETTER_WIDTH_PX;
  const [left, middle] = {
    right: [x + GAP_PX, y],
    left: [x - GAP_PX - width, y],
    above: [x - width / 2, y - GAP_PX - LINE_HEIGHT_PX / 2],
    below: [x - width / 2, y + GAP_PX + LINE_HEIGHT_PX / 2],
  }[side] as [number, number];
  return { left, right: left + width, top: middle - LINE_HEIGHT_PX / 2, bottom: middle + LINE_HEIGHT_PX / 2 };
}

function isFree(box: Box, taken: readonly Box[], { width, height }: { width: number; height: number }): boolean {
  const isInside = box.left >= 4 && box.right <= width - 4 && box.top >= 4 && box.bottom <= height - 4;
  return isInside && !taken.some((other) => overlap(box, other));
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
