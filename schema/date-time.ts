/** RFC 3339 date-time: full date, `T`, time with optional fraction, `Z` or a numeric offset. */
const DATE_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})[Tt ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<offsetHours>[01]\d|2[0-3]):(?<offsetMinutes>[0-5]\d))$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

const MINUTE_MS = 60_000;
const FIRST_YEAR = 1;
const LAST_YEAR = 9999;

/**
 * Returns the instant of an RFC 3339 date-time, truncated to milliseconds; undefined for any other text. The year in UTC must be 1 to 9999.
 * The leap second `:60` is the second that follows `:59`.
 */
export function parseDateTime(text: string): Date | undefined {
  const parts = DATE_TIME.exec(text)?.groups;
  const day = parts && startOfDay(parts['day'] as string);
  if (!parts || !day) return undefined;
  const number = (name: string) => Number(parts[name] ?? 0);
  const milliseconds = Number((parts['fraction'] ?? '').slice(0, 3).padEnd(3, '0'));
  const offsetMinutes = (number('offsetHours') * 60 + number('offsetMinutes')) * (parts['sign'] === '-' ? -1 : 1);
  const localMinutes = number('hour') * 60 + number('minute');
  const sinceMidnight = (localMinutes - offsetMinutes) * MINUTE_MS + number('second') * 1000 + milliseconds;
  const instant = new Date(day.getTime() + sinceMidnight);
  return isDateTime(instant) ? instant : undefined;
}

/** Returns whether an RFC 3339 date-time can state an instant: its year in UTC is 1 to 9999. */
export function isDateTime(instant: Date): boolean {
  return isYear(instant.getUTCFullYear());
}

/** Returns whether a text is a calendar date `YYYY-MM-DD` of the years 1 to 9999. */
export function isDate(text: string): boolean {
  return startOfDay(text) !== undefined;
}

/** Uses `setUTCFullYear`, because `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
function startOfDay(text: string): Date | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || !isYear(year)) return undefined;
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  return start.getUTCMonth() === month - 1 && start.getUTCDate() === day ? start : undefined;
}

function isYear(year: number): boolean {
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}
