import { types } from 'node:util';
import Big from 'big.js';
import type { Violation } from '../../../schema/register-error';
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

const FIXED_FIELDS = [
  ...['tariffType', 'fuelType', 'energyFlow', 'paymentMethod', 'meterType', 'customerType', 'ldzRegion'],
  ...['standingCharge', 'vatIncluded', 'vatRate', 'tierPeriod', 'validFrom', 'sellableFrom', 'replaces', 'rates'],
] as readonly Exclude<
  keyof TariffInput,
  'tariffId' | (typeof DESCRIPTIVE_FIELDS)[number] | (typeof END_FIELDS)[number]
>[];

/** Fields with decimal strings, compared as numbers: 0.25 equals 0.250. */
const DECIMAL_FIELDS: readonly unknown[] = ['standingCharge', 'unitPrice', 'toKwh'];
/** Decimal strings of bounded length. Others violate the publication rules and are compared as texts. */
const DECIMAL = /^\d{1,20}(\.\d{1,20})?$/;
/** Fields with lists whose order is irrelevant. */
const SET_FIELDS: readonly unknown[] = ['months', 'dates', 'days'];

const MESSAGE = 'cannot be changed: a change of price or time needs a new tariff, which may replace this one';

type Path = Violation['path'];

/** Compares a tariff with a repeated publication under its id, which may violate the publication rules. */
export function tariffChanges(published: Tariff, input: TariffInput, now: Date): TariffChanges {
  const given: TariffInput = { ...input, tierPeriod: input.tierPeriod ?? 'day' };
  const ends = END_FIELDS.filter((field) => comparable(published[field], field) !== comparable(input[field], field));
  const fixed = FIXED_FIELDS.flatMap((field) => differences([field], published[field], given[field]));
  return {
    descriptive: DESCRIPTIVE_FIELDS.filter((field) => (published[field] ?? null) !== (input[field] ?? null)),
    ends,
    violations: [
      ...fixed.map((path) => cannotChange(path, MESSAGE)),
      ...ends.flatMap((field) => endViolations(field, published[field], input[field], now)),
    ],
  };
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

/** Returns the paths at which two values differ; for lists of different lengths the path of the list. */
function differences(path: Path, one: unknown, other: unknown): Path[] {
  if (one === other) return [];
  const [left, right] = [comparable(one, path.at(-1)), comparable(other, path.at(-1))];
  if (!isTree(left) || !isTree(right)) return left === right ? [] : [path];
  if (Array.isArray(left) && Array.isArray(right) && left.length !== right.length) return [path];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const steps = Array.isArray(left) ? names.map(Number) : names;
  return steps.flatMap((step) => differences([...path, step], left[step], right[step]));
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
