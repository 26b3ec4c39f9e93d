import { MONTHS, type Tariff, type TariffInput, WEEKDAYS } from '../../../subgraphs/tariffs/catalogue/tariff';

/**
 * The rules of a rates tree, implemented slowly and literally, without code of the product: the local time of every
 * minute comes from Intl, each minute searches the tree, and amounts are integers.
 */

/** A kind of day. */
export interface DayKind {
  readonly month: string;
  readonly date: number;
  readonly day: string;
}

/** The parts of an instant that a schedule depends on. */
export interface WallTime extends DayKind {
  /** Minute of the day, from 0. */
  readonly minute: number;
  /** The day before, on which windows start that run past midnight. */
  readonly before: DayKind;
}

type Rates = TariffInput['rates'];
type Hours = Rates[number]['daysAndHours'][number]['hours'][number];

const CLOCK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/London',
  ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
});
const CALENDAR = new Intl.DateTimeFormat('en-US', {
  timeZone: 'UTC',
  ...({ month: 'short', day: 'numeric', weekday: 'short' } as const),
});

/** Returns the local time in London of an instant in milliseconds. */
export function wallTimeOf(at: number): WallTime {
  const { year, month, day, hour, minute } = partsOf(CLOCK, at);
  const dayAt = (date: number) => kindOf(Date.UTC(Number(year), Number(month) - 1, date));
  return { ...dayAt(Number(day)), minute: Number(hour) * 60 + Number(minute), before: dayAt(Number(day) - 1) };
}

const kinds = new Map<number, DayKind>();

function kindOf(midnight: number): DayKind {
  const known = kinds.get(midnight);
  if (known !== undefined) return known;
  const { month = '', day, weekday = '' } = partsOf(CALENDAR, midnight);
  const kind = { month, date: Number(day), day: weekday };
  kinds.set(midnight, kind);
  return kind;
}

function partsOf(format: Intl.DateTimeFormat, at: number): Partial<Record<string, string>> {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** The end of the search for a day: a days group, or the first level without a match. */
interface Walk {
  readonly schedule?: number;
  readonly daysAndHours?: number;
}

/** Returns all windows that contain a minute: exactly one in a lawful tree. */
export function windowsAt(rates: Rates, { minute, before, ...day }: WallTime): [number, number, number][] {
  return [
    ...holding(rates, walkToGroup(rates, before), minute + DAY),
    ...holding(rates, walkToGroup(rates, day), minute),
  ];
}

function holding(rates: Rates, { schedule, daysAndHours }: Walk, minute: number): [number, number, number][] {
  if (schedule === undefined || daysAndHours === undefined) return [];
  const found: [number, number, number][] = [];
  rates[schedule]?.daysAndHours[daysAndHours]?.hours.forEach((window, index) => {
    if (holds(window, minute)) found.push([schedule, daysAndHours, index]);
  });
  return found;
}

/** Finds the entry and the days group of a kind of day. */
function walkToGroup(rates: Rates, { month, date, day }: DayKind): Walk {
  const schedule = rates.findIndex(
    ({ months, dates }) =>
      months.some((each) => each === month || each === 'All') && (dates == null || dates.includes(date)),
  );
  const entry = rates[schedule];
  if (entry === undefined) return {};
  const daysAndHours = entry.daysAndHours.findIndex(({ days }) => days.some((each) => each === day || each === 'All'));
  return entry.daysAndHours[daysAndHours] === undefined ? { schedule } : { schedule, daysAndHours };
}

const DAY = 24 * 60;

/**
 * Returns whether a window contains a minute of the day on which it starts; minutes of the next day have 1440 added.
 */
function holds({ validFrom, validTo }: Hours, minute: number): boolean {
  const [from, to] = [minutesOf(validFrom), minutesOf(validTo)];
  return from <= minute && minute < (from < to ? to : to + DAY);
}

const minutesByTime = new Map<string, number>();

function minutesOf(time: string): number {
  const known = minutesByTime.get(time);
  if (known !== undefined) return known;
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  minutesByTime.set(time, hours * 60 + minutes);
  return hours * 60 + minutes;
}

/** Number of decimal places in which prices are compared. */
const PLACES = 9;

/** Converts a decimal string to an integer of billionths. */
export function billionths(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(PLACES, '0'));
}

