import { countsByKind } from './counts-by-kind';
import {
  type ChangeCounts,
  OBJECT_CHANGE_KINDS,
  type ObjectChangeKind,
  type ObjectClassCount,
} from './register-answers';
import { counted } from './wording';

/** A bar in a cell, in hundredths of what the cell leaves beside the text. */
export interface Bar {
  readonly count: number;
  /** The count, as the end of the bar says it. */
  readonly text: string;
  readonly start: number;
  readonly width: number;
  /** Where the text is: beyond the end that is not on the axis. */
  readonly end: number;
}

/** Removed objects to the left of the axis, added ones to the right; changed ones beside, on the same scale. */
export interface DivergingBars {
  readonly removed: Bar;
  readonly added: Bar;
  readonly changed: Bar;
}

/** What is not nothing can be seen. */
const SHORTEST = 0.8;

/** The bars of each row of counts, all on one scale that begins at 0. */
export function divergingBars<Row extends ChangeCounts>(rows: readonly Row[]): (Row & { bars: DivergingBars })[] {
  const largest = Math.max(1, ...rows.flatMap(({ added, removed, changed }) => [added, removed, changed]));
  const width = (count: number) => (count === 0 ? 0 : rounded(Math.max(SHORTEST, (count / largest) * 100)));
  return rows.map((row) => ({
    ...row,
    bars: {
      removed: toTheLeft(row.removed, width(row.removed)),
      added: toTheRight(row.added, width(row.added)),
      changed: toTheRight(row.changed, width(row.changed)),
    },
  }));
}

/** Texts that `grid.css` has room for, by how many letters they have: `999`, `9,999`, `99,999` and so on. */
const LETTERS = [3, 5, 6, 7, 9, 11] as const;

/** For how many letters the cells of a table leave room beside their bars: enough for every count of the rows. */
export function lettersOf(rows: readonly ChangeCounts[]): number {
  const longest = Math.max(
    0,
    ...rows.flatMap(({ added, removed, changed }) => [added, removed, changed].map(lengthOf)),
  );
  return LETTERS.find((letters) => letters >= longest) ?? 11;
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

/** Classes by how many of their objects change, the most first. */
export function byMostChanges(counts: readonly ObjectClassCount[]): ObjectClassCount[] {
  return counts.toSorted((one, other) => totalOf(other) - totalOf(one) || one.type.localeCompare(other.type));
}

/** All objects of these counts, by what is done to them. */
export function sumOf(counts: readonly ChangeCounts[]): ChangeCounts {
  const sum = (kind: keyof ChangeCounts) => counts.reduce((total, each) => total + each[kind], 0);
  return { added: sum('added'), removed: sum('removed'), changed: sum('changed') };
}

/** How many objects there are of all kinds together. */
export function totalOf({ added, removed, changed }: ChangeCounts): number {
  return added + removed + changed;
}

/** A part of a strip, in hundredths of its width. */
export interface StripPart {
  readonly kind: ObjectChangeKind;
  readonly start: number;
  readonly width: number;
}

/** The shares of added, removed and changed objects beside each other; nothing of nothing. */
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

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
