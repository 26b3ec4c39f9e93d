import { COLUMNS, type Day, writtenDay } from './local-time';
import { type Amount, pence } from './money';
import { type PricedHalfHour, dayInWords, pricedDay, runsOf } from './priced-day';
import type { Level, PriceScale } from './price-scale';
import type { SlotPrice } from './register-answers';

/** A half-hour of the heat map; places are hundredths of the width, and pixels of the height. */
export interface WeekCell {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly look: 'priced' | 'unpriced' | 'invalid' | 'skipped';
  readonly level: Level | undefined;
  /** What it tells when it is pointed at. */
  readonly tells: string;
}

/** A price that is written into the heat map. */
export interface WeekLabel {
  readonly x: number;
  readonly text: string;
  readonly level: Level | undefined;
  /** Whether there is room for it also on a narrow screen. */
  readonly isShort: boolean;
}

/** A day of the heat map. */
export interface WeekDay {
  readonly day: Day;
  /** Day of the week and of the month: `Sun 29`. */
  readonly name: string;
  readonly month: string;
  readonly fullName: string;
  /** What happens to the clocks. */
  readonly clocks: string | undefined;
  readonly tells: string;
  readonly cells: readonly WeekCell[];
  readonly labels: readonly WeekLabel[];
}

/** Height of a day in pixels. */
export const ROW_HEIGHT = 32;

/** The rows of a heat map: days, by the half-hours that a clock shows. One that the clock shows twice is divided, the earlier above. */
export function weekPicture(days: readonly Day[], slots: readonly SlotPrice[], scale: PriceScale): WeekDay[] {
  return days.map((day) => {
    const halfHours = pricedDay(day, slots);
    const fullName = writtenDay(day, 'cccc d LLLL yyyy');
    return {
      ...{ day, fullName, name: writtenDay(day, 'ccc d'), month: writtenDay(day, 'LLL') },
      clocks: clocksOf(halfHours.length),
      tells: `${fullName}: ${dayInWords(halfHours)}`,
      cells: cellsOf(halfHours, scale),
      labels: labelsOf(halfHours, scale),
    };
  });
}

/** What a day of so many half-hours says of the clocks. */
export function clocksOf(halfHours: number): string | undefined {
  if (halfHours === COLUMNS) return undefined;
  return halfHours < COLUMNS ? `clocks go forward, ${halfHours} half-hours` : `clocks go back, ${halfHours} half-hours`;
}

function cellsOf(halfHours: readonly PricedHalfHour<SlotPrice>[], scale: PriceScale): WeekCell[] {
  const repeated = new Set(halfHours.filter(({ isRepeated }) => isRepeated).map(({ column }) => column));
  const shown = new Set(halfHours.map(({ column }) => column));
  const skipped = Array.from({ length: COLUMNS }, (_, column) => column).filter((column) => !shown.has(column));
  return [
    ...halfHours.map((halfHour) => ({
      ...placeOf(halfHour.column),
      ...(repeated.has(halfHour.column) ? halfOf(halfHour) : WHOLE),
      ...lookOf(halfHour, scale),
      tells: tellsOf(halfHour, repeated.has(halfHour.column)),
    })),
    ...skipped.map((column) => ({
      ...{ ...placeOf(column), ...WHOLE, look: 'skipped' as const, level: undefined },
      tells: 'The clocks go forward: there is no such time on this day',
    })),
  ];
}

const WHOLE = { y: 0, height: ROW_HEIGHT } as const;

function halfOf({ isRepeated }: { readonly isRepeated: boolean }) {
  const height = ROW_HEIGHT / 2 - 0.5;
  return { y: isRepeated ? ROW_HEIGHT - height : 0, height };
}

/** Hundredths by which a cell reaches under the next: else their ground would show between them, where pixels are rounded. */
const OVERLAP = 0.06;

function placeOf(column: number) {
  const x = hundredths(column);
  return { x, width: Math.round((Math.min(100, hundredths(column + 1) + OVERLAP) - x) * 1000) / 1000 };
}

function hundredths(column: number): number {
  return Math.round((column / COLUMNS) * 100_000) / 1000;
}

function lookOf({ slot, price }: PricedHalfHour<SlotPrice>, scale: PriceScale): Pick<WeekCell, 'look' | 'level'> {
  if (price !== undefined) return { look: 'priced', level: scale.levelOf(price) };
  return { look: slot === undefined ? 'invalid' : 'unpriced', level: undefined };
}

function tellsOf({ time, until, zone, slot, price }: PricedHalfHour<SlotPrice>, isAmbiguous: boolean): string {
  const when = `${time} to ${until}${isAmbiguous ? ` ${zone}` : ''}`;
  if (price !== undefined) return `${when}: ${pence(price)} p/kWh`;
  return `${when}: ${slot === undefined ? 'the tariff is not valid' : 'no price'}`;
}

/** Pixels of a half-hour: on a usual screen, and on the narrowest. */
const WIDE = 13;
const NARROW = 4.4;
const LETTER = 6.4;

/** Where half-hours in a row cost the same, their price is written on them once, if there is room. */
function labelsOf(halfHours: readonly PricedHalfHour<SlotPrice>[], scale: PriceScale): WeekLabel[] {
  const steady = [halfHours.filter(({ column }) => column < 2), halfHours.filter(({ column }) => column >= 4)];
  const parts = halfHours.length === COLUMNS ? [halfHours] : steady;
  return parts.flatMap((part) =>
    runsOf(part).flatMap(({ first, length, price }) =>
      price === undefined ? [] : labelOf(first.column, length, price, scale),
    ),
  );
}

function labelOf(column: number, length: number, price: Amount, scale: PriceScale): WeekLabel[] {
  const text = pence(price);
  const needed = text.length * LETTER + 6;
  if (length * WIDE < needed) return [];
  const x = hundredths(column + length / 2);
  return [{ x, text, level: scale.levelOf(price), isShort: length * NARROW >= needed }];
}
