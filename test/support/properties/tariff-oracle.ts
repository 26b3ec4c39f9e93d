import { MONTHS, type Tariff, type TariffInput, WEEKDAYS } from '../../../subgraphs/tariffs/domain/tariff';

/**
 * The rules of a rates tree once more, slow and literal: every half-hour asks Intl for its wall time and walks the tree; money is integers.
 * Nothing of the product's rules is used.
 */

/** What a schedule sees of an instant. */
export interface WallTime {
  readonly month: string;
  readonly date: number;
  readonly day: string;
  /** Of the day, from 0. */
  readonly minute: number;
}

type Rates = TariffInput['rates'];
type Hours = Rates[number]['daysAndHours'][number]['hours'][number];

const CLOCK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/London',
  ...({ month: 'short', day: 'numeric', weekday: 'short' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
});

/** The wall time in London of an instant in milliseconds. */
export function wallTimeOf(at: number): WallTime {
  const parts = Object.fromEntries(CLOCK.formatToParts(at).map(({ type, value }) => [type, value]));
  const { month = '', day, weekday = '', hour, minute } = parts;
  return { month, date: Number(day), day: weekday, minute: Number(hour) * 60 + Number(minute) };
}

/** Where a walk through the tree ends: in windows, or where nothing matched. */
export interface Walk {
  readonly schedule?: number;
  readonly daysAndHours?: number;
  /** All windows of the days group that hold the minute; there should be one. */
  readonly windows: readonly number[];
}

/** Walks the tree for a wall time. */
export function walk(rates: Rates, { minute, ...kind }: WallTime): Walk {
  const place = walkToGroup(rates, kind);
  const { schedule = NaN, daysAndHours = NaN } = place;
  const group = rates[schedule]?.daysAndHours[daysAndHours];
  if (group === undefined) return { ...place, windows: [] };
  return { ...place, windows: group.hours.flatMap((window, index) => (holds(window, minute) ? [index] : [])) };
}

/** Walks the tree for a kind of day, as far as the minute does not matter. */
function walkToGroup(rates: Rates, { month, date, day }: DayKind): Omit<Walk, 'windows'> {
  const schedule = rates.findIndex(
    ({ months, dates }) =>
      months.some((each) => each === month || each === 'All') && (dates == null || dates.includes(date)),
  );
  const entry = rates[schedule];
  if (entry === undefined) return {};
  const daysAndHours = entry.daysAndHours.findIndex(({ days }) => days.some((each) => each === day || each === 'All'));
  return entry.daysAndHours[daysAndHours] === undefined ? { schedule } : { schedule, daysAndHours };
}

function holds({ validFrom, validTo }: Hours, minute: number): boolean {
  const [from, to] = [minutesOf(validFrom), minutesOf(validTo)];
  return from < to ? from <= minute && minute < to : minute >= from || minute < to;
}

const minutesByTime = new Map<string, number>();

function minutesOf(time: string): number {
  const known = minutesByTime.get(time);
  if (known !== undefined) return known;
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  minutesByTime.set(time, hours * 60 + minutes);
  return hours * 60 + minutes;
}

/** Places after the point in which prices are compared. */
const PLACES = 9;

/** A decimal string as an integer of billionths. */
export function billionths(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(PLACES, '0'));
}

/** Price excluding and including VAT in billionths; the first null when nobody can know it. */
export function pricesOf(price: string, { vatIncluded, vatRate }: Pick<Tariff, 'vatIncluded' | 'vatRate'>) {
  const published = billionths(price);
  const percent = BigInt(100 + (vatRate ?? 0));
  if (!vatIncluded) return { excluding: published, including: (published * percent) / 100n };
  return {
    excluding: vatRate === null ? null : halfEven(published * 100n, percent * 100n) * 100n,
    including: published,
  };
}

/** A quotient of whole numbers, rounded half to even. */
function halfEven(dividend: bigint, divisor: bigint): bigint {
  const [quotient, twice] = [dividend / divisor, (dividend % divisor) * 2n];
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/** The minutes of a day at which half-hours begin. */
const MINUTES = Array.from({ length: 48 }, (_, each) => each * 30);

/** A kind of day. */
type DayKind = Omit<WallTime, 'minute'>;

/** Every day of a leap year on every day of the week. */
const EVERY_KIND_OF_DAY: readonly DayKind[] = Array.from(
  { length: 366 },
  (_, index) => new Date(Date.UTC(2024, 0, 1 + index)),
).flatMap((day) =>
  WEEKDAYS.map((weekday) => ({ month: MONTHS[day.getUTCMonth()] as string, date: day.getUTCDate(), day: weekday })),
);

/**
 * Paths at which a tree of readable parts is wrong, as it should be told: gaps on the days that occur, overlaps, and what is never reached
 * on any day there is.
 */
export function brokenPlaces(rates: Rates, occurring: readonly DayKind[] = EVERY_KIND_OF_DAY): string[] {
  const broken = new Set<string>([...overlapping(rates), ...gaps(rates, occurring)]);
  const reached = new Set(EVERY_KIND_OF_DAY.map((kind) => `rates/${walkToGroup(rates, kind).schedule}`));
  for (const [schedule, { daysAndHours }] of rates.entries()) {
    const counting = WEEKDAYS.map((day) =>
      daysAndHours.findIndex(({ days }) => days.some((each) => each === day || each === 'All')),
    );
    for (const index of counting) reached.add(`rates/${schedule}/daysAndHours/${index}`);
    if (!reached.has(`rates/${schedule}`)) broken.add(`rates/${schedule}`);
    for (const index of daysAndHours.keys())
      if (!reached.has(`rates/${schedule}/daysAndHours/${index}`))
        broken.add(`rates/${schedule}/daysAndHours/${index}`);
  }
  return [...broken].toSorted();
}

/** Where nothing matches in some half-hour of some day. */
function gaps(rates: Rates, occurring: readonly DayKind[]): Set<string> {
  const [missing, seen] = [new Set<string>(), new Set<string>()];
  for (const kind of occurring) {
    const { schedule, daysAndHours } = walkToGroup(rates, kind);
    const group = `rates/${schedule}/daysAndHours/${daysAndHours}`;
    if (schedule === undefined) missing.add('rates');
    else if (daysAndHours === undefined) missing.add(`rates/${schedule}/daysAndHours`);
    else if (!seen.has(group) && MINUTES.some((minute) => walk(rates, { ...kind, minute }).windows.length === 0))
      missing.add(`${group}/hours`);
    seen.add(group);
  }
  return missing;
}

/** Windows that share a minute with an earlier one of their days group. */
function overlapping(rates: Rates): string[] {
  return rates.flatMap(({ daysAndHours }, schedule) =>
    daysAndHours.flatMap(({ hours }, group) =>
      hours.flatMap((later, index) => {
        const shares = hours
          .slice(0, index)
          .some((earlier) => MINUTES.some((each) => holds(earlier, each) && holds(later, each)));
        return shares ? [`rates/${schedule}/daysAndHours/${group}/hours/${index}`] : [];
      }),
    ),
  );
}
