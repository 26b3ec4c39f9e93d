import { COLUMNS, type Day, clockTime, writtenDay } from './local-time';
import { penceOf } from './money';
import { type PricedHalfHour, halfHourCount, pricedDay } from './priced-day';
import type { HalfHourPrice } from './operation-results';
import { tierLimits } from './tier-limits';

/**
 * Returns the table of a day: the prices of the curve, with the published rates that determine them. There are none outside the validity of
 * the tariff, or in a gap of a dynamic tariff.
 */
export function dayRows(halfHours: readonly PricedHalfHour<HalfHourPrice>[]) {
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

/** Returns the table of a week, one row per half-hour of the clock and one column per day, in p/kWh including VAT. */
export function weekTable(days: readonly Day[], slots: readonly HalfHourPrice[]) {
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
