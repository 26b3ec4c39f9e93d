import { dayCurve } from './day-curve';
import { COLUMNS, type Day, clockChanges, clockTime, daysAfter, halfHoursOf, weekOf, writtenDay } from './local-time';
import { amountsOf } from './money';
import { type PriceScale, priceScale } from './price-scale';
import { dayRows, weekTable } from './price-tables';
import { dayInWords, isValidBetween, pricedDay, pricesOf } from './priced-day';
import type { HalfHourPrice, Tariff } from './register-answers';
import { tariffPage, weekPage } from './tariff-address';
import { type ShownDay, nearestDay } from './tariff-reading';
import { ROW_HEIGHT, type WeekCell, clocksOf, weekPicture } from './week-picture';

/** A tariff's prices in pictures and tables: a week, and a day of it, in the same colours. */
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
    height: ROW_HEIGHT,
    isValid: isValidBetween(tariff, week[0] ?? day, week.at(-1) ?? day),
    days: days.map((each) => ({
      ...each,
      address: `${tariffPage(tariffId, each.day)}#day`,
      isChosen: each.day === day,
    })),
    hours: HOURS,
    marks: marksOf(days.flatMap(({ cells }) => cells)),
    table: weekTable(week, slots),
    ways: waysFrom(tariffId, day, today),
    valid: weekPage(tariffId, nearestDay(tariff, today)),
  };
}

/** Hours of the clock that are written: every third. */
const HOURS = Array.from({ length: 9 }, (_, index) => ({
  at: (index / 8) * 100,
  label: clockTime((index * COLUMNS) / 8).slice(0, 2),
}));

/** What cells without a price mean; only what the picture has. */
function marksOf(cells: readonly WeekCell[]) {
  const looks = new Set(cells.map(({ look }) => look));
  return Object.entries(MARKS).flatMap(([look, word]) => (looks.has(look as WeekCell['look']) ? [{ look, word }] : []));
}

const MARKS = { unpriced: 'no price', invalid: 'not valid', skipped: 'no such time' } as const;

function dayShown(tariff: Tariff, day: Day, slots: readonly HalfHourPrice[], scale: PriceScale) {
  const halfHours = pricedDay(day, slots);
  const name = writtenDay(day, 'cccc d LLLL yyyy');
  return {
    date: day,
    name,
    clocks: clocksOf(halfHours.length),
    isValid: isValidBetween(tariff, day, day),
    isVatUnknown: tariff.vatIncluded && tariff.vatRate === null,
    curve: dayCurve(halfHours, scale),
    tells: `${name}, including VAT: ${dayInWords(halfHours)}`,
    rows: dayRows(halfHours),
  };
}

/** Where one goes from a day: to the weeks beside its own, to today, and to the days on which the clocks change. */
function waysFrom(tariffId: string, day: Day, today: Day) {
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
