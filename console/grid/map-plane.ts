/** A point in the coordinate system of its file. */
export interface Coordinates {
  readonly x: number;
  readonly y: number;
}

/** Width to height of a map; `grid.css` gives the pictures of each shape these proportions. */
export const MAP_SHAPES = { wide: 2, even: 4 / 3, tall: 1 } as const;

/** Which proportions a map has. */
export type MapShape = keyof typeof MAP_SHAPES;

/** The part of the plane that a map shows: x to the right, y upwards, as on paper with north above. */
export interface MapPlane {
  readonly shape: MapShape;
  /** Whether coordinates are degrees of longitude and latitude; else they are metres. */
  readonly isGeographic: boolean;
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  /** Metres that one unit of x is wide, in the middle of the map. */
  readonly metresPerUnit: number;
  /** Where a point is, in hundredths of the picture's width and height from its upper left corner. */
  place(point: Coordinates): Coordinates;
}

/** Metres of a degree of latitude. */
const METRES_OF_DEGREE = 111_320;

/** Margin around what is shown, as a share of it. */
const MARGIN = 0.09;

/** What a map shows at least: single places need surroundings. In degrees of latitude, and in metres. */
const SMALLEST = { degrees: 0.01, metres: 1000 } as const;

/** The plane of points; undefined when there are none. Lengths are right in the middle of the map: it is not larger than a licence area. */
export function planeOf(points: readonly Coordinates[]): MapPlane | undefined {
  const [x, y] = [extent(points.map((point) => point.x)), extent(points.map((point) => point.y))];
  if (x === undefined || y === undefined) return undefined;
  const isGeographic = isOnTheGlobe(x, 180) && isOnTheGlobe(y, 90);
  const squeeze = isGeographic ? Math.max(0.05, Math.cos((y.middle * Math.PI) / 180)) : 1;
  const smallest = isGeographic ? SMALLEST.degrees : SMALLEST.metres;
  const seen = { width: withMargin(x.span * squeeze, smallest), height: withMargin(y.span, smallest) };
  const shape = shapeOf(seen.width / seen.height);
  const height = Math.max(seen.height, seen.width / MAP_SHAPES[shape]);
  const width = (height * MAP_SHAPES[shape]) / squeeze;
  return {
    shape,
    isGeographic,
    metresPerUnit: isGeographic ? METRES_OF_DEGREE * squeeze : 1,
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
      x: hundredths((point.x - west) / width),
      y: hundredths((south + height - point.y) / height),
    }),
  };
}

interface Extent {
  readonly least: number;
  readonly most: number;
  readonly middle: number;
  readonly span: number;
}

function extent(values: readonly number[]): Extent | undefined {
  if (values.length === 0) return undefined;
  const least = values.reduce((one, other) => Math.min(one, other));
  const most = values.reduce((one, other) => Math.max(one, other));
  return { least, most, middle: (least + most) / 2, span: most - least };
}

function isOnTheGlobe({ least, most }: Extent, bound: number): boolean {
  return least >= -bound && most <= bound;
}

function withMargin(span: number, smallest: number): number {
  return Math.max(span * (1 + 2 * MARGIN), smallest);
}

/** The widest shape in which what is shown is not lost: bands of little height would have to be enlarged much. */
function shapeOf(ratio: number): MapShape {
  if (ratio >= 1.7) return 'wide';
  return ratio >= 0.95 ? 'even' : 'tall';
}

function hundredths(share: number): number {
  return Math.round(share * 10_000) / 100;
}
