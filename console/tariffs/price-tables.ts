import { COLUMNS, type Day, clockTime, writtenDay } from './local-time';
import { penceOf } from './money';
import { type PricedHalfHour, pricedDay } from './priced-day';
import type { HalfHourPrice } from './register-answers';
import { tierLimits } from './tier-limits';

/** A half-hour of the table of a day. */
export interface DayRow {
  readonly when: string;
  /** Outside the validity of the tariff, or in a gap of a dynamic one, there is none. */
  readonly prices: readonly {
    readonly limit: string;
    readonly including: string;
    readonly excluding: string | undefined;
  }[];
  readonly missing: string | undefined;
  /** Which rate of the tree gave the price. */
  readonly rate: { readonly address: string; readonly name: string } | undefined;
}

/** The table of a day: what the curve draws, and which rate it comes from. */
export function dayRows(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): DayRow[] {
  return halfHours.map(({ time, until, zone, slot }) => {
    const limits = tierLimits(slot ?? { tiers: [] });
    return {
      when: `${time}–${until}${halfHours.length === COLUMNS ? '' : ` ${zone}`}`,
      prices: (slot?.tiers ?? []).map((tier, index) => ({
        limit: limits[index] ?? '',
        including: penceOf(tier.unitPriceIncludingVat),
        excluding: tier.unitPriceExcludingVat === null ? undefined : penceOf(tier.unitPriceExcludingVat),
      })),
      missing: missingOf(slot),
      rate: slot?.entry ? rateName(slot.entry.schedule, slot.entry.daysAndHours, slot.entry.hours) : undefined,
    };
  });
}

function missingOf(slot: HalfHourPrice | undefined): string | undefined {
  if (slot === undefined) return 'not valid';
  return slot.tiers.length === 0 ? 'no price' : undefined;
}

/** How a rate of the tree is named, and where on the page it stands. */
export function rateName(schedule: number, daysAndHours: number, hours: number) {
  return {
    address: `#rate-${schedule}-${daysAndHours}-${hours}`,
    name: [schedule, daysAndHours, hours].map((index) => index + 1).join('.'),
  };
}

/** The table of a week: a row for each half-hour of the clock, a column for each day. */
export interface WeekTable {
  readonly days: readonly string[];
  readonly rows: readonly { readonly when: string; readonly cells: readonly string[] }[];
}

/** The table of a week, in p/kWh including VAT. */
export function weekTable(days: readonly Day[], slots: readonly HalfHourPrice[]): WeekTable {
  const columns = days.map((day) => pricedDay(day, slots));
  return {
    days: days.map((day) => writtenDay(day, 'ccc d LLL')),
    rows: Array.from({ length: COLUMNS }, (_, column) => ({
      when: `${clockTime(column)}–${clockTime(column + 1)}`,
      cells: columns.map((halfHours) => cellOf(halfHours.filter((each) => each.column === column))),
    })),
  };
}

function cellOf(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): string {
  if (halfHours.length === 0) return 'no such time';
  return halfHours.map(({ slot, zone }) => `${priceText(slot)}${halfHours.length > 1 ? ` ${zone}` : ''}`).join(', ');
}

function priceText(slot: HalfHourPrice | undefined): string {
  const prices = (slot?.tiers ?? []).map(({ unitPriceIncludingVat: price }) => penceOf(price));
  return missingOf(slot) ?? prices.join(' / ');
}
