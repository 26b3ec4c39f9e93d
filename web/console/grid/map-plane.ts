import { rounded } from '../format';

/** A point in the coordinate system of its file. */
export interface Coordinates {
  readonly x: number;
  readonly y: number;
}

/** Ratio of width to height of a map; `grid.css` has a rule for each shape. */
export const MAP_SHAPES = { wide: 2, even: 4 / 3, tall: 1 } as const;

/** Name of a ratio. */
export type MapShape = keyof typeof MAP_SHAPES;

/** The part of the plane that a map shows: x to the right, y upwards, north at the top. */
export interface MapPlane {
  readonly shape: MapShape;
  /** True if coordinates are degrees of longitude and latitude; otherwise they are metres. */
  readonly isGeographic: boolean;
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  /** Metres per unit of x, in the middle of the map. */
  readonly metresPerUnit: number;
  /** Returns a point in percent of the picture, from its upper left corner. */
  place(point: Coordinates): Coordinates;
}

/** Metres per degree of latitude. */
const METRES_PER_DEGREE = 111_320;

/** Margin on each side, as a share of the extent. */
const MARGIN = 0.09;

/** Minimum extent of a map, because a single point needs surroundings: in degrees of latitude, and in metres. */
const MIN_EXTENT = { degrees: 0.01, metres: 1000 } as const;

/**
 * Returns the plane that shows all points; undefined without points. Lengths are exact in the middle of the map only,
 * which suffices for an extent up to that of a licence area.
 */
export function planeOf(points: readonly Coordinates[]): MapPlane | undefined {
  const [x, y] = [extent(points.map((point) => point.x)), extent(points.map((point) => point.y))];
  if (x === undefined || y === undefined) return undefined;
  const isGeographic = isOnTheGlobe(x, 180) && isOnTheGlobe(y, 90);
  const squeeze = isGeographic ? Math.max(0.05, Math.cos((y.middle * Math.PI) / 180)) : 1;
  const smallest = isGeographic ? MIN_EXTENT.degrees : MIN_EXTENT.metres;
  const content = { width: withMargin(x.span * squeeze, smallest), height: withMargin(y.span, smallest) };
  const shape = shapeOf(content.width / content.height);
  const height = Math.max(content.height, content.width / MAP_SHAPES[shape]);
  const width = (height * MAP_SHAPES[shape]) / squeeze;
  return {
    shape,
    isGeographic,
    metresPerUnit: isGeographic ? METRES_PER_DEGREE * squeeze : 1,
    ...framed(x.middle - width / 2, y.middle - height / 2, width, height),
  };
}

function framed(west: number, south: number, width: number, height: number) {
  return {
    west,
    south,
    east: west + width,
    north: south + height,
    place: (point: Coordinates) => ({
      x: rounded(((point.x - west) / width) * 100),
      y: rounded(((south + height - point.y) / height) * 100),
    }),
  };
}

interface Extent {
  readonly min: number;
  readonly max: number;
  readonly middle: number;
  readonly span: number;
}

function extent(values: readonly number[]): Extent | undefined {
  if (values.length === 0) return undefined;
  const min = values.reduce((one, other) => Math.min(one, other));
  const max = values.reduce((one, other) => Math.max(one, other));
  return { min, max, middle: (min + max) / 2, span: max - min };
}

function isOnTheGlobe({ min, max }: Extent, bound: number): boolean {
  return min >= -bound && max <= bound;
}

function withMargin(span: number, smallest: number): number {
  return Math.max(span * (1 + 2 * MARGIN), smallest);
}

/** Returns the widest shape that does not enlarge the height of the picture much beyond its content. */
function shapeOf(ratio: number): MapShape {
  if (ratio >= 1.7) return 'wide';
  return ratio >= 0.95 ? 'even' : 'tall';
}