/** Returns the price excluding and including VAT in billionths; the first is null without a rate of VAT. */
export function pricesOf(price: string, { vatIncluded, vatRate }: Pick<Tariff, 'vatIncluded' | 'vatRate'>) {
  const published = billionths(price);
  const percent = BigInt(100 + (vatRate ?? 0));
  if (!vatIncluded) return { excluding: published, including: (published * percent) / 100n };
  return {
    excluding: vatRate === null ? null : halfEven(published * 100n, percent * 100n) * 100n,
    including: published,
  };
}

/** Divides whole numbers, rounding half to even. */
function halfEven(dividend: bigint, divisor: bigint): bigint {
  const [quotient, twice] = [dividend / divisor, (dividend % divisor) * 2n];
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

const MINUTES = Array.from({ length: DAY }, (_, minute) => minute);

/** A day with the day before it. */
export type Succession = Omit<WallTime, 'minute'>;

/** Every day of a leap year and 1 March of another, on every day of the week. */
const EVERY_KIND_OF_DAY: readonly Succession[] = [
  ...Array.from({ length: 366 }, (_, index) => Date.UTC(2024, 0, 1 + index)),
  Date.UTC(2023, 2, 1),
].flatMap((at) =>
  WEEKDAYS.map((day, index) => ({
    ...onWeekday(at, day),
    before: onWeekday(at - 86_400_000, WEEKDAYS[(index + 6) % 7] as string),
  })),
);

function onWeekday(at: number, day: string): DayKind {
  const date = new Date(at);
  return { month: MONTHS[date.getUTCMonth()] as string, date: date.getUTCDate(), day };
}

/**
 * Returns the paths of all violations in a well-formed tree: gaps and overlaps past midnight on the days that occur,
 * overlaps within a day, and parts that no day reaches.
 */
export function brokenPlaces(
  rates: Rates,
  occurring: readonly Succession[] = EVERY_KIND_OF_DAY,
  mayHaveGaps = false,
): string[] {
  const broken = new Set([...overlapping(rates), ...overnight(rates, occurring)]);
  if (!mayHaveGaps) for (const gap of gaps(rates, occurring)) broken.add(gap);
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

/** Returns one day for each pair of days groups, of the day itself and of the day before. */
function successions(rates: Rates, occurring: readonly Succession[]): Map<string, Succession> {
  const name = (kind: DayKind) => {
    const { schedule, daysAndHours } = walkToGroup(rates, kind);
    return `${schedule}/${daysAndHours}`;
  };
  return new Map(occurring.map((each) => [`${name(each.before)} ${name(each)}`, each]));
}

/** Returns the paths at which some minute of some day has no match. */
function gaps(rates: Rates, occurring: readonly Succession[]): Set<string> {
  const missing = new Set<string>();
  for (const kind of successions(rates, occurring).values()) {
    const { schedule, daysAndHours } = walkToGroup(rates, kind);
    if (schedule === undefined) missing.add('rates');
    else if (daysAndHours === undefined) missing.add(`rates/${schedule}/daysAndHours`);
    else if (MINUTES.some((minute) => windowsAt(rates, { ...kind, minute }).length === 0))
      missing.add(`rates/${schedule}/daysAndHours/${daysAndHours}/hours`);
  }
  return missing;
}

/** Returns windows that run past midnight into a minute that a window of the next day contains, too. */
function overnight(rates: Rates, occurring: readonly Succession[]): Set<string> {
  const late = new Set<string>();
  for (const { before, ...day } of successions(rates, occurring).values())
    for (const minute of MINUTES) {
      if (holding(rates, walkToGroup(rates, day), minute).length === 0) continue;
      // If windows of the day before overlap each other, the first one is reported.
      const [first] = holding(rates, walkToGroup(rates, before), minute + DAY);
      if (first) late.add(`rates/${first[0]}/daysAndHours/${first[1]}/hours/${first[2]}`);
    }
  return late;
}

/**
 * Returns windows that share a minute with an earlier window of their days group, both on the day on which they start.
 */
function overlapping(rates: Rates): string[] {
  const both = [...MINUTES, ...MINUTES.map((minute) => minute + DAY)];
  return rates.flatMap(({ daysAndHours }, schedule) =>
    daysAndHours.flatMap(({ hours }, group) =>
      hours.flatMap((later, index) => {
        const shares = hours
          .slice(0, index)
          .some((earlier) => both.some((each) => holds(earlier, each) && holds(later, each)));
        return shares ? [`rates/${schedule}/daysAndHours/${group}/hours/${index}`] : [];
      }),
    ),
  );
}
