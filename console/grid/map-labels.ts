import { type Coordinates, MAP_SHAPES, type MapShape } from './map-plane';

/** Something that a map may name: the first in the list have precedence. */
export interface Nameable {
  readonly name: string | null;
  /** Its middle, in hundredths of the picture. */
  readonly at: Coordinates;
  /** Its points: what is drawn runs through them. */
  readonly points: readonly Coordinates[];
}

/** Where a name stands, seen from its place. */
export type LabelSide = (typeof SIDES)[number];

const SIDES = ['right', 'left', 'above', 'below'] as const;

/** A name on the map. */
export interface MapLabel {
  readonly text: string;
  readonly at: Coordinates;
  /** On which side of its place it is written. */
  readonly side: LabelSide;
}

/** Names that a map has at most: more are read in the table. */
const MOST_LABELS = 24;
/** Places of a map that has names: on one with more, the few that find room would tell nothing. */
const MOST_PLACES = 200;
const LONGEST_NAME = 30;

/** Pixels, where the map is as wide as pages usually show it; on narrower ones names are left out by `grid.css`. */
const PICTURE_WIDTH = 540;
const LETTER = 6.8;
const LINE = 16;
const GAP = 10;
/** Of a mark or a line, around its middle. */
const REACH = 6;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Names that neither leave the map nor cover one another or what is drawn; each at most once, at the middle of what it names or else at
 * an end. Marks come before lines: there is less room for their names.
 */
export function labelsOf(nameables: readonly Nameable[], shape: MapShape): MapLabel[] {
  if (nameables.length > MOST_PLACES) return [];
  const size = { width: PICTURE_WIDTH, height: PICTURE_WIDTH / MAP_SHAPES[shape] };
  const ordered = nameables.toSorted((one, other) => Number(one.points.length > 1) - Number(other.points.length > 1));
  const taken = ordered.flatMap(({ points }) => along(points.map((point) => pixelsOf(point, size))).map(boxAround));
  const labels = new Map<string, MapLabel>();
  for (const nameable of ordered) {
    if (labels.size === MOST_LABELS) break;
    if (nameable.name === null || labels.has(nameable.name)) continue;
    const label = places(nameable, nameable.name).find((each) => isFree(textBox(each, size), taken, size));
    if (label === undefined) continue;
    taken.push(textBox(label, size));
    labels.set(nameable.name, label);
  }
  return [...labels.values()];
}

/** Where a name may stand, the best place first. */
function places({ at, points }: Nameable, name: string): MapLabel[] {
  const ends = points.length > 1 ? [points.at(-1) ?? at, points[0] ?? at] : [];
  return [at, ...ends].flatMap((place) => SIDES.map((side) => ({ text: shortened(name), at: place, side })));
}

/** Points along a line, as close to each other as the boxes around them are large. */
function along(points: readonly Coordinates[]): Coordinates[] {
  return points.flatMap((to, index) => {
    const from = points[index - 1];
    if (from === undefined) return [to];
    const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / REACH));
    return Array.from({ length: steps }, (_, step) => ({
      x: from.x + ((to.x - from.x) * (step + 1)) / steps,
      y: from.y + ((to.y - from.y) * (step + 1)) / steps,
    }));
  });
}

function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}

function pixelsOf({ x, y }: Coordinates, { width, height }: { width: number; height: number }): Coordinates {
  return { x: (x / 100) * width, y: (y / 100) * height };
}

function boxAround({ x, y }: Coordinates): Box {
  return { left: x - REACH, right: x + REACH, top: y - REACH, bottom: y + REACH };
}

function textBox({ at, text, side }: MapLabel, size: { width: number; height: number }): Box {
  const { x, y } = pixelsOf(at, size);
  const width = text.length * LETTER;
  const [left, middle] = {
    right: [x + GAP, y],
    left: [x - GAP - width, y],
    above: [x - width / 2, y - GAP - LINE / 2],
    below: [x - width / 2, y + GAP + LINE / 2],
  }[side] as [number, number];
  return { left, right: left + width, top: middle - LINE / 2, bottom: middle + LINE / 2 };
}

function isFree(box: Box, taken: readonly Box[], { width, height }: { width: number; height: number }): boolean {
  const isInside = box.left >= 4 && box.right <= width - 4 && box.top >= 4 && box.bottom <= height - 4;
  return isInside && !taken.some((other) => overlap(box, other));
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
