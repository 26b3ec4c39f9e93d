import type { Violation } from '../../../schema/register-error';
import { HALF_HOUR } from './half-hours';
import { offsetSpans } from './london-time';
import { dayKind, dayNumber } from './rate-calendar';
import { NO_MATCH, entriesByDay, groupsByWeekday, windowsByHalfHour } from './rates-resolution';
import { type HourlyRate, type RateEntryPlace, type Tariff, WEEKDAYS } from './tariff';
import { type UnitPrices, unitPricesOf } from './vat';

/** The price of a tier, decimal strings in pounds per kWh. */
export interface HalfHourPriceTier {
  /** kWh up to which it holds; null = unbounded. */
  readonly toKwh: string | null;
  /** null when the price includes VAT at a rate that is not told. */
  readonly unitPriceExcludingVat: string | null;
  readonly unitPriceIncludingVat: string;
}

/** What a half-hour costs: the prices are those of the first tier, null (and no tiers, no entry) in a gap. */
export interface HalfHourPrice {
  readonly from: Date;
  /** Half-open. 30 minutes after `from`, less where the tariff's validity begins or ends within. */
  readonly to: Date;
  readonly unitPriceExcludingVat: string | null;
  readonly unitPriceIncludingVat: string | null;
  readonly tiers: readonly HalfHourPriceTier[];
  readonly entry: RateEntryPlace | null;
}

/** What the price of a half-hour depends on. */
export type PricedTariff = Pick<Tariff, 'vatIncluded' | 'vatRate' | 'validFrom' | 'validTo' | 'rates'>;

/** Days of a range at most. */
const MOST_DAYS = 366;
const DAY = 48 * HALF_HOUR;

/** All that is wrong with a range of prices that is asked for (VAL003): whole half-hours, `to` after `from`, at most 366 days. */
export function priceRangeViolations(from: Date, to: Date): Violation[] {
  const fault = (field: string, message: string): Violation => ({ code: 'VAL003', path: [field], message });
  const violations = Object.entries({ from, to })
    .filter(([, at]) => at.getTime() % HALF_HOUR !== 0)
    .map(([field]) => fault(field, 'must be on a whole half-hour'));
  if (to.getTime() <= from.getTime()) violations.push(fault('to', 'must be after from'));
  if (to.getTime() - from.getTime() > MOST_DAYS * DAY)
    violations.push(fault('to', `must be at most ${MOST_DAYS} days after from`));
  return violations;
}

/**
 * The half-hourly series of a tariff (3-decisions-c-d.md, "Beyond the specification"), clipped to its validity. A slot is 30 minutes of
 * UTC, and the wall time at which it begins decides: the two clock-change days have 46 and 50.
 *
 * A month of slots costs well below 5 ms: offsets are asked a few times for a range, a day's table is made once for all alike days, and a
 * price is computed once for all its slots.
 *
 * @param from inclusive, on a whole half-hour; `to` exclusive, likewise
 */
export function halfHourPrices(tariff: PricedTariff, from: Date, to: Date): HalfHourPrice[] {
  const begin = Math.max(from.getTime(), tariff.validFrom.getTime());
  const end = Math.min(to.getTime(), tariff.validTo?.getTime() ?? Infinity);
  const dayOf = priceTables(tariff);
  const series: HalfHourPrice[] = [];
  let start = new Date(begin);
  for (const span of offsetSpans(begin, end)) {
    let [day, table] = [NaN, EMPTY_DAY];
    for (let at = span.from; at < span.to;) {
      const local = at + span.offset;
      if (dayNumber(local) !== day) [day, table] = [dayNumber(local), dayOf(dayNumber(local))];
      const next = Math.min((Math.floor(at / HALF_HOUR) + 1) * HALF_HOUR, span.to);
      const stop = new Date(next);
      const { unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry } =
        table[Math.floor((local - day * DAY) / HALF_HOUR)] ?? GAP;
      series.push({ from: start, to: stop, unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry });
      [start, at] = [stop, next];
    }
  }
  return series;
}

/** What all slots of a window have in common. */
type WindowPrice = Omit<HalfHourPrice, 'from' | 'to'>;

/** By half-hour of the day; undefined in a gap. */
type DayTable = readonly (WindowPrice | undefined)[];

const GAP: WindowPrice = { unitPriceExcludingVat: null, unitPriceIncludingVat: null, tiers: [], entry: null };
const EMPTY_DAY: DayTable = [];

/** Answers the table of a day by its number; days on which the same entry and day of the week count share one. */
function priceTables(tariff: PricedTariff): (day: number) => DayTable {
  const entries = entriesByDay(tariff.rates);
  const priceOf = windowPrices(tariff);
  const tables = new Map<number, DayTable>();
  return (day) => {
    const { place, weekday } = dayKind(day);
    const schedule = entries[place] as number;
    const key = schedule * WEEKDAYS.length + weekday;
    const table = tables.get(key) ?? tableOf(tariff, schedule, weekday, priceOf);
    tables.set(key, table);
    return table;
  };
}

function tableOf({ rates }: PricedTariff, schedule: number, weekday: number, priceOf: PriceOfWindow): DayTable {
  const entry = rates[schedule];
  const daysAndHours = entry === undefined ? NO_MATCH : (groupsByWeekday(entry)[weekday] as number);
  const group = entry?.daysAndHours[daysAndHours];
  if (group === undefined) return EMPTY_DAY;
  const prices = group.hours.map((window, hours) => priceOf(window, { schedule, daysAndHours, hours }));
  return windowsByHalfHour(group).map((hours) => prices[hours]);
}

type PriceOfWindow = (window: HourlyRate, entry: RateEntryPlace) => WindowPrice;

/** Answers the price of a window; each distinct unit price is computed once. */
function windowPrices(tariff: PricedTariff): PriceOfWindow {
  const known = new Map<string, UnitPrices>();
  const pricesOf = (unitPrice: string) => {
    const prices = known.get(unitPrice) ?? unitPricesOf(unitPrice, tariff);
    known.set(unitPrice, prices);
    return prices;
  };
  return ({ rate }, entry) => {
    const tiers = rate.map(({ unitPrice, toKwh = null }): HalfHourPriceTier => {
      const { excludingVat, includingVat } = pricesOf(unitPrice);
      return { toKwh, unitPriceExcludingVat: excludingVat, unitPriceIncludingVat: includingVat };
    });
    const { unitPriceExcludingVat, unitPriceIncludingVat } = tiers[0] ?? GAP;
    return { unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry };
  };
}
