import fc from 'fast-check';
import { halfHourPrices } from '../../subgraphs/tariffs/domain/prices';
import { publicationViolations } from '../../subgraphs/tariffs/domain/publication-rules';
import type { Tariff } from '../../subgraphs/tariffs/domain/tariff';
import { flatTariff, published } from '../support/tariff-examples';
import { holdsForAll } from './property-run';
import { BREAK_KINDS, brokenRates } from './tariff-breaks';
import { type WallTime, billionths, brokenPlaces, pricesOf, walk, wallTimeOf } from './tariff-oracle';
import { type RatesTree, anyRates, lawfulRates, vats } from './tariff-values';

const HALF_HOUR = 1_800_000;

/** Local years, two of them with a leap day. */
const YEARS = [2024, 2026, 2027, 2028];
const calendars = new Map<number, readonly (readonly [at: number, wall: WallTime])[]>();

/** All half-hours of a year with their wall times: Intl is slow. */
function calendarOf(year: number): readonly (readonly [at: number, wall: WallTime])[] {
  const [first, last] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const known =
    calendars.get(year) ??
    Array.from({ length: (last - first) / HALF_HOUR }, (_, index) => {
      const at = first + index * HALF_HOUR;
      return [at, wallTimeOf(at)] as const;
    });
  calendars.set(year, known);
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

/** What the oracle says of a half-hour, in one line. */
function expectedAt(tariff: Tariff, at: number, wall: WallTime): string {
  const { schedule, daysAndHours, windows } = walk(tariff.rates, wall);
  const [hours] = windows;
  if (schedule === undefined || daysAndHours === undefined || hours === undefined) return `${at} no price`;
  const tiers = tariff.rates[schedule]?.daysAndHours[daysAndHours]?.hours[hours]?.rate ?? [];
  const told = tiers.map(({ unitPrice, toKwh }) => {
    const { excluding, including } = pricesOf(unitPrice, tariff);
    return `${excluding} ${including} to ${toKwh}`;
  });
  return `${at} ${schedule}/${daysAndHours}/${hours} of ${windows.length}: ${told.join(', ')}`;
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

/** The first half-hour of a year that the two tell differently; undefined when they agree about all. */
function disagreement(tariff: Tariff, year: number): [told: string | undefined, expected: string] | undefined {
  const series = halfHourPrices(tariff, new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year + 1, 0, 1)));
  const calendar = calendarOf(year);
  if (series.length !== calendar.length) return [`${series.length} half-hours`, `${calendar.length} half-hours`];
  for (const [index, [at, wall]] of calendar.entries()) {
    const [slot, expected] = [series[index], expectedAt(tariff, at, wall)];
    const told = slot && toldOf(slot);
    if (told !== expected) return [told, expected];
  }
  return undefined;
}

describe('A rates tree that breaks no rule', () => {
  it('is not refused, and has exactly one price in each half-hour of a year: that of a slow walk through it', async () => {
    await holdsForAll(fc.tuple(lawfulRates, vats, fc.constantFrom(...YEARS)), 40, ([rates, vat, year]) => {
      const tariff = tariffOf(rates, vat);
      expect(publicationViolations(tariff)).toEqual([]);
      expect(brokenPlaces(rates)).toEqual([]);
      expect(disagreement(tariff, year)).toBeUndefined();
    });
  });
});

describe('Any rates tree whose parts can be read', () => {
  it('is refused exactly where a slow walk through every kind of day finds a gap, an overlap or a part that is never reached', async () => {
    let refused = 0;
    await holdsForAll(anyRates, 80, (rates) => {
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
    await holdsForAll(fc.tuple(anyRates, periods), 150, ([rates, [year, first, days, late]]) => {
      const begin = Date.UTC(year, 0, 1 + first) + late * HALF_HOUR;
      const end = begin + days * 48 * HALF_HOUR - late * HALF_HOUR;
      const occurring = Array.from({ length: (end - begin) / HALF_HOUR }, (_, each) =>
        wallTimeOf(begin + each * HALF_HOUR),
      );
      const tariff = tariffOf(rates, { vatIncluded: true, vatRate: 5 });
      Object.assign(tariff, { validFrom: new Date(begin), validTo: new Date(end) });
      const paths = publicationViolations(tariff).map(({ path }) => path.join('/'));
      expect(paths.toSorted()).toEqual(brokenPlaces(rates, occurring));
    });
  });

  it('of a dynamic tariff may have gaps, and has no price there', async () => {
    await holdsForAll(fc.tuple(anyRates, vats, fc.constantFrom(...YEARS)), 60, ([rates, vat, year]) => {
      const tariff = tariffOf(rates, vat, 'dynamic');
      const violations = publicationViolations(tariff);
      expect(violations.filter(({ message }) => message.startsWith('has no '))).toEqual([]);
      if (violations.some(({ message }) => message.startsWith('overlaps '))) return;
      expect(disagreement(tariff, year)).toBeUndefined();
    });
  });
});

describe('A lawful rates tree that is broken in one place', () => {
  it('is refused at that place, and nowhere else', async () => {
    const kinds = new Set<string>();
    await holdsForAll(brokenRates, 1_500, ({ kind, rates, expected }) => {
      kinds.add(kind);
      const violations = publicationViolations(tariffOf(rates, { vatIncluded: true, vatRate: 5 }));
      const told = violations.map(({ code, path }) => `${code} ${path.join('/')}`);
      expect([kind, ...told.toSorted()]).toEqual([kind, ...expected.toSorted()]);
    });
    expect([...kinds].toSorted()).toEqual(BREAK_KINDS.toSorted());
  });
});
