import type { Violation } from '../../../schema/register-error';
import { type AppendedPrice, withAppendedPrices } from '../appended-prices/appended-price';
import { HALF_HOUR_MS, HALF_HOURS_PER_DAY } from './half-hours';
import { type PricedTariff, type RateInterval, rateIntervals } from './rate-intervals';
import { MINUTE_MS } from './wall-minutes';
import type { WindowPrice } from './window-prices';

/** The price of a period: that of the first tier. In a gap prices and entry are null and there are no tiers. */
export interface IntervalPrice extends WindowPrice {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

const MAX_RANGE_DAYS = 366;
const DAY_MS = HALF_HOURS_PER_DAY * HALF_HOUR_MS;

/** Units of time on which a requested range starts and ends, in milliseconds. */
const UNITS = { 'half-hour': HALF_HOUR_MS, minute: MINUTE_MS } as const;

/** Validates a requested range of prices (VAL003): whole units, `to` after `from`, at most 366 days. */
export function priceRangeViolations(from: Date, to: Date, unit: keyof typeof UNITS): Violation[] {
  const violation = (field: string, message: string): Violation => ({ code: 'VAL003', path: [field], message });
  const violations = Object.entries({ from, to })
    .filter(([, at]) => at.getTime() % UNITS[unit] !== 0)
    .map(([field]) => violation(field, `must be on a whole ${unit}`));
  if (to.getTime() <= from.getTime()) violations.push(violation('to', 'must be after from'));
  if (to.getTime() - from.getTime() > MAX_RANGE_DAYS * DAY_MS)
    violations.push(violation('to', `must be at most ${MAX_RANGE_DAYS} days after from`));
  return violations;
}

/**
 * Returns the prices of a tariff as exact intervals, clipped to its validity (decisions C/D, D.2). Successive intervals have different
 * entries, or different appended prices.
 */
export function* intervalPrices(
  tariff: PricedTariff,
  from: Date,
  to: Date,
  appended: readonly AppendedPrice[] = [],
): Generator<IntervalPrice, void> {
  let start: Date | undefined;
  for (const interval of joined(withAppendedPrices(rateIntervals(tariff, from, to), appended, tariff))) {
    const stop = new Date(interval.to);
    yield priced(start ?? new Date(interval.from), stop, interval);
    start = stop;
  }
}

/** Joins successive intervals of appended prices that are equal. */
function* joined(intervals: Iterable<RateInterval>): Generator<RateInterval, void> {
  let latest: RateInterval | undefined;
  for (const interval of intervals) {
    if (latest !== undefined && isSamePrice(latest.price, interval.price)) latest = { ...latest, to: interval.to };
    else {
      if (latest !== undefined) yield latest;
      latest = interval;
    }
  }
  if (latest !== undefined) yield latest;
}

/** Appended prices have no entry and one tier. */
function isSamePrice(one: WindowPrice, other: WindowPrice): boolean {
  if (one.entry !== null || other.entry !== null || one.tiers.length !== other.tiers.length) return one === other;
  const { unitPriceExcludingVat, unitPriceIncludingVat } = one;
  return unitPriceExcludingVat === other.unitPriceExcludingVat && unitPriceIncludingVat === other.unitPriceIncludingVat;
}

/**
 * Returns the prices of a tariff by half-hour, 30 minutes of UTC, clipped to its validity. A half-hour in which the price changes is given
 * in its exact parts. The two clock-change days have 46 and 50 half-hours.
 *
 * @param from inclusive, on a whole half-hour; `to` exclusive, on a whole half-hour
 */
export function* halfHourPrices(
  tariff: PricedTariff,
  from: Date,
  to: Date,
  appended: readonly AppendedPrice[] = [],
): Generator<IntervalPrice, void> {
  let start: Date | undefined;
  for (const interval of joined(withAppendedPrices(rateIntervals(tariff, from, to), appended, tariff)))
    for (let at = interval.from; at < interval.to;) {
      const next = Math.min((Math.floor(at / HALF_HOUR_MS) + 1) * HALF_HOUR_MS, interval.to);
      const stop = new Date(next);
      yield priced(start ?? new Date(at), stop, interval);
      [start, at] = [stop, next];
    }
}

/** Series of prices by the field of `Tariff` that returns them. */
export const SERIES = { prices: halfHourPrices, priceIntervals: intervalPrices } as const;

function priced(from: Date, to: Date, { price }: RateInterval): IntervalPrice {
  const { unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry } = price;
  return { from, to, unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry };
}
