import fc from 'fast-check';
import { halfHourPrices } from '../../../subgraphs/tariffs/domain/prices';
import { publicationViolations } from '../../../subgraphs/tariffs/domain/publication-rules';
import type { Tariff } from '../../../subgraphs/tariffs/domain/tariff';
import { flatTariff, published } from '../../support/tariff-examples';
import { LONG, holdsForAll } from '../../support/properties/property-run';
import { BREAK_KINDS, brokenRates } from '../../support/properties/tariff-breaks';
import {
  type WallTime,
  billionths,
  brokenPlaces,
  pricesOf,
  walk,
  wallTimeOf,
} from '../../support/properties/tariff-oracle';
import { type RatesTree, anyRates, lawfulRates, vats } from '../../support/properties/tariff-values';

const HALF_HOUR = 1_800_000;

const DAY = 48 * HALF_HOUR;
/** Years, two of them with a leap day. */
const YEARS = [2024, 2026, 2027, 2028];
/** Days of prices that a tree is asked for: enough of them begin before a change of the clocks and end after it. */
const DAYS = LONG ? 366 : 40;
/** First instants of so many days. */
const begins = fc.tuple(fc.constantFrom(...YEARS), fc.nat(365)).map(([year, day]) => Date.UTC(year, 0, 1 + day));

const wallTimes = new Map<number, WallTime>();

/** The wall time of an instant, once: Intl is slow. */
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

/** What the oracle says of half-hours of a tariff, in one line each; of each window once. */
function expectations(tariff: Tariff): (at: number) => string {
  const pricesOfWindows = new Map<string, string>();
  return (at) => {
    const { schedule, daysAndHours, windows } = walk(tariff.rates, wallTimeAt(at));
    const [hours] = windows;
    if (schedule === undefined || daysAndHours === undefined || hours === undefined) return `${at} no price`;
    const place = `${schedule}/${daysAndHours}/${hours}`;
    const known = pricesOfWindows.get(place) ?? expectedPrices(tariff, [schedule, daysAndHours, hours]);
    pricesOfWindows.set(place, known);
    return `${at} ${place} of ${windows.length}: ${known}`;
  };
}

function expectedPrices(tariff: Tariff, [schedule, daysAndHours, hours]: [number, number, number]): string {
  const tiers = tariff.rates[schedule]?.daysAndHours[daysAndHours]?.hours[hours]?.rate ?? [];
  const told = tiers.map(({ unitPrice, toKwh }) => {
    const { excluding, including } = pricesOf(unitPrice, tariff);
    return `${excluding} ${including} to ${toKwh}`;
  });
  return told.join(', ');
}

/** What the product says of it. */
function toldOf({ from, to, entry, tiers, ...first }: ReturnType<typeof halfHourPrices>[number]): string {
  if (to.getTime() - from.getTime() !== HALF_HOUR)
    return `${from.getTime()} is ${to.getTime() - from.getTime()} ms long`;
  if (entry === null) return `${from.getTime()} no price`;
  const whole = (price: string | null) => (price === null ? null : billionths(price));
  if (first.unitPriceIncludingVat !== tiers[0]?.unitPriceIncludingVat) return 'not the price of the first tier';
  if (first.unitPriceExcludingVat !== tiers[0]?.unitPriceExcludingVat) return 'not the price of the first tier';
  const told = tiers.map(
    ({ toKwh, unitPriceExcludingVat, unitPriceIncludingVat }) =>
      `${whole(unitPriceExcludingVat)} ${whole(unitPriceIncludingVat)} to ${toKwh}`,
  );
  return `${from.getTime()} ${entry.schedule}/${entry.daysAndHours}/${entry.hours} of 1: ${told.join(', ')}`;
}

/** The first half-hour of some days that the two tell differently; undefined when they agree about all. */
function disagreement(tariff: Tariff, begin: number): [told: string | undefined, expected: string] | undefined {
  const series = halfHourPrices(tariff, new Date(begin), new Date(begin + DAYS * DAY));
  if (series.length !== DAYS * 48) return [`${series.length} half-hours`, `${DAYS * 48} half-hours`];
  const expectedAt = expectations(tariff);
  for (const [index, slot] of series.entries()) {
    const [told, expected] = [toldOf(slot), expectedAt(begin + index * HALF_HOUR)];
    if (told !== expected) return [told, expected];
  }
  return undefined;
}

describe('A rates tree that breaks no rule', () => {
  it('is not refused, and has exactly one price in each half-hour of some weeks: that of a slow walk through it', async () => {
    await holdsForAll(fc.tuple(lawfulRates, vats, begins), 20, ([rates, vat, begin]) => {
      const tariff = tariffOf(rates, vat);
      expect(publicationViolations(tariff)).toEqual([]);
      expect(brokenPlaces(rates)).toEqual([]);
      expect(disagreement(tariff, begin)).toBeUndefined();
    });
  });
});

describe('Any rates tree whose parts can be read', () => {
  it('is refused exactly where a slow walk through every kind of day finds a gap, an overlap or a part that is never reached', async () => {
    let refused = 0;
    await holdsForAll(anyRates, 40, (rates) => {
      const paths = publicationViolations(tariffOf(rates, { vatIncluded: true, vatRate: 5 })).map(({ path }) =>
        path.join('/'),
      );
      refused += paths.length > 0 ? 1 : 0;
      expect(paths.toSorted()).toEqual(brokenPlaces(rates));
    });
    expect(refused).toBeGreaterThan(20);
  });

  it('and whose tariff ends is refused for gaps on days of its validity only', async () => {
    const periods = fc.tuple(fc.constantFrom(...YEARS), fc.nat(360), fc.integer({ min: 1, max: 60 }), fc.nat(47));
    await holdsForAll(fc.tuple(anyRates, periods), 75, ([rates, [year, first, days, late]]) => {
      const begin = Date.UTC(year, 0, 1 + first) + late * HALF_HOUR;
      const end = begin + days * 48 * HALF_HOUR - late * HALF_HOUR;
      const occurring = new Map<string, WallTime>();
      for (let at = begin; at < end; at += HALF_HOUR) {
        const wall = wallTimeAt(at);
        occurring.set(`${wall.date} ${wall.month}`, wall);
      }
      const tariff = tariffOf(rates, { vatIncluded: true, vatRate: 5 });
      Object.assign(tariff, { validFrom: new Date(begin), validTo: new Date(end) });
      const paths = publicationViolations(tariff).map(({ path }) => path.join('/'));
      expect(paths.toSorted()).toEqual(brokenPlaces(rates, [...occurring.values()]));
    });
  });

  it('of a dynamic tariff may have gaps, and has no price there', async () => {
    await holdsForAll(fc.tuple(anyRates, vats, begins), 30, ([rates, vat, begin]) => {
      const tariff = tariffOf(rates, vat, 'dynamic');
      const violations = publicationViolations(tariff);
      expect(violations.filter(({ message }) => message.startsWith('has no '))).toEqual([]);
      if (violations.some(({ message }) => message.startsWith('overlaps '))) return;
      expect(disagreement(tariff, begin)).toBeUndefined();
    });
  });
});

describe('A lawful rates tree that is broken in one place', () => {
  it.each(BREAK_KINDS)('is refused at that place, and nowhere else: %s', async (kind) => {
    await holdsForAll(brokenRates(kind), 20, ({ rates, expected }) => {
      const violations = publicationViolations(tariffOf(rates, { vatIncluded: true, vatRate: 5 }));
      const told = violations.map(({ code, path }) => `${code} ${path.join('/')}`);
      expect(told.toSorted()).toEqual(expected.toSorted());
    });
  });
});
