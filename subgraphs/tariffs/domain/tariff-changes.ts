import { types } from 'node:util';
import Big from 'big.js';
import type { Violation } from '../../../schema/register-error';
import type { Tariff, TariffInput } from './tariff';

/** What a descriptive correction may change (1-specification.md, TariffVersion; 3-decisions-c-d.md, D.2). */
export const DESCRIPTIVE_FIELDS = ['name', 'description', 'comments', 'percentageGreen'] as const;

/** What a repeated publication changes. */
export interface TariffChanges {
  /** Descriptive fields that differ. */
  readonly descriptive: readonly (typeof DESCRIPTIVE_FIELDS)[number][];
  /** CNF005, one for each other field that differs, by its path: then nothing is changed. */
  readonly refused: readonly Violation[];
}

const FIXED_FIELDS = [
  ...['tariffType', 'fuelType', 'energyFlow', 'paymentMethod', 'meterType', 'customerType', 'ldzRegion'],
  ...['standingCharge', 'vatIncluded', 'vatRate', 'validFrom', 'validTo', 'sellableFrom', 'sellableTo'],
  ...['replaces', 'rates'],
] as readonly Exclude<keyof TariffInput, 'tariffId' | (typeof DESCRIPTIVE_FIELDS)[number]>[];

/** Numbers that are written as texts: 0.25 is 0.250. */
const DECIMALS: readonly unknown[] = ['standingCharge', 'unitPrice', 'toKwh'];
/** Lists whose order says nothing. */
const SETS: readonly unknown[] = ['months', 'dates', 'days'];

const MESSAGE = 'cannot be changed: a change of price or time needs a new tariff, which may replace this one';

/** What is different in what is published anew under the id of a tariff; both must break no rule. */
export function tariffChanges(former: Tariff, input: TariffInput): TariffChanges {
  return {
    descriptive: DESCRIPTIVE_FIELDS.filter((field) => (former[field] ?? null) !== (input[field] ?? null)),
    refused: FIXED_FIELDS.flatMap((field) => differences([field], former[field], input[field])).map((path) => ({
      code: 'CNF005',
      path,
      message: MESSAGE,
    })),
  };
}

type Path = Violation['path'];

/** The paths at which two values differ; where lists have different lengths, that of the list. */
function differences(path: Path, one: unknown, other: unknown): Path[] {
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

/** One form of values that say the same. */
function comparable(value: unknown, field: unknown): unknown {
  if (value == null) return null;
  if (types.isDate(value)) return value.getTime();
  if (SETS.includes(field)) return (value as unknown[]).map(String).toSorted().join(' ');
  return DECIMALS.includes(field) ? new Big(value as string).toFixed() : value;
}
