import { rounded } from '../format';
import { type Amount, PENNY, amountOf, smallestRoundStep, pence } from './money';
import { type PricedHalfHour, halfHourCount } from './priced-day';
import type { Level, PriceScale } from './price-scale';
import type { HalfHourPrice } from './operation-results';
import { COLUMNS } from './local-time';
import { commonLimits, tierLimits } from './tier-limits';

/** A line of equal price; `at` is a percentage of the height, from the top. */
interface PriceLine {
  readonly at: number;
  /** In pence. */
  readonly label: string;
}

/** A time of day; `at` is a percentage of the width. */
interface TimeMark {
  readonly at: number;
  readonly label: string;
}

/** The bar of a half-hour, or of a part of one, under the curve. */
interface CurveBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly level: Level | undefined;
  readonly description: string;
}

/** A stepped line through a day, as an SVG path in a viewBox of 100 by 100. */
interface CurveLine {
  readonly kind: 'including' | 'excluding' | 'second-tier' | 'third-tier';
  readonly path: string;
  readonly label: string;
}

/** The prices of a day as a picture. */
interface DayCurve {
  readonly bars: readonly CurveBar[];
  /** In drawing order: the price of the first tier is on top. */
  readonly lines: readonly CurveLine[];
  readonly prices: readonly PriceLine[];
  readonly times: readonly TimeMark[];
  /** Horizontal position of the clock change; undefined on other days. */
  readonly change: TimeMark | undefined;
}

/** Maximum number of lines of equal price. */
const MAX_LINES = 5;

/** Tiers after the first that are drawn. */
const FURTHER_TIERS = ['second-tier', 'third-tier'] as const;

/** Number of tiers that are drawn; the table has all. */
const MAX_TIERS = 1 + FURTHER_TIERS.length;

/**
 * Returns the curve of a day: as wide as its half-hours, from 0 up to the line that no price exceeds. Undefined if
 * there is no price.
 */
export function dayCurve(halfHours: readonly PricedHalfHour<HalfHourPrice>[], scale: PriceScale): DayCurve | undefined {
  const tiers = Math.min(MAX_TIERS, Math.max(0, ...halfHours.map(({ slot }) => slot?.tiers.length ?? 0)));
  if (tiers === 0) return undefined;
  const drawn = halfHours.flatMap(({ slot }) =>
    (slot?.tiers ?? []).slice(0, MAX_TIERS).map((each) => amountOf(each.unitPriceIncludingVat)),
  );
  const top = topOf(drawn);
  const y = (price: Amount) => rounded(100 - (Number(price) / Number(top.amount)) * 100, 3);
  return {
    bars: halfHours.map((each) => barOf(each, halfHourCount(halfHours), scale, y)),
    lines: linesOf(halfHours, tiers, y),
    prices: Array.from({ length: top.steps + 1 }, (_, index) => top.step * BigInt(index)).map((price) => ({
      at: y(price),
      label: pence(price, 0),
    })),
    ...timesOf(halfHours),
  };
}

/** Returns the step between the lines and the highest line; 1 penny on a day without cost. */
function topOf(prices: readonly Amount[]) {
  const max = prices.reduce((one, other) => (other > one ? other : one), 0n) || PENNY;
  const step = smallestRoundStep((each) => max / each < BigInt(MAX_LINES));
  const steps = Number(max / step) + (max % step === 0n ? 0 : 1);
  return { step, steps, amount: step * BigInt(steps) };
}

function barOf(
  halfHour: PricedHalfHour<HalfHourPrice>,
  count: number,
  scale: PriceScale,
  y: (price: Amount) => number,
): CurveBar {
  const { price, elapsed, span } = halfHour;
  const top = price === undefined ? 100 : y(price);
  return {
    x: share(elapsed, count),
    width: rounded(share(elapsed + span, count) - share(elapsed, count), 3),
    y: top,
    height: rounded(100 - top, 3),
    level: price === undefined ? undefined : scale.levelOf(price),
    description: descriptionOf(halfHour, count),
  };
}

function descriptionOf({ time, until, zone, slot }: PricedHalfHour<HalfHourPrice>, count: number): string {
  const when = `${time} to ${until}${count === COLUMNS ? '' : ` ${zone}`}`;
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
    const path = stepPath(halfHours, (each) => priceOf(each) ?? null, y);
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

/** Returns a path with one step per half-hour or part of one, and gaps where there is no price. */
function stepPath(
  halfHours: readonly PricedHalfHour<HalfHourPrice>[],
  priceOf: (halfHour: PricedHalfHour<HalfHourPrice>) => string | null,
  y: (price: Amount) => number,
): string {
  const [count, prices] = [halfHourCount(halfHours), halfHours.map(priceOf)];
  const steps = halfHours.map(({ elapsed, span }, index) => {
    const price = prices[index] ?? null;
    if (price === null) return '';
    const [before, after] = [prices[index - 1] ?? null, prices[index + 1] ?? null];
    const at = y(amountOf(price));
    const start = before === null ? `M${share(elapsed, count)} ${at}` : `V${at}`;
    return `${before === price ? '' : start}${after === price ? '' : `H${share(elapsed + span, count)}`}`;
  });
  return steps.join('');
}

/** Hours between two marks. */
const HOURS_BETWEEN_MARKS = 3;

/**
 * Minimum distance from the first mark, in percent: on a narrow screen a closer mark, on the day when the clocks go
 * forward, would touch it.
 */
const MIN_MARK_DISTANCE = 10;

function timesOf(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): Pick<DayCurve, 'times' | 'change'> {
  const count = halfHourCount(halfHours);
  const marks = halfHours
    .flatMap(({ position, elapsed, isRepeated, time }) =>
      position % (2 * HOURS_BETWEEN_MARKS) === 0 && !isRepeated
        ? [{ at: share(elapsed, count), label: time.slice(0, 2) }]
        : [],
    )
    .filter(({ at }) => at === 0 || at >= MIN_MARK_DISTANCE);
  const changed = halfHours.find(({ zone }) => zone !== halfHours[0]?.zone);
  return {
    times: [...marks, { at: 100, label: '24' }],
    change: changed && {
      at: share(changed.elapsed, count),
      label: count > COLUMNS ? 'clocks go back' : 'clocks go forward',
    },
  };
}

function share(elapsed: number, count: number): number {
  return rounded((elapsed / count) * 100, 3);
}
