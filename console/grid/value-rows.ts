import type { ValueChange } from './register-answers';
import { type CimName, cimName, fileName } from './wording';

/** One value of an object, old and new, as a table shows it. */
export interface ValueRow {
  readonly name: CimName;
  /** Prefixed, as in the file. */
  readonly fullName: string;
  readonly file: string;
  readonly isAssociation: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** By how much a number changes. */
  readonly difference: string | undefined;
}

/** The values of a change: attributes first, then associations, each in the order of their names. */
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

/** By how much a number changes: `+0.25 (+12.5 %)`; undefined where one side is not exactly one number. */
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
