import {
  type ChangeCounts,
  OBJECT_CHANGE_KINDS,
  type ObjectChangeKind,
  type ObjectClassCount,
} from './operation-results';
import { counted, rounded } from '../format';

/** A bar in a table cell; lengths are percentages of the space beside the text. */
interface Bar {
  readonly count: number;
  /** The formatted count. */
  readonly text: string;
  readonly start: number;
  readonly width: number;
  /** Position of the text, at the end of the bar that is not on the axis. */
  readonly end: number;
}

/**
 * Bars of removed objects to the left of the axis, of added ones to the right, and of changed ones in a column of their
 * own, all on one scale.
 */
interface DivergingBars {
  readonly removed: Bar;
  readonly added: Bar;
  readonly changed: Bar;
}

/** Minimum width of a bar whose count is not 0, so that it is visible. */
const MIN_BAR_WIDTH = 0.8;

/** Adds bars to rows of counts, all on one scale that starts at 0. */
export function divergingBars<Row extends ChangeCounts>(rows: readonly Row[]): (Row & { bars: DivergingBars })[] {
  const max = maxOf(rows, (count) => Math.max(1, count));
  const width = (count: number) => (count === 0 ? 0 : rounded(Math.max(MIN_BAR_WIDTH, (count / max) * 100)));
  return rows.map((row) => ({
    ...row,
    bars: {
      removed: toTheLeft(row.removed, width(row.removed)),
      added: toTheRight(row.added, width(row.added)),
      changed: toTheRight(row.changed, width(row.changed)),
    },
  }));
}

/** Text widths for which `grid.css` has rules, in letters: `999`, `9,999`, `99,999` and so on. */
const CELL_WIDTHS = [3, 5, 6, 7, 9, 11] as const;

/** Returns the number of letters that the cells of a table must leave beside their bars. */
export function lettersOf(rows: readonly ChangeCounts[]): number {
  const maxLetters = maxOf(rows, lengthOf);
  return CELL_WIDTHS.find((letters) => letters >= maxLetters) ?? 11;
}

/** Returns the maximum of `measure` over 0 and all counts. A call of `Math.max` with one argument per count fails for very many rows. */
function maxOf(rows: readonly ChangeCounts[], measure: (count: number) => number): number {
  return rows.reduce(
    (max, { added, removed, changed }) => Math.max(max, measure(added), measure(removed), measure(changed)),
    measure(0),
  );
}

function lengthOf(count: number): number {
  return counted(count).length;
}

function toTheRight(count: number, width: number): Bar {
  return { count, text: counted(count), start: 0, width, end: width };
}

function toTheLeft(count: number, width: number): Bar {
  const start = rounded(100 - width);
  return { count, text: counted(count), start, width, end: start };
}

/** Classes of points of other objects, as in the order of the list of objects. */
const POINTS =
  /^cim:(DiagramObject(Glue)?Point|PositionPoint|CurveData|NonlinearShuntCompensatorPoint|(Ratio|Phase)TapChangerTablePoint|(Ir)?[Rr]egularTimePoint)$/;

/** Sorts classes by the number of their changed objects, largest first, and those of points last: they would hide the others. */
export function sortedByTotal(counts: readonly ObjectClassCount[]): ObjectClassCount[] {
  const isPoint = ({ type }: ObjectClassCount) => Number(POINTS.test(type));
  return counts.toSorted(
    (one, other) =>
      isPoint(one) - isPoint(other) || totalOf(other) - totalOf(one) || one.type.localeCompare(other.type),
  );
}

/** Returns counts keyed by kind of change. */
export function countsByKind({ added, removed, changed }: ChangeCounts): Readonly<Record<ObjectChangeKind, number>> {
  return { ADDED: added, REMOVED: removed, CHANGED: changed };
}

/** Adds up counts by kind of change. */
export function sumOf(counts: readonly ChangeCounts[]): ChangeCounts {
  const sum = (kind: keyof ChangeCounts) => counts.reduce((total, each) => total + each[kind], 0);
  return { added: sum('added'), removed: sum('removed'), changed: sum('changed') };
}

/** Returns the number of objects of all kinds of change. */
export function totalOf({ added, removed, changed }: ChangeCounts): number {
  return added + removed + changed;
}

/** A part of a strip, in percent of its width. */
interface StripPart {
  readonly kind: ObjectChangeKind;
  readonly start: number;
  readonly width: number;
}

/** Returns the shares of added, removed and changed objects; no parts if there are none. */
export function stripOf(counts: ChangeCounts): StripPart[] {
  const byKind = countsByKind(counts);
  const total = totalOf(counts);
  const parts: StripPart[] = [];
  let start = 0;
  for (const kind of OBJECT_CHANGE_KINDS) {
    if (byKind[kind] === 0) continue;
    const width = (byKind[kind] / total) * 100;
    parts.push({ kind, start: rounded(start), width: rounded(width) });
    start += width;
  }
  return parts;
}
