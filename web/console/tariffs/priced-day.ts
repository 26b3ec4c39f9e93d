import { type Day, type HalfHour, clockTime, daysAfter, halfHourOf, halfHoursOf, startOf } from './local-time';
import { type Amount, amountOf, pence } from './money';
import type { SlotPrice } from './operation-results';

/** Period in which a tariff is valid. */
export interface Validity {
  readonly validFrom: string;
  readonly validTo: string | null;
}

/** A half-hour with its price, or a part of one in which the price changes or the tariff becomes or ceases to be valid. */
export interface PricedHalfHour<Slot extends SlotPrice> extends HalfHour {
  /** Undefined outside the validity of the tariff. */
  readonly slot: Slot | undefined;
  /** Including VAT; undefined if there is none. */
  readonly price: Amount | undefined;
  /** Half-hours from the start of the day to the start of the part. */
  readonly elapsed: number;
  /** Half-hours from midnight to the start of the part, by wall time. */
  readonly position: number;
  /** Share of the half-hour: 1 unless it has several parts. */
  readonly span: number;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_HALF_HOUR = 30;

/** Returns the half-hours of a day with their prices. Their parts start and end at whole minutes; those without a minute are left out. */
export function pricedDay<Slot extends SlotPrice>(day: Day, slots: readonly Slot[]): PricedHalfHour<Slot>[] {
  const byStart = new Map<number, Slot[]>();
  for (const slot of slots) {
    const start = halfHourOf(slot.from);
    byStart.set(start, [...(byStart.get(start) ?? []), slot]);
  }
  return halfHoursOf(day).flatMap((halfHour, index) => {
    const shareBefore = (instant: string) =>
      Math.round((Date.parse(instant) - halfHour.starts) / MINUTE_MS) / MINUTES_PER_HALF_HOUR;
    const parts: PricedHalfHour<Slot>[] = [];
    let end = 0;
    for (const slot of byStart.get(halfHour.starts) ?? []) {
      const [from, to] = [shareBefore(slot.from), shareBefore(slot.to)];
      if (from > end) parts.push(partOf<Slot>(halfHour, index, undefined, end, from));
      if (to > from) parts.push(partOf(halfHour, index, slot, from, to));
      end = to;
    }
    return end < 1 ? [...parts, partOf<Slot>(halfHour, index, undefined, end, 1)] : parts;
  });
}

function partOf<Slot extends SlotPrice>(
  halfHour: HalfHour,
  index: number,
  slot: Slot | undefined,
  from: number,
  to: number,
): PricedHalfHour<Slot> {
  const price = slot?.unitPriceIncludingVat ?? null;
  const { column } = halfHour;
  return {
    ...halfHour,
    ...{ slot, price: price === null ? undefined : amountOf(price) },
    ...{ time: clockTime(column + from), until: clockTime(column + to) },
    ...{ elapsed: index + from, position: column + from, span: to - from },
  };
}

/** Returns the number of half-hours of a day from its parts. */
export function halfHourCount(parts: readonly { readonly span: number }[]): number {
  return Math.round(parts.reduce((sum, { span }) => sum + span, 0));
}

/** Returns the price of a slot as an array; empty if it has none. */
export function pricesOf({ unitPriceIncludingVat: price }: SlotPrice): string[] {
  return price === null ? [] : [price];
}

/** A part of a day, as runs need it. */
type RunPart = HalfHour & Pick<PricedHalfHour<SlotPrice>, 'price' | 'position' | 'span'>;

/** Consecutive half-hours of one price. */
interface Run {
  readonly first: Omit<RunPart, 'price'>;
  readonly last: HalfHour;
  /** In half-hours. */
  readonly length: number;
  readonly price: Amount | undefined;
}

/** Returns the runs of a day. */
export function runsOf(halfHours: readonly RunPart[]): Run[] {
  const runs: Run[] = [];
  for (const { price, ...halfHour } of halfHours) {
    const latest = runs.at(-1);
    if (latest !== undefined && latest.price === price)
      runs[runs.length - 1] = { ...latest, last: halfHour, length: latest.length + halfHour.span };
    else runs.push({ first: halfHour, last: halfHour, length: halfHour.span, price });
  }
  return runs;
}

/** Up to this number, runs are listed; above it, the text has their range only. */
const MAX_LISTED_RUNS = 10;

/** Describes the prices of a day in words. */
export function dayInWords(halfHours: readonly PricedHalfHour<SlotPrice>[]): string {
  const runs = runsOf(halfHours);
  if (runs.every(({ price }) => price === undefined)) return 'no price';
  if (runs.length <= MAX_LISTED_RUNS) return runs.map(runInWords).join(', ');
  const prices = runs.flatMap(({ price }) => (price === undefined ? [] : [price]));
  const [min, max] = [
    prices.reduce((one, other) => (other < one ? other : one)),
    prices.reduce((one, other) => (other > one ? other : one)),
  ];
  return `${runs.length} changes of price between ${pence(min)} and ${pence(max)} p/kWh`;
}

function runInWords({ first, last, price }: Run): string {
  const cost = price === undefined ? 'no price' : `${pence(price)} p/kWh`;
  return `${first.time} to ${last.until} ${cost}`;
}

/** Returns whether a tariff is valid at any time within a span of days, both included. */
export function isValidBetween({ validFrom, validTo }: Validity, first: Day, last: Day): boolean {
  const [from, to] = [startOf(first), startOf(daysAfter(last, 1))];
  return Date.parse(validFrom) < to && (validTo === null || Date.parse(validTo) > from);
}
