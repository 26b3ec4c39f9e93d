import type { ValueChange } from './operation-results';
import { type CimName, cimName, fileName } from './labels';

/** The values of one property before and after, as a row of a table. */
export interface ValueRow {
  readonly name: CimName;
  /** Prefixed name, as in the file. */
  readonly fullName: string;
  readonly file: string;
  readonly isAssociation: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Difference of two numbers. */
  readonly difference: string | undefined;
}

/** Returns attributes first, then associations, each sorted by name. */
export function valueRows(values: readonly ValueChange[]): ValueRow[] {
  return values
    .map((value) => ({
      name: cimName(value.name),
      fullName: value.name,
      file: fileName(value.file),
      isAssociation: value.isAssociation,
      before: value.before,
      after: value.after,
      difference: differenceOf(value),
    }))
    .toSorted(
      (one, other) =>
        Number(one.isAssociation) - Number(other.isAssociation) || one.fullName.localeCompare(other.fullName),
    );
}

/** Formats the difference of two numbers: `+0.25 (+12.5 %)`; undefined unless each side is exactly one number. */
export function differenceOf({ before, after, isAssociation }: ValueChange): string | undefined {
  const [from, to] = [onlyNumber(before), onlyNumber(after)];
  if (isAssociation || from === undefined || to === undefined || from === to) return undefined;
  const share = from === 0 ? '' : ` (${signed(((to - from) / Math.abs(from)) * 100, 3)} %)`;
  return `${signed(to - from, 6)}${share}`;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function onlyNumber(texts: readonly string[]): number | undefined {
  const [text = ''] = texts;
  const number = Number(text);
  return texts.length === 1 && NUMBER.test(text) && Number.isFinite(number) ? number : undefined;
}

function signed(value: number, digits: number): string {
  const shown = Number(value.toPrecision(digits));
  return `${shown < 0 ? '−' : '+'}${Math.abs(shown).toLocaleString('en-GB', { maximumSignificantDigits: digits })}`;
}
