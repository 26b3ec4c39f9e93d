import { type Amount, PENNY, amountOf, leastRoundStep, pence } from './money';
import type { PricedHalfHour } from './priced-day';
import type { Level, PriceScale } from './price-scale';
import type { HalfHourPrice } from './register-answers';
import { commonLimits, tierLimits } from './tier-limits';

/** A line of equal price, in hundredths of the height from the top. */
export interface PriceLine {
  readonly at: number;
  /** In pence. */
  readonly label: string;
}

/** A time of day, in hundredths of the width. */
export interface TimeMark {
  readonly at: number;
  readonly label: string;
}

/** A half-hour under the curve. */
export interface CurveBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly level: Level | undefined;
  readonly tells: string;
}

/** A step line through a day, as the path of an SVG of 100 by 100. */
export interface CurveLine {
  readonly kind: 'including' | 'excluding' | 'second-tier' | 'third-tier';
  readonly path: string;
  readonly label: string;
}

/** The prices of a day as a picture. */
export interface DayCurve {
  readonly bars: readonly CurveBar[];
  /** In the order in which they are drawn: the price of the first tier is on top. */
  readonly lines: readonly CurveLine[];
  readonly prices: readonly PriceLine[];
  readonly times: readonly TimeMark[];
  /** Where the clocks change, if they do. */
  readonly change: TimeMark | undefined;
}

/** Lines of equal price at most. */
const MOST_LINES = 5;

/** Of the tiers after the first, those that are drawn. */
const FURTHER_TIERS = ['second-tier', 'third-tier'] as const;

/** Tiers that are drawn: more are in the table. */
const MOST_TIERS = 1 + FURTHER_TIERS.length;

/** The curve of a day: as wide as it has half-hours, from nothing to the line that no price exceeds; undefined when there is no price. */
export function dayCurve(halfHours: readonly PricedHalfHour<HalfHourPrice>[], scale: PriceScale): DayCurve | undefined {
  const tiers = Math.min(MOST_TIERS, Math.max(0, ...halfHours.map(({ slot }) => slot?.tiers.length ?? 0)));
  if (tiers === 0) return undefined;
  const drawn = halfHours.flatMap(({ slot }) =>
    (slot?.tiers ?? []).slice(0, MOST_TIERS).map((each) => amountOf(each.unitPriceIncludingVat)),
  );
  const top = topOf(drawn);
  const y = (price: Amount) => rounded(100 - (Number(price) / Number(top.amount)) * 100);
  return {
    bars: halfHours.map((each, index) => barOf(each, index, halfHours.length, scale, y)),
    lines: linesOf(halfHours, tiers, y),
    prices: Array.from({ length: top.steps + 1 }, (_, index) => top.step * BigInt(index)).map((price) => ({
      at: y(price),
      label: pence(price, 0),
    })),
    ...timesOf(halfHours),
  };
}

/** The highest line, which no price exceeds; of a day on which nothing is paid, a penny. */
function topOf(prices: readonly Amount[]) {
  const most = prices.reduce((one, other) => (other > one ? other : one), 0n) || PENNY;
  const step = leastRoundStep((each) => most / each < BigInt(MOST_LINES));
  const steps = Number(most / step) + (most % step === 0n ? 0 : 1);
  return { step, steps, amount: step * BigInt(steps) };
}

function barOf(
  halfHour: PricedHalfHour<HalfHourPrice>,
  index: number,
  count: number,
  scale: PriceScale,
  y: (price: Amount) => number,
): CurveBar {
  const { price } = halfHour;
  const top = price === undefined ? 100 : y(price);
  return {
    x: share(index, count),
    width: rounded(share(index + 1, count) - share(index, count)),
    y: top,
    height: rounded(100 - top),
    level: price === undefined ? undefined : scale.levelOf(price),
    tells: tellsOf(halfHour, count),
  };
}

function tellsOf({ time, until, zone, slot }: PricedHalfHour<HalfHourPrice>, count: number): string {
  const when = `${time} to ${until}${count === 48 ? '' : ` ${zone}`}`;
  if (slot === undefined) return `${when}: the tariff is not valid`;
  if (slot.tiers.length === 0) return `${when}: no price`;
  const limits = tierLimits(slot);
  return `${when}: ${slot.tiers.map((tier, index) => `${limits[index] ?? ''}${bothPrices(tier)}`).join('; ')}`;
}

function bothPrices({ unitPriceIncludingVat: including, unitPriceExcludingVat: excluding }: HalfHourPrice['tiers'][0]) {
  const without = excluding === null ? '' : `, ${pence(amountOf(excluding))} excluding`;
  return `${pence(amountOf(including))} p/kWh including VAT${without}`;
}

type Priced = (halfHour: PricedHalfHour<HalfHourPrice>) => string | null | undefined;

function linesOf(
  halfHours: readonly PricedHalfHour<HalfHourPrice>[],
  tiers: number,
  y: (price: Amount) => number,
): CurveLine[] {
  const limits = commonLimits(halfHours);
  const line = (kind: CurveLine['kind'], label: string, priceOf: Priced): CurveLine[] => {
    const path = stepPath(
      halfHours.map((each) => priceOf(each) ?? null),
      y,
    );
    return path === '' ? [] : [{ kind, label, path }];
  };
  const further = FURTHER_TIERS.slice(0, tiers - 1);
  return [
    ...further
      .flatMap((kind, index) =>
        line(kind, `${limits[index + 1] ?? ''}including VAT`, (each) => priceOfTier(each, index + 1)),
      )
      .toReversed(),
    ...line('excluding', `${limits[0] ?? ''}excluding VAT`, ({ slot }) => slot?.tiers[0]?.unitPriceExcludingVat),
    ...line('including', `${limits[0] ?? ''}including VAT`, ({ slot }) => slot?.tiers[0]?.unitPriceIncludingVat),
  ];
}

function priceOfTier({ slot }: PricedHalfHour<HalfHourPrice>, tier: number): string | undefined {
  return slot?.tiers[tier]?.unitPriceIncludingVat;
}

/** A step for each half-hour; it is broken where there is no price. */
function stepPath(prices: readonly (string | null)[], y: (price: Amount) => number): string {
  const steps = prices.map((price, index) => {
    if (price === null) return '';
    const [before, after] = [prices[index - 1] ?? null, prices[index + 1] ?? null];
    const at = y(amountOf(price));
    const start = before === null ? `M${share(index, prices.length)} ${at}` : `V${at}`;
    return `${before === price ? '' : start}${after === price ? '' : `H${share(index + 1, prices.length)}`}`;
  });
  return steps.join('');
}

/** Hours between two marks. */
const BETWEEN_MARKS = 3;

/** Hundredths that the first mark needs: where the clocks go forward, the second would touch it on a narrow screen. */
const LEAST_ROOM = 10;

function timesOf(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): Pick<DayCurve, 'times' | 'change'> {
  const count = halfHours.length;
  const marks = halfHours
    .flatMap(({ column, isRepeated, time }, index) =>
      column % (2 * BETWEEN_MARKS) === 0 && !isRepeated ? [{ at: share(index, count), label: time.slice(0, 2) }] : [],
    )
    .filter(({ at }) => at === 0 || at >= LEAST_ROOM);
  const changed = halfHours.findIndex(({ zone }) => zone !== halfHours[0]?.zone);
  return {
    times: [...marks, { at: 100, label: '24' }],
    change:
      changed < 0
        ? undefined
        : { at: share(changed, count), label: count > 48 ? 'clocks go back' : 'clocks go forward' },
  };
}

function share(index: number, count: number): number {
  return rounded((index / count) * 100);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
