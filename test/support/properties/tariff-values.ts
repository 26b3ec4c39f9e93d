import fc from 'fast-check';
import {
  type DaysAndHours,
  type HourlyRate,
  MONTHS,
  type RateDay,
  type RateMonth,
  type RateTier,
  type TariffInput,
  type TariffScheduleEntry,
  WEEKDAYS,
} from '../../../subgraphs/tariffs/catalogue/tariff';

/**
 * Random rates trees. Lawful ones are lawful by construction: each part matches something that no earlier part matches.
 */

/** Minutes of a day. */
const DAY = 24 * 60;

/** Days that each month has in any year. */
const SURE_DATES = 28;
const LAST_DATES: Readonly<Record<string, number>> = { Feb: 29, Apr: 30, Jun: 30, Sep: 30, Nov: 30 };

/** Decimal strings in pounds. */
export const unitPrices: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('0', '1', '12', '0123'), fc.integer({ min: 2, max: 5 }), fc.nat(99_999))
  .map(([whole, places, fraction]) => `${whole}.${String(fraction).padStart(5, '0').slice(0, places)}`);

const tiers: fc.Arbitrary<RateTier[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 9_999 }), { maxLength: 3 }),
    fc.array(unitPrices, { minLength: 4, maxLength: 4 }),
  )
  .map(([amounts, prices]) => {
    const ascending = amounts.toSorted((one, other) => one - other).map((amount) => (amount / 4).toFixed(2));
    return [...ascending, null].map((toKwh, index) => ({ unitPrice: prices[index] as string, toKwh }));
  });

/**
 * The minute at which the first window of every day starts, often midnight: windows of the day before run on until it.
 */
const firstMinutes: fc.Arbitrary<number> = fc.oneof(fc.constant(0), fc.nat(DAY - 1));

/**
 * Cuts the day at some minutes, from the first one on; the last window runs on until the first minute of the next day.
 */
function wholeDays(first: number): fc.Arbitrary<HourlyRate[]> {
  return fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: first, max: DAY - 1 }), { maxLength: 5 }),
      fc.array(tiers, { minLength: 6, maxLength: 6 }),
    )
    .chain(([cuts, rates]) => {
      const ascending = [...new Set([first, ...cuts])].toSorted((one, other) => one - other);
      const windows = ascending.map((cut, index) => ({
        validFrom: timeOf(cut),
        validTo: timeOf(ascending[(index + 1) % ascending.length] as number),
        rate: rates[index] as RateTier[],
      }));
      return fc.shuffledSubarray(windows, { minLength: windows.length });
    });
}

/** Formats a minute of the day as a time. */
export function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;
}

/**
 * Generates lists of names: each contains a name that no earlier one contains, and the last is `All` or all names.
 *
 * @param most maximum number of lists before the last one
 */
function layers<Name extends string>(names: readonly Name[], most: number): fc.Arbitrary<(Name | 'All')[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray([...names], { minLength: names.length }),
      fc.nat(most),
      fc.array(fc.subarray([...names], { maxLength: 3 }), { minLength: most, maxLength: most }),
      fc.boolean(),
    )
    .map(([own, count, others, isNamed]) => {
      const special = others.slice(0, count).map((more, index) => {
        const laterOwn = new Set([...own.slice(index, count), own.at(-1)]);
        return [own[index] as Name, ...more.filter((name) => !laterOwn.has(name))];
      });
      return [...special, isNamed ? [...names] : ['All' as const]];
    });
}

function daysFrom(first: number): fc.Arbitrary<DaysAndHours[]> {
  return layers(WEEKDAYS, 3).chain((lists) =>
    fc
      .array(wholeDays(first), { minLength: lists.length, maxLength: lists.length })
      .map((hours) => lists.map((each, index) => ({ days: each, hours: hours[index] as HourlyRate[] }))),
  );
}

/** Generates the dates of an entry; null means all. At least one of them exists in every month. */
function datesOf(months: readonly string[]): fc.Arbitrary<number[] | null> {
  const last = Math.max(...months.map((month) => LAST_DATES[month] ?? 31));
  const chosen = fc
    .tuple(fc.integer({ min: 1, max: SURE_DATES }), fc.uniqueArray(fc.integer({ min: 1, max: last }), { maxLength: 5 }))
    .map(([sure, more]) => [...new Set([sure, ...more])]);
  return fc.oneof(fc.constant(null), chosen);
}

/**
 * Rates trees that satisfy all rules: every minute has a price, and some day reaches each part. The last entry applies
 * to all remaining days.
 */
export const lawfulRates: fc.Arbitrary<TariffScheduleEntry[]> = fc
  .tuple(layers(MONTHS, 4), firstMinutes)
  .chain(([lists, first]) =>
    fc.tuple(
      ...lists.map((months, index) =>
        fc.record({
          months: fc.constant(months),
          dates: index === lists.length - 1 ? fc.constant(null) : datesOf(months),
          daysAndHours: daysFrom(first),
        }),
      ),
    ),
  );

/** Times at whole hours, so that some windows touch, and at any minutes. */
const someTimes = fc.oneof(
  fc.nat(23).map((hour) => timeOf(hour * 60)),
  fc.nat(DAY - 1).map(timeOf),
);

/** Windows at any times, with gaps and overlaps. */
const someHours: fc.Arbitrary<HourlyRate[]> = fc.array(
  fc.record({ validFrom: someTimes, validTo: someTimes, rate: tiers }),
  { minLength: 1, maxLength: 3 },
);

const someDays: fc.Arbitrary<DaysAndHours[]> = fc.array(
  fc.record({
    days: fc.oneof(fc.subarray<RateDay>([...WEEKDAYS], { minLength: 1 }), fc.constant<RateDay[]>(['All'])),
    hours: fc.oneof(firstMinutes.chain(wholeDays), someHours),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Well-formed trees with any combination of parts, most of them invalid. */
export const anyRates: fc.Arbitrary<TariffScheduleEntry[]> = fc.array(
  fc.oneof(fc.subarray<RateMonth>([...MONTHS], { minLength: 1 }), fc.constant<RateMonth[]>(['All'])).chain((months) =>
    fc.record({
      months: fc.constant(months),
      dates: months.some((month) => month === 'All') ? fc.constant(null) : datesOf(months),
      daysAndHours: fc.oneof(firstMinutes.chain(daysFrom), someDays),
    }),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Fields of a tariff about VAT. */
export const vats: fc.Arbitrary<{ vatIncluded: boolean; vatRate: number | null }> = fc.oneof(
  fc.record({ vatIncluded: fc.boolean(), vatRate: fc.integer({ min: 0, max: 100 }) }),
  fc.constant({ vatIncluded: true, vatRate: null }),
);

/** The rates of a tariff. */
export type RatesTree = TariffInput['rates'];
