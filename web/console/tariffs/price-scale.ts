import { type Amount, PENNY, smallestRoundStep, pence } from './money';

/** Colour of a price: 0 is the cheapest of a picture; `tariffs.css` has a rule for each level. */
export type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Prices of one colour. */
interface PriceClass {
  readonly level: Level;
  /** In pence: `24.50`, or `20 to under 25`. */
  readonly label: string;
}

/** Colours by price. */
export interface PriceScale {
  /** Cheapest first. */
  readonly classes: readonly PriceClass[];
  levelOf(price: Amount): Level;
}

/** Levels by number of classes: as distinct as possible; small numbers avoid the strong colours at the ends. */
const LEVELS: readonly (readonly Level[])[] = [
  [],
  [3],
  [1, 5],
  [1, 4, 7],
  [0, 3, 5, 8],
  [0, 2, 4, 6, 8],
  [0, 2, 3, 5, 6, 8],
  [0, 1, 3, 4, 5, 7, 8],
  [0, 1, 2, 3, 5, 6, 7, 8],
  [0, 1, 2, 3, 4, 5, 6, 7, 8],
];
const MAX_CLASSES = LEVELS.length - 1;

/**
 * Returns the scale of distinct prices, sorted ascending: one class per price if there are at most nine, otherwise
 * classes of equal width.
 */
export function priceScale(prices: readonly Amount[]): PriceScale {
  return prices.length <= MAX_CLASSES ? scaleOfPrices(prices) : scaleOfSteps(prices[0] ?? 0n, prices.at(-1) ?? 0n);
}

function scaleOfPrices(prices: readonly Amount[]): PriceScale {
  const levels = LEVELS[prices.length] ?? [];
  const levelOf = (price: Amount) => levels[prices.indexOf(price)] ?? 0;
  return {
    classes: prices.map((price) => ({ level: levelOf(price), label: pence(price) })),
    levelOf,
  };
}

function scaleOfSteps(min: Amount, max: Amount): PriceScale {
  const step = smallestRoundStep((each) => max / each - min / each < MAX_CLASSES);
  const first = min / step;
  const count = Number(max / step - first) + 1;
  const levels = LEVELS[count] ?? [];
  return {
    classes: levels.map((level, index) => ({ level, label: rangeOf((first + BigInt(index)) * step, step) })),
    levelOf: (price) => levels[Number(price / step - first)] ?? 0,
  };
}

function rangeOf(from: Amount, step: Amount): string {
  const places = step % PENNY === 0n ? 0 : 2;
  return `${pence(from, places)} to under ${pence(from + step, places)}`;
}
