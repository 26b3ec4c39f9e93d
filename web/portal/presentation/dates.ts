import type { Language } from '../request/languages';

const ZONE = 'Europe/London';
const LOCALES = { en: 'en-GB', cy: 'cy-GB' } as const;

const dayFormats = formats({ day: 'numeric', month: 'long', year: 'numeric', timeZone: ZONE });
const dateFormats = formats({ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: ZONE });
const isoDayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE });

/** Formats the day of an instant in Great Britain: `1 March 2026`. */
export function dayInWords(instant: string, language: Language): string {
  return dayFormats[language].format(new Date(instant));
}

/**
 * Formats the last day in Great Britain on which an access with this expiry exists. The access ends at the expiry itself, so that one which
 * expires at midnight does not exist on the day that starts then.
 */
export function lastDayInWords(expiry: string, language: Language): string {
  return dayInWords(new Date(Date.parse(expiry) - 1).toISOString(), language);
}

/** Formats a date `YYYY-MM-DD`: `1 March 2026`. */
export function dateInWords(date: string, language: Language): string {
  return dateFormats[language].format(new Date(`${date}T00:00:00Z`));
}

/**
 * Formats the hour that starts at an instant, in Great Britain: `14:00–15:00`. Its end is computed from the clock time of its start, so that
 * a change of the clocks between the two does not show.
 */
export function hourInWords(instant: string): string {
  const start = hourFormat.format(new Date(instant));
  const end = (Number(start) + 1) % HOURS_PER_DAY;
  return `${start}:00–${String(end).padStart(2, '0')}:00`;
}

/** Returns the day of an instant in Great Britain, `YYYY-MM-DD`, for sorting and grouping. */
export function dayOf(instant: string): string {
  return isoDayFormat.format(new Date(instant));
}

const HOURS_PER_DAY = 24;

/** Milliseconds of an hour. */
export const MS_PER_HOUR = 3_600_000;

function formats(options: Intl.DateTimeFormatOptions): Record<Language, Intl.DateTimeFormat> {
  return { en: new Intl.DateTimeFormat(LOCALES.en, options), cy: new Intl.DateTimeFormat(LOCALES.cy, options) };
}
