import { COLUMNS, type Day, clockTime, writtenDay } from './local-time';
import { penceOf } from './money';
import { type PricedHalfHour, halfHourCount, pricedDay } from './priced-day';
import type { HalfHourPrice } from './operation-results';
import { tierLimits } from './tier-limits';

/** A half-hour, or a part of one, in the table of a day. */
interface DayRow {
  readonly when: string;
  /** Empty outside the validity of the tariff, or in a gap of a dynamic tariff. */
  readonly prices: readonly {
    readonly limit: string;
    readonly including: string;
    readonly excluding: string | undefined;
  }[];
  readonly missing: string | undefined;
  /** The published rate that determines the price. */
  readonly rate: { readonly address: string; readonly name: string } | undefined;
}

/** Returns the table of a day: the prices of the curve, with the rates that determine them. */
export function dayRows(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): DayRow[] {
  const isUsualDay = halfHourCount(halfHours) === COLUMNS;
  return halfHours.map(({ time, until, zone, slot }) => {
    const limits = tierLimits(slot ?? { tiers: [] });
    return {
      when: `${time}–${until}${isUsualDay ? '' : ` ${zone}`}`,
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

/** Returns the number of a published rate and the address of its row on the page. */
export function rateName(schedule: number, daysAndHours: number, hours: number) {
  return {
    address: `#rate-${schedule}-${daysAndHours}-${hours}`,
    name: [schedule, daysAndHours, hours].map((index) => index + 1).join('.'),
  };
}

/** The table of a week: one row per half-hour of the clock, one column per day. */
interface WeekTable {
  readonly days: readonly string[];
  readonly rows: readonly { readonly when: string; readonly cells: readonly string[] }[];
}

/** Returns the table of a week, in p/kWh including VAT. */
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
  const isRepeated = halfHours.some((each) => each.isRepeated);
  return halfHours
    .map(({ slot, zone, span, until }) =>
      [priceText(slot), ...(isRepeated ? [zone] : []), ...(span < 1 ? [`until ${until}`] : [])].join(' '),
    )
    .join(', ');
}

function priceText(slot: HalfHourPrice | undefined): string {
  const prices = (slot?.tiers ?? []).map(({ unitPriceIncludingVat: price }) => penceOf(price));
  return missingOf(slot) ?? prices.join(' / ');
}
