import { dayCurve } from './day-curve';
import { COLUMNS, type Day, clockChanges, clockTime, daysAfter, halfHoursOf, weekOf, writtenDay } from './local-time';
import { amountsOf } from './money';
import { type PriceScale, priceScale } from './price-scale';
import { dayRows, weekTable } from './price-tables';
import { dayInWords, halfHourCount, isValidBetween, pricedDay, pricesOf } from './priced-day';
import type { HalfHourPrice, Tariff } from './operation-results';
import { tariffPage, weekPage } from './tariff-address';
import { type ShownDay, nearestDay } from './tariff-reading';
import { ROW_HEIGHT_PX, type WeekCell, clocksOf, weekPicture } from './week-picture';

/** Returns the prices of a week and of one of its days as pictures and tables, in the same colours. */
export function tariffPictures(tariff: Tariff, shown: ShownDay, slots: readonly HalfHourPrice[], today: Day) {
  const scale = priceScale(amountsOf(slots.flatMap(pricesOf)));
  return {
    scale,
    hasTiers: slots.some(({ tiers }) => tiers.length > 1),
    week: weekShown(tariff, shown, slots, scale, today),
    day: dayShown(tariff, shown.day, slots, scale),
  };
}

function weekShown(
  tariff: Tariff,
  { day, week }: ShownDay,
  slots: readonly HalfHourPrice[],
  scale: PriceScale,
  today: Day,
) {
  const { tariffId } = tariff;
  const days = weekPicture(week, slots, scale);
  return {
    name: weekInWords(week),
    height: ROW_HEIGHT_PX,
    isValid: isValidBetween(tariff, week[0] ?? day, week.at(-1) ?? day),
    days: days.map((each) => ({
      ...each,
      address: `${tariffPage(tariffId, each.day)}#day`,
      isChosen: each.day === day,
    })),
    hours: HOURS,
    marks: marksOf(days.flatMap(({ cells }) => cells)),
    table: weekTable(week, slots),
    links: linksFrom(tariffId, day, today),
    valid: weekPage(tariffId, nearestDay(tariff, today)),
  };
}

/** Hours on the axis: every third. */
const HOURS = Array.from({ length: 9 }, (_, index) => ({
  at: (index / 8) * 100,
  label: clockTime((index * COLUMNS) / 8).slice(0, 2),
}));

/** Returns legend entries for those kinds of cells without a price that the picture contains. */
function marksOf(cells: readonly WeekCell[]) {
  const states = new Set(cells.map(({ state }) => state));
  return Object.entries(MARKS).flatMap(([state, word]) =>
    states.has(state as WeekCell['state']) ? [{ state, word }] : [],
  );
}

const MARKS = { unpriced: 'no price', invalid: 'not valid', skipped: 'no such time' } as const;

function dayShown(tariff: Tariff, day: Day, slots: readonly HalfHourPrice[], scale: PriceScale) {
  const halfHours = pricedDay(day, slots);
  const name = writtenDay(day, 'cccc d LLLL yyyy');
  return {
    date: day,
    name,
    clocks: clocksOf(halfHourCount(halfHours)),
    isValid: isValidBetween(tariff, day, day),
    isVatUnknown: tariff.vatIncluded && tariff.vatRate === null,
    curve: dayCurve(halfHours, scale),
    description: `${name}, including VAT: ${dayInWords(halfHours)}`,
    rows: dayRows(halfHours),
  };
}

/**
 * Returns links from a day: to the previous and the next week, to this week, and to the days when the clocks change.
 */
function linksFrom(tariffId: string, day: Day, today: Day) {
  return {
    action: tariffPage(tariffId),
    before: weekPage(tariffId, daysAfter(day, -7)),
    after: weekPage(tariffId, daysAfter(day, 7)),
    today: weekOf(day).includes(today) ? undefined : weekPage(tariffId, today),
    changes: clockChanges(daysAfter(day, 1), 2).map((change) => ({
      address: weekPage(tariffId, change),
      name: writtenDay(change, 'd LLL yyyy'),
      halfHours: halfHoursOf(change).length,
    })),
  };
}

function weekInWords(week: readonly Day[]): string {
  const [monday = '', sunday = ''] = [week[0], week.at(-1)];
  return `${writtenDay(monday, 'd LLLL')} to ${writtenDay(sunday, 'd LLLL yyyy')}`;
}
