import type { Tariff } from '../catalogue/tariff';
import { type DayGroup, dayRates } from './day-rates';
import { daySegments } from './group-minutes';
import { offsetSpans } from './london-time';
import { dayKind, dayNumber } from './rate-calendar';
import { MINUTES_PER_DAY, MINUTE_MS } from './wall-minutes';
import { GAP, type WindowPrice, windowPrices } from './window-prices';

/** The fields on which prices depend. */
export type PricedTariff = Pick<Tariff, 'vatIncluded' | 'vatRate' | 'validFrom' | 'validTo' | 'rates'>;

/** A half-open period of one rate; instants in milliseconds since 1970. */
export interface RateInterval {
  readonly from: number;
  readonly to: number;
  readonly price: WindowPrice;
}

const DAY_MS = MINUTES_PER_DAY * MINUTE_MS;

/**
 * Returns the rates of a tariff over time, ascending and without gaps, clipped to its validity. The wall time of an instant decides its
 * rate: on the days when the clocks change, an hour occurs twice or not at all. Successive intervals have different entries.
 *
 * A year of a day and a night rate costs a few milliseconds: it needs some lookups of the offset, and equal days share their segments.
 */
export function* rateIntervals(tariff: PricedTariff, from: Date, to: Date): Generator<RateInterval, void> {
  const startsAt = Math.max(from.getTime(), tariff.validFrom.getTime());
  const end = Math.min(to.getTime(), tariff.validTo?.getTime() ?? Infinity);
  const segmentsOf = pricedSegments(tariff);
  let latest: RateInterval | undefined;
  for (const span of offsetSpans(startsAt, end))
    for (let day = dayNumber(span.from + span.offset); day * DAY_MS - span.offset < span.to; day += 1)
      for (const segment of segmentsOf(day)) {
        const midnight = day * DAY_MS - span.offset;
        const start = Math.max(midnight + segment.from * MINUTE_MS, span.from);
        const stop = Math.min(midnight + segment.to * MINUTE_MS, span.to);
        if (stop <= start) continue;
        if (latest !== undefined && latest.price !== segment.price) yield latest;
        latest =
          latest?.price === segment.price ? { ...latest, to: stop } : { from: start, to: stop, price: segment.price };
      }
  if (latest !== undefined) yield latest;
}

/** Consecutive minutes of a local day with one rate. */
interface PricedSegment {
  readonly from: number;
  readonly to: number;
  readonly price: WindowPrice;
}

type SegmentsOfDay = (day: number) => readonly PricedSegment[];

const segmentsByTariff = new WeakMap<PricedTariff, SegmentsOfDay>();

/** Returns a lookup of a day's segments by day number; one for all series of a tariff. */
function pricedSegments(tariff: PricedTariff): SegmentsOfDay {
  const segmentsOf = segmentsByTariff.get(tariff) ?? newPricedSegments(tariff);
  segmentsByTariff.set(tariff, segmentsOf);
  return segmentsOf;
}

/** Days of the same kind after days of the same kind share one list of segments. */
function newPricedSegments(tariff: PricedTariff): SegmentsOfDay {
  const ratesOf = dayRates(tariff.rates);
  const pricesOf = pricesOfGroups(tariff);
  const cache = new Map<string, readonly PricedSegment[]>();
  return (day) => {
    const [before, group] = [ratesOf(dayKind(day - 1)).group, ratesOf(dayKind(day)).group];
    const key = `${keyOf(before)} ${keyOf(group)}`;
    const segments =
      cache.get(key) ??
      daySegments(before?.minutes, group?.minutes).map(({ from, to, isOvernight, window }) => ({
        ...{ from, to },
        price: pricesOf(isOvernight ? before : group)[window] ?? GAP,
      }));
    cache.set(key, segments);
    return segments;
  };
}

function keyOf(group: DayGroup | undefined): string {
  return group === undefined ? '' : `${group.schedule}.${group.daysAndHours}`;
}

/** Returns a lookup of the prices of the windows of a days group. */
function pricesOfGroups(tariff: PricedTariff): (group: DayGroup | undefined) => readonly WindowPrice[] {
  const priceOf = windowPrices(tariff);
  const cache = new Map<DayGroup, readonly WindowPrice[]>();
  return (group) => {
    if (group === undefined) return [];
    const { schedule, daysAndHours } = group;
    const windows = tariff.rates[schedule]?.daysAndHours[daysAndHours]?.hours ?? [];
    const prices =
      cache.get(group) ?? windows.map((window, hours) => priceOf(window, { schedule, daysAndHours, hours }));
    cache.set(group, prices);
    return prices;
  };
}
