import { rounded } from '../format';
import { COLUMNS, type Day, writtenDay } from './local-time';
import { type Amount, pence } from './money';
import { type PricedHalfHour, dayInWords, halfHourCount, pricedDay, runsOf } from './priced-day';
import type { Level, PriceScale } from './price-scale';
import type { SlotPrice } from './operation-results';

/** A half-hour of the heat map; x and width are percentages, y and height are pixels. */
export interface WeekCell {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly state: 'priced' | 'unpriced' | 'invalid' | 'skipped';
  readonly level: Level | undefined;
  /** Tooltip. */
  readonly description: string;
}

/** A price written into the heat map. */
interface WeekLabel {
  readonly x: number;
  readonly text: string;
  readonly level: Level | undefined;
  /** True if the label also fits on a narrow screen. */
  readonly isShort: boolean;
}

/** Height of a row. */
export const ROW_HEIGHT_PX = 32;

/**
 * Returns the rows of a heat map: one per day, one cell per half-hour that a clock shows, or per
 * part of one in which the price changes. A half-hour that the clock
 * shows twice is divided, the earlier one above.
 */
export function weekPicture(days: readonly Day[], slots: readonly SlotPrice[], scale: PriceScale) {
  return days.map((day) => {
    const halfHours = pricedDay(day, slots);
    const fullName = writtenDay(day, 'cccc d LLLL yyyy');
    return {
      ...{ day, fullName, name: writtenDay(day, 'ccc d'), month: writtenDay(day, 'LLL') },
      clocks: clocksOf(halfHourCount(halfHours)),
      description: `${fullName}: ${dayInWords(halfHours)}`,
      cells: cellsOf(halfHours, scale),
      labels: labelsOf(halfHours, scale),
    };
  });
}

/** Returns the change of the clocks on a day of this many half-hours, in words. */
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
      ...positionOf(halfHour.position, halfHour.span),
      ...(repeated.has(halfHour.column) ? halfOf(halfHour) : WHOLE),
      ...stateOf(halfHour, scale),
      description: descriptionOf(halfHour, repeated.has(halfHour.column)),
    })),
    ...skipped.map((column) => ({
      ...{ ...positionOf(column, 1), ...WHOLE, state: 'skipped' as const, level: undefined },
      description: 'The clocks go forward: there is no such time on this day',
    })),
  ];
}

const WHOLE = { y: 0, height: ROW_HEIGHT_PX } as const;

function halfOf({ isRepeated }: { readonly isRepeated: boolean }) {
  const height = ROW_HEIGHT_PX / 2 - 0.5;
  return { y: isRepeated ? ROW_HEIGHT_PX - height : 0, height };
}

/**
 * Percentage by which a cell extends under the next one: otherwise the background would show between them where the
 * browser rounds pixels.
 */
const CELL_OVERLAP = 0.06;

function positionOf(position: number, span: number) {
  const x = hundredths(position);
  return { x, width: rounded(Math.min(100, hundredths(position + span) + CELL_OVERLAP) - x, 3) };
}

function hundredths(position: number): number {
  return rounded((position / COLUMNS) * 100, 3);
}

function stateOf({ slot, price }: PricedHalfHour<SlotPrice>, scale: PriceScale): Pick<WeekCell, 'state' | 'level'> {
  if (price !== undefined) return { state: 'priced', level: scale.levelOf(price) };
  return { state: slot === undefined ? 'invalid' : 'unpriced', level: undefined };
}

function descriptionOf({ time, until, zone, slot, price }: PricedHalfHour<SlotPrice>, isAmbiguous: boolean): string {
  const when = `${time} to ${until}${isAmbiguous ? ` ${zone}` : ''}`;
  if (price !== undefined) return `${when}: ${pence(price)} p/kWh`;
  return `${when}: ${slot === undefined ? 'the tariff is not valid' : 'no price'}`;
}

/** Width of a half-hour on a usual screen and on the narrowest one, and of a letter. */
const WIDE_CELL_PX = 13;
const NARROW_CELL_PX = 4.4;
const LETTER_WIDTH_PX = 6.4;

/** Writes the price of a run on it once, if it fits. */
function labelsOf(halfHours: readonly PricedHalfHour<SlotPrice>[], scale: PriceScale): WeekLabel[] {
  const besideChange = [halfHours.filter(({ column }) => column < 2), halfHours.filter(({ column }) => column >= 4)];
  const parts = halfHourCount(halfHours) === COLUMNS ? [halfHours] : besideChange;
  return parts.flatMap((part) =>
    runsOf(part).flatMap(({ first, length, price }) =>
      price === undefined ? [] : labelOf(first.position, length, price, scale),
    ),
  );
}

function labelOf(position: number, length: number, price: Amount, scale: PriceScale): WeekLabel[] {
  const text = pence(price);
  const needed = text.length * LETTER_WIDTH_PX + 6;
  if (length * WIDE_CELL_PX < needed) return [];
  const x = hundredths(position + length / 2);
  return [{ x, text, level: scale.levelOf(price), isShort: length * NARROW_CELL_PX >= needed }];
}
