/** RFC 3339 date-time: full date, `T`, time with optional fraction, `Z` or a numeric offset. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const EARLIEST_YEAR = 1900;
const LATEST_YEAR = 9998;

/** The instant of an RFC 3339 date-time between the years 1900 and 9998, or undefined when the text is none. */
export function parseDateTime(text: string): Date | undefined {
  if (!isCalendarDay(DATE_TIME.exec(text))) return undefined;
  return new Date(text.replace(' ', 'T'));
}

/** Whether a text is a calendar date `YYYY-MM-DD` between the years 1900 and 9998. */
export function isDate(text: string): boolean {
  return isCalendarDay(DATE.exec(text));
}

function isCalendarDay(match: RegExpExecArray | null): boolean {
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists && year >= EARLIEST_YEAR && year <= LATEST_YEAR;
}
