/** Formats a count with separators. */
export function counted(count: number): string {
  return count.toLocaleString('en-GB');
}

/** Formats a count with its noun in singular or plural. */
export function quantity(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Rounds a position or length for a picture. */
export function rounded(value: number, decimals = 2): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

/** Formats a size in the largest unit that gives at least 1: `126 kB`. */
export function fileSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** Formats the time of day of an instant in UTC: `14:03:07`. */
export function utcTime(instant: string): string {
  return new Date(instant).toISOString().slice(11, 19);
}

/** Formats day and time of an instant in UTC: `2026-03-01 14:03:07 UTC`. */
export function utcDayAndTime(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const DAY_OF_YEAR = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
const TIME_OF_DAY = { hour: '2-digit', minute: '2-digit', hour12: false } as const;

const UTC_DAY = new Intl.DateTimeFormat('en-GB', { ...DAY_OF_YEAR, year: 'numeric' });
const UTC_MINUTE = new Intl.DateTimeFormat('en-GB', { ...DAY_OF_YEAR, year: 'numeric', ...TIME_OF_DAY });
const UTC_SHORT_TIME = new Intl.DateTimeFormat('en-GB', { ...DAY_OF_YEAR, ...TIME_OF_DAY });

/** Formats the day of an instant in UTC: `1 Mar 2026`. */
export function utcDay(instant: string): string {
  return UTC_DAY.format(new Date(instant));
}

/** Formats day and time of an instant in UTC, short: `1 Mar, 14:03`. */
export function utcShortTime(instant: string): string {
  return UTC_SHORT_TIME.format(new Date(instant));
}

const ZONE = /(?:Z|[+-]\d{2}:\d{2})$/;

/** Formats an instant of a header in UTC. Returns other text unchanged, also a local time without a zone: its instant is unknown. */
export function utcMinute(text: string): string {
  const instant = ZONE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? text : `${UTC_MINUTE.format(instant)} UTC`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration in its two largest units: `45 s`, `3 min`, `2 h 5 min`, `1 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < DAY) return pair(whole, HOUR, 'h', MINUTE, 'min');
  return pair(whole, DAY, 'd', HOUR, 'h');
}

function pair(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}
