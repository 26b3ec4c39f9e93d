import { refuse } from '../../../schema/register-error';
import type { Tariff } from '../domain/tariff';

/** Which tariffs: all conditions hold, those that are null or left out do not count (3-decisions-c-d.md, D.2). */
export interface TariffFilter {
  readonly mpid?: string | null;
  readonly ldzRegion?: Tariff['ldzRegion'] | null;
  readonly tariffType?: Tariff['tariffType'] | null;
  readonly fuelType?: Tariff['fuelType'] | null;
  readonly energyFlow?: Tariff['energyFlow'] | null;
  readonly paymentMethod?: Tariff['paymentMethod'] | null;
  readonly meterType?: Tariff['meterType'] | null;
  readonly customerType?: Tariff['customerType'] | null;
  /** With `validTo` the window that the validity of a tariff overlaps. */
  readonly validFrom?: Date | null;
  readonly validTo?: Date | null;
}

/** By these a list has an index of its own, which it is entered by. */
const ENTERED = [
  ['mpid', 'mpid'],
  ['ldzRegion', 'ldz_region'],
] as const satisfies readonly [keyof TariffFilter, string][];

/** These stand in every index, too: what does not fit is passed over there. */
const PASSED: readonly [keyof TariffFilter, (given: string) => string][] = [
  ['tariffType', (given) => `tariff_type = ${given}`],
  ['fuelType', (given) => `fuel_type = ${given}`],
  ['energyFlow', (given) => `energy_flow = ${given}`],
  ['paymentMethod', (given) => `payment_method = ${given}`],
  ['meterType', (given) => `meter_type = ${given}`],
  ['customerType', (given) => `customer_type = ${given}`],
  ['validFrom', (given) => `valid_to is null or valid_to > ${given}`],
  ['validTo', (given) => `valid_from < ${given}`],
];

/** Conditions of a statement. */
export interface Conditions {
  /** Tells the index: each has statements of its own, few enough that sessions keep a plan of each. */
  readonly name: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/** The conditions of a filter, with parameters from `$firstParameter`; VAL003 when the window ends before it begins. */
export function conditionsOf(filter: TariffFilter, firstParameter: number): Conditions {
  requireWindow(filter);
  const entered = ENTERED.filter(([field]) => filter[field] != null);
  const where = [
    ...entered.map(([, column], index) => `${column} = $${firstParameter + index}`),
    ...PASSED.map(([field, condition], index) => {
      const given = `$${firstParameter + entered.length + index}::${field.startsWith('valid') ? 'timestamptz' : 'text'}`;
      return `(${given} is null or ${condition(given)})`;
    }),
  ];
  return {
    name: entered.map(([field]) => field).join('_'),
    where: where.join(' and '),
    values: [...entered, ...PASSED].map(([field]) => filter[field] ?? null),
  };
}

function requireWindow({ validFrom, validTo }: TariffFilter): void {
  if (validFrom == null || validTo == null || validTo > validFrom) return;
  refuse([{ code: 'VAL003', path: ['filter', 'validTo'], message: 'must be after the beginning of the window' }]);
}
