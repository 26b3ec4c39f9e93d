import fc from 'fast-check';
import { type IntervalPrice, halfHourPrices, intervalPrices } from '../../../subgraphs/tariffs/rates/prices';
import { publicationViolations } from '../../../subgraphs/tariffs/catalogue/publication-rules';
import type { Tariff, TariffInput } from '../../../subgraphs/tariffs/catalogue/tariff';
import { flatTariff, published } from '../../support/tariff-examples';
import { LONG, holdsForAll } from '../../support/properties/property-run';
import { BREAK_KINDS, brokenRates } from '../../support/properties/tariff-breaks';
import {
  type WallTime,
  billionths,
  brokenPlaces,
  pricesOf,
  wallTimeOf,
  windowsAt,
} from '../../support/properties/tariff-oracle';
import { type RatesTree, anyRates, lawfulRates, vats } from '../../support/properties/tariff-values';

const violationsOf = (tariff: TariffInput) => publicationViolations(tariff, () => Promise.resolve([]));

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
const DAY = 48 * HALF_HOUR;
/** Tested years, two of them with a leap day. */
const YEARS = [2024, 2026, 2027, 2028];
/** Number of consecutive days on which the prices of all minutes are compared. */
const DAYS = LONG ? 60 : 3;
/** Starts of these days; the clocks change in many of the ranges. */
const begins = fc.oneof(
  fc.tuple(fc.constantFrom(...YEARS), fc.nat(365)).map(([year, day]) => Date.UTC(year, 0, 1 + day)),
  fc.constantFrom('2026-03-28', '2026-10-24', '2027-03-27', '2028-10-28').map((day) => Date.parse(day)),
);

const wallTimes = new Map<number, WallTime>();

/** Returns the local time of an instant; caches it, because Intl is slow. */
function wallTimeAt(at: number): WallTime {
  const known = wallTimes.get(at) ?? wallTimeOf(at);
  wallTimes.set(at, known);
  return known;
}

function tariffOf(
  rates: RatesTree,
  vat: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
  type: Tariff['tariffType'] = 'static',
) {
  return published(
    flatTariff((tariff) => Object.assign(tariff, { ...vat, rates, tariffType: type, validFrom: new Date(0) })),
  );
}

/** Returns the oracle's prices for a minute of a tariff; caches them, and those of each window. */
function expectations(tariff: Tariff): (at: number) => string {
  const pricesOfWindows = new Map<string, string>();
  const pricesOfMinutes = new Map<number, string>();
  const expectedIn = (at: number) => {
    const windows = windowsAt(tariff.rates, wallTimeAt(at));
    const [first] = windows;
    if (first === undefined) return 'no price';
    const place = first.join('/');
    const known = pricesOfWindows.get(place) ?? expectedPrices(tariff, first);
    pricesOfWindows.set(place, known);
    return `${place} of ${windows.length}: ${known}`;
  };
  return (at) => {
    const known = pricesOfMinutes.get(at) ?? expectedIn(at);
    pricesOfMinutes.set(at, known);
    return known;
  };
}

function expectedPrices(tariff: Tariff, [schedule, daysAndHours, hours]: [number, number, number]): string {
  const tiers = tariff.rates[schedule]?.daysAndHours[daysAndHours]?.hours[hours]?.rate ?? [];
  const prices = tiers.map(({ unitPrice, toKwh }) => {
    const { excluding, including } = pricesOf(unitPrice, tariff);
    return `${excluding} ${including} to ${toKwh}`;
  });
  return prices.join(', ');
}

/** Formats the product's prices of a period like the oracle's. */
function productPrices({ entry, tiers, ...first }: IntervalPrice): string {
  if (entry === null) return 'no price';
  const whole = (price: string | null) => (price === null ? null : billionths(price));
  if (first.unitPriceIncludingVat !== tiers[0]?.unitPriceIncludingVat) return 'not the price of the first tier';
  if (first.unitPriceExcludingVat !== tiers[0]?.unitPriceExcludingVat) return 'not the price of the first tier';
  const prices = tiers.map(
    ({ toKwh, unitPriceExcludingVat, unitPriceIncludingVat }) =>
      `${whole(unitPriceExcludingVat)} ${whole(unitPriceIncludingVat)} to ${toKwh}`,
  );
  return `${entry.schedule}/${entry.daysAndHours}/${entry.hours} of 1: ${prices.join(', ')}`;
}

