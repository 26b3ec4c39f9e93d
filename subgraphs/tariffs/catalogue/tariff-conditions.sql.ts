import { throwViolations } from '../../../schema/register-error';
import type { Tariff } from './tariff';

/** A filter of tariffs: all conditions must hold; null and absent ones are ignored (decisions C/D, D.2). */
export interface TariffFilter {
  readonly mpid?: string | null;
  readonly ldzRegion?: Tariff['ldzRegion'] | null;
  readonly tariffType?: Tariff['tariffType'] | null;
  readonly fuelType?: Tariff['fuelType'] | null;
  readonly energyFlow?: Tariff['energyFlow'] | null;
  readonly paymentMethod?: Tariff['paymentMethod'] | null;
  readonly meterType?: Tariff['meterType'] | null;
  readonly customerType?: Tariff['customerType'] | null;
  /** With `validTo`, the period that the validity of a tariff must overlap. */
  readonly validFrom?: Date | null;
  readonly validTo?: Date | null;
  /** Instant at which a tariff is on sale: within its period of sale, before the end of its validity. */
  readonly onSaleAt?: Date | null;
  /** Earliest `last_modified`. */
  readonly modifiedSince?: Date | null;
}

/**
 * Excludes the tariffs of suppliers that left or are disabled (decisions C/D, D.2). The statuses are read once per statement, at its start,
 * and compared with the supplier in the index.
 */
const IS_LISTED = `mpid <> all (array(select supplier.mpid from supplier where status in ('disabled', 'removed')))`;

/** Conditions that an index of their own serves. */
const INDEXED = [
  ['mpid', 'mpid'],
  ['ldzRegion', 'ldz_region'],
] as const satisfies readonly [keyof TariffFilter, string][];

/** Conditions on columns that every index includes, so that PostgreSQL evaluates them without reading the table. */
const INCLUDED: readonly [keyof TariffFilter, (parameter: string) => string][] = [
  ['tariffType', (parameter) => `tariff_type = ${parameter}`],
  ['fuelType', (parameter) => `fuel_type = ${parameter}`],
  ['energyFlow', (parameter) => `energy_flow = ${parameter}`],
  ['paymentMethod', (parameter) => `payment_method = ${parameter}`],
  ['meterType', (parameter) => `meter_type = ${parameter}`],
  ['customerType', (parameter) => `customer_type = ${parameter}`],
  ['validFrom', (parameter) => `valid_to is null or valid_to > ${parameter}`],
  ['validTo', (parameter) => `valid_from < ${parameter}`],
  [
    'onSaleAt',
    (parameter) =>
      `(sellable_from is null or sellable_from <= ${parameter}) and (sellable_to is null or sellable_to > ${parameter})
        and (valid_to is null or valid_to > ${parameter})`,
  ],
  ['modifiedSince', (parameter) => `last_modified >= ${parameter}`],
];

/** Fields whose values are instants. */
const INSTANTS: readonly string[] = [
  'validFrom',
  'validTo',
  'onSaleAt',
  'modifiedSince',
] satisfies (keyof TariffFilter)[];

/** The conditions of a statement. */
export interface Conditions {
  /** Names the indexed conditions. Each combination is a prepared statement; there are few enough for sessions to cache a plan of each. */
  readonly name: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/** Returns the conditions of a filter, with parameters from `$1`. VAL003 if the period does not end after its start. */
export function conditionsOf(filter: TariffFilter): Conditions {
  requirePeriod(filter);
  const indexed = INDEXED.filter(([field]) => filter[field] != null);
  const where = [
    IS_LISTED,
    ...indexed.map(([, column], index) => `${column} = $${index + 1}`),
    ...INCLUDED.map(([field, condition], index) => {
      const parameter = `$${indexed.length + index + 1}::${INSTANTS.includes(field) ? 'timestamptz' : 'text'}`;
      return `(${parameter} is null or ${condition(parameter)})`;
    }),
  ];
  return {
    name: indexed.map(([field]) => field).join('_'),
    where: where.join(' and '),
    values: [...indexed, ...INCLUDED].map(([field]) => filter[field] ?? null),
  };
}

function requirePeriod({ validFrom, validTo }: TariffFilter): void {
  if (validFrom == null || validTo == null || validTo > validFrom) return;
  throwViolations([
    { code: 'VAL003', path: ['filter', 'validTo'], message: 'must be after the beginning of the window' },
  ]);
}
