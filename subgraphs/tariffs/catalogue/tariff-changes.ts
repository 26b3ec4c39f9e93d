import { types } from 'node:util';
import Big from 'big.js';
import { MAX_VIOLATIONS, type Violation } from '../../../schema/register-error';
import type { Tariff, TariffInput } from './tariff';

/** Fields that a descriptive correction may change (specification, TariffVersion; decisions C/D, D.2). */
const DESCRIPTIVE_FIELDS = ['name', 'description', 'comments', 'percentageGreen'] as const;

/** Ends of a tariff, which may be set or moved: that is no change of price or time (decisions C/D, D.2). */
const END_FIELDS = ['validTo', 'sellableTo'] as const;

/** How a repeated publication differs from the published tariff. */
export interface TariffChanges {
  /** Descriptive fields that differ. */
  readonly descriptive: readonly (typeof DESCRIPTIVE_FIELDS)[number][];
  /** Ends that differ. */
  readonly ends: readonly (typeof END_FIELDS)[number][];
  /** CNF005 for each other field that differs, and for each end that cannot move. A publication with violations changes nothing. */
  readonly violations: readonly Violation[];
}

/** Fields that never change, without the rates, which do not either. */
const FIXED_FIELDS = [
  ...['tariffType', 'fuelType', 'energyFlow', 'paymentMethod', 'meterType', 'customerType', 'ldzRegion'],
  ...['standingCharge', 'vatIncluded', 'vatRate', 'tierPeriod', 'validFrom', 'sellableFrom', 'replaces'],
] as readonly Exclude<
  keyof TariffInput,
  'tariffId' | 'rates' | (typeof DESCRIPTIVE_FIELDS)[number] | (typeof END_FIELDS)[number]
>[];

/** Fields with decimal strings, compared as numbers: 0.25 equals 0.250. */
const DECIMAL_FIELDS: readonly unknown[] = ['standingCharge', 'unitPrice', 'toKwh'];
/** Decimal strings of bounded length. Others violate the publication rules and are compared as texts. */
const DECIMAL = /^\d{1,20}(\.\d{1,20})?$/;
/** Fields with lists whose order is irrelevant. */
const SET_FIELDS: readonly unknown[] = ['months', 'dates', 'days'];

const MESSAGE = 'cannot be changed: a change of price or time needs a new tariff, which may replace this one';

type Path = Violation['path'];

/**
 * Compares a tariff with a repeated publication under its id, which may violate the publication rules.
 *
 * @param fixed the violations of {@link fixedViolations}, which do not depend on the time
 */
export function tariffChanges(
  published: Tariff,
  input: TariffInput,
  now: Date,
  fixed: readonly Violation[],
): TariffChanges {
  const ends = END_FIELDS.filter((field) => comparable(published[field], field) !== comparable(input[field], field));
  return {
    descriptive: DESCRIPTIVE_FIELDS.filter((field) => (published[field] ?? null) !== (input[field] ?? null)),
    ends,
    violations: [...fixed, ...ends.flatMap((field) => endViolations(field, published[field], input[field], now))],
  };
}

/**
 * Compares the fields that never change, and then the rates entry by entry, because a year of prices has 100,000 values. Yields CNF005 for
 * each difference of a part, {@link MAX_VIOLATIONS} in all.
 */
export function* fixedViolations(published: Tariff, input: TariffInput): Generator<readonly Violation[]> {
  const given: TariffInput = { ...input, tierPeriod: input.tierPeriod ?? 'day' };
  let left = MAX_VIOLATIONS;
  const compare = (path: Path, one: unknown, other: unknown) => {
    const found: Path[] = [];
    addDifferences(found, left, [...path], one, other);
    left -= found.length;
    return found.map((each) => cannotChange(each, MESSAGE));
  };
  for (const field of FIXED_FIELDS) yield compare([field], published[field], given[field]);
  if (published.rates.length !== given.rates.length) yield [cannotChange(['rates'], MESSAGE)];
  else
    for (const [index, entry] of published.rates.entries()) yield compare(['rates', index], entry, given.rates[index]);
}

function cannotChange(path: Path, message: string): Violation {
  return { code: 'CNF005', path, message };
}

/** Returns why an end cannot move: it has passed, or its new instant has, or there is none. */
function endViolations(
  field: string,
  published: Date | null,
  next: Date | null | undefined,
  now: Date,
): readonly Violation[] {
  const hasPassed = (end: Date) => end.getTime() <= now.getTime();
  if (published !== null && hasPassed(published)) return [cannotChange([field], 'cannot be changed: it has passed')];
  if (next == null) return [cannotChange([field], 'cannot be removed, only moved')];
  return hasPassed(next) ? [cannotChange([field], 'cannot be moved into the past')] : [];
}

/**
 * Adds the paths at which two values differ, for lists of different lengths the path of the list, until there are `max`. It takes no memory
 * for equal parts, and leaves `path` as it was.
 */
function addDifferences(found: Path[], max: number, path: (string | number)[], one: unknown, other: unknown): void {
  const [left, right] = [comparable(one, path.at(-1)), comparable(other, path.at(-1))];
  if (left === right || found.length >= max) return;
  const areLists = Array.isArray(left) && Array.isArray(right);
  if (!isTree(left) || !isTree(right) || (areLists && left.length !== right.length)) {
    found.push([...path]);
    return;
  }
  const addStep = (step: string | number) => {
    if (left[step] === right[step]) return;
    path.push(step);
    addDifferences(found, max, path, left[step], right[step]);
    path.pop();
  };
  if (areLists) for (let index = 0; index < left.length; index += 1) addStep(index);
  else {
    for (const name of Object.keys(left)) addStep(name);
    for (const name of Object.keys(right)) if (!(name in left)) addStep(name);
  }
}

function isTree(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Maps equivalent values to one value. */
function comparable(value: unknown, field: unknown): unknown {
  if (value == null) return null;
  if (types.isDate(value)) return value.getTime();
  if (SET_FIELDS.includes(field)) return (value as unknown[]).map(String).toSorted().join(' ');
  return DECIMAL_FIELDS.includes(field) && DECIMAL.test(value as string) ? new Big(value as string).toFixed() : value;
}
