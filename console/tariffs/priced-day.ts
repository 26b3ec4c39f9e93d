import { type Day, type HalfHour, halfHourOf, halfHoursOf, startOf, daysAfter } from './local-time';
import { type Amount, amountOf, pence } from './money';
import type { SlotPrice } from './register-answers';

/** The validity of a tariff. */
export interface Validity {
  readonly validFrom: string;
  readonly validTo: string | null;
}

/** What is known of a half-hour of a day. */
export interface PricedHalfHour<Slot extends SlotPrice> extends HalfHour {
  /** Absent outside the validity of the tariff. */
  readonly slot: Slot | undefined;
  /** Including VAT; absent where there is none. */
  readonly price: Amount | undefined;
}

/** The half-hours of a day with their prices. */
export function pricedDay<Slot extends SlotPrice>(day: Day, slots: readonly Slot[]): PricedHalfHour<Slot>[] {
  const byStart = new Map(slots.map((slot) => [halfHourOf(slot.from), slot]));
  return halfHoursOf(day).map((halfHour) => {
    const slot = byStart.get(halfHour.starts);
    const price = slot?.unitPriceIncludingVat ?? null;
    return { ...halfHour, slot, price: price === null ? undefined : amountOf(price) };
  });
}

/** The price of a slot, if it has one. */
export function pricesOf({ unitPriceIncludingVat: price }: SlotPrice): string[] {
  return price === null ? [] : [price];
}

/** Half-hours in a row that cost the same. */
export interface Run {
  readonly first: HalfHour;
  readonly last: HalfHour;
  readonly length: number;
  readonly price: Amount | undefined;
}

/** The runs of a day. */
export function runsOf(halfHours: readonly (HalfHour & { readonly price: Amount | undefined })[]): Run[] {
  const runs: Run[] = [];
  for (const { price, ...halfHour } of halfHours) {
    const latest = runs.at(-1);
    if (latest !== undefined && latest.price === price)
      runs[runs.length - 1] = { ...latest, last: halfHour, length: latest.length + 1 };
    else runs.push({ first: halfHour, last: halfHour, length: 1, price });
  }
  return runs;
}

/** Runs that are told one by one: of more, the range is told. */
const MOST_TOLD = 10;

/** The prices of a day in words. */
export function dayInWords(halfHours: readonly PricedHalfHour<SlotPrice>[]): string {
  const runs = runsOf(halfHours);
  if (runs.every(({ price }) => price === undefined)) return 'no price';
  if (runs.length <= MOST_TOLD) return runs.map(runInWords).join(', ');
  const prices = runs.flatMap(({ price }) => (price === undefined ? [] : [price]));
  const [least, most] = [
    prices.reduce((one, other) => (other < one ? other : one)),
    prices.reduce((one, other) => (other > one ? other : one)),
  ];
  return `${runs.length} changes of price between ${pence(least)} and ${pence(most)} p/kWh`;
}

function runInWords({ first, last, price }: Run): string {
  const cost = price === undefined ? 'no price' : `${pence(price)} p/kWh`;
  return `${first.time} to ${last.until} ${cost}`;
}

/** Whether any of a span of days lies in the validity of a tariff. */
export function isValidBetween({ validFrom, validTo }: Validity, first: Day, last: Day): boolean {
  const [from, to] = [startOf(first), startOf(daysAfter(last, 1))];
  return Date.parse(validFrom) < to && (validTo === null || Date.parse(validTo) > from);
}
