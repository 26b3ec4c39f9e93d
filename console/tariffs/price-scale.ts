import { type Amount, PENNY, leastRoundStep, pence } from './money';

/** How dark or bright a price is drawn: 0 is the cheapest of the picture; `tariffs.css` has a colour for each. */
export type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Prices that are drawn alike. */
export interface PriceClass {
  readonly level: Level;
  /** In pence: `24.50`, or `20 to under 25`. */
  readonly label: string;
}

/** Which colour means which price. */
export interface PriceScale {
  /** From the cheapest. */
  readonly classes: readonly PriceClass[];
  levelOf(price: Amount): Level;
}

/** Levels of so many classes: as far from one another as there is room; few keep away from the ends, where colours are strong. */
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
const MOST_CLASSES = LEVELS.length - 1;

/** The scale of prices, each of them once and the least first: a class for each if they are few, else steps of one width. */
export function priceScale(prices: readonly Amount[]): PriceScale {
  return prices.length <= MOST_CLASSES ? scaleOfPrices(prices) : scaleOfSteps(prices[0] ?? 0n, prices.at(-1) ?? 0n);
}

function scaleOfPrices(prices: readonly Amount[]): PriceScale {
  const levels = LEVELS[prices.length] ?? [];
  const levelOf = (price: Amount) => levels[prices.indexOf(price)] ?? 0;
  return {
    classes: prices.map((price) => ({ level: levelOf(price), label: pence(price) })),
    levelOf,
  };
}

function scaleOfSteps(least: Amount, most: Amount): PriceScale {
  const step = leastRoundStep((each) => most / each - least / each < MOST_CLASSES);
  const first = least / step;
  const count = Number(most / step - first) + 1;
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
