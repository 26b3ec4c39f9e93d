const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats the time of day of an instant in UTC: `14:03:07`. */
export function clockTime(instant: string): string {
  return new Date(instant).toISOString().slice(11, 19);
}

/** Formats day and time of an instant in UTC: `2026-03-01 14:03:07 UTC`. */
export function dayAndTime(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats day and time of an instant in UTC, short: `1 Mar, 14:03`. */
export function shortTime(instant: string): string {
  return SHORT.format(new Date(instant));
}

const SHORT = new Intl.DateTimeFormat('en-GB', {
  ...({ day: 'numeric', month: 'short' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC' } as const),
});

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