/** Returns the first minute for which oracle and product have different prices; undefined if there is none. */
function disagreement(tariff: Tariff, begin: number): string | undefined {
  const end = begin + DAYS * DAY;
  const [from, to] = [new Date(begin), new Date(end)];
  const [halfHours, intervals] = [[...halfHourPrices(tariff, from, to)], [...intervalPrices(tariff, from, to)]];
  const long = halfHours.find(
    (slot) => Math.floor(slot.from.getTime() / HALF_HOUR) * HALF_HOUR + HALF_HOUR < slot.to.getTime(),
  );
  const repeated = intervals.find(
    (slot, index) => index > 0 && productPrices(slot) === productPrices(intervals[index - 1] as IntervalPrice),
  );
  if (long !== undefined) return `more than a half-hour at ${long.from.toISOString()}`;
  if (repeated !== undefined) return `the same rate again at ${repeated.from.toISOString()}`;
  const expectedAt = expectations(tariff);
  return differenceOf(halfHours, expectedAt, begin, end) ?? differenceOf(intervals, expectedAt, begin, end);
}

function differenceOf(
  series: readonly IntervalPrice[],
  expectedAt: (at: number) => string,
  begin: number,
  end: number,
): string | undefined {
  let at = begin;
  for (const slot of series) {
    if (slot.from.getTime() !== at) return `${slot.from.toISOString()} follows ${new Date(at).toISOString()}`;
    for (const prices = productPrices(slot); at < slot.to.getTime(); at += MINUTE)
      if (prices !== expectedAt(at)) return `${new Date(at).toISOString()}: ${prices}, not ${expectedAt(at)}`;
  }
  return at === end ? undefined : `ends at ${new Date(at).toISOString()}`;
}

describe('A valid rates tree', () => {
  it('is accepted, and has exactly one price in each minute of some days: that of a reference implementation', async () => {
    await holdsForAll(fc.tuple(lawfulRates, vats, begins), 20, async ([rates, vat, begin]) => {
      const tariff = tariffOf(rates, vat);
      expect(await violationsOf(tariff)).toEqual([]);
      expect(brokenPlaces(rates)).toEqual([]);
      expect(disagreement(tariff, begin)).toBeUndefined();
    });
  });
});

describe('Any well-formed rates tree', () => {
  it('is rejected exactly where a reference implementation finds a gap, an overlap or an unreachable entry', async () => {
    let rejected = 0;
    await holdsForAll(anyRates, 40, async (rates) => {
      const paths = (await violationsOf(tariffOf(rates, { vatIncluded: true, vatRate: 5 }))).map(({ path }) =>
        path.join('/'),
      );
      rejected += paths.length > 0 ? 1 : 0;
      expect(paths.toSorted()).toEqual(brokenPlaces(rates));
    });
    expect(rejected).toBeGreaterThan(20);
  });

  it('of a tariff with an end is rejected for gaps on days of its validity only', async () => {
    const periods = fc.tuple(fc.constantFrom(...YEARS), fc.nat(360), fc.integer({ min: 1, max: 60 }), fc.nat(47));
    await holdsForAll(fc.tuple(anyRates, periods), 75, async ([rates, [year, first, days, late]]) => {
      const begin = Date.UTC(year, 0, 1 + first) + late * HALF_HOUR;
      const end = begin + days * 48 * HALF_HOUR - late * HALF_HOUR;
      const occurring = new Map<string, WallTime>();
      for (let at = begin; at < end; at += HALF_HOUR) {
        const wall = wallTimeAt(at);
        occurring.set(`${wall.date} ${wall.month}`, wall);
      }
      const tariff = tariffOf(rates, { vatIncluded: true, vatRate: 5 });
      Object.assign(tariff, { validFrom: new Date(begin), validTo: new Date(end) });
      const paths = (await violationsOf(tariff)).map(({ path }) => path.join('/'));
      expect(paths.toSorted()).toEqual(brokenPlaces(rates, [...occurring.values()]));
    });
  });

  it('of a dynamic tariff may have gaps, and has no price there', async () => {
    await holdsForAll(fc.tuple(anyRates, vats, begins), 30, async ([rates, vat, begin]) => {
      const tariff = tariffOf(rates, vat, 'dynamic');
      const paths = (await violationsOf(tariff)).map(({ path }) => path.join('/'));
      expect(paths.toSorted()).toEqual(brokenPlaces(rates, undefined, true));
      if (!paths.some((path) => path.includes('/hours/'))) expect(disagreement(tariff, begin)).toBeUndefined();
    });
  });
});

describe('A valid rates tree with one error', () => {
  it.each(BREAK_KINDS)('is rejected at that path only: %s', async (kind) => {
    await holdsForAll(brokenRates(kind), 20, async ({ rates, expected }) => {
      const violations = await violationsOf(tariffOf(rates, { vatIncluded: true, vatRate: 5 }));
      const prices = violations.map(({ code, path }) => `${code} ${path.join('/')}`);
      expect(prices.toSorted()).toEqual(expected.toSorted());
    });
  });
});
