import type { Language } from '../request/languages';

const ZONE = 'Europe/London';
const LOCALES = { en: 'en-GB', cy: 'cy-GB' } as const;

const long = formats({ day: 'numeric', month: 'long', year: 'numeric', timeZone: ZONE });
const calendar = formats({ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const clock = formats({ hour: '2-digit', minute: '2-digit', hour12: false, timeZone: ZONE });
const calendarDay = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE });

/** The day of an instant in Great Britain, in words. */
export function dayInWords(instant: string, language: Language): string {
  return long[language].format(new Date(instant));
}

/** A calendar date `YYYY-MM-DD` in words. */
export function dateInWords(date: string, language: Language): string {
  return calendar[language].format(new Date(`${date}T00:00:00Z`));
}

/** The hour that begins at an instant, in Great Britain: `14:00–15:00`. */
export function hourInWords(instant: string, language: Language): string {
  const start = new Date(instant);
  const end = new Date(start.getTime() + MILLISECONDS_OF_AN_HOUR);
  return `${clock[language].format(start)}–${clock[language].format(end)}`;
}

/** The day of an instant in Great Britain, `YYYY-MM-DD`: for sorting and grouping. */
export function dayOf(instant: string): string {
  return calendarDay.format(new Date(instant));
}

const MILLISECONDS_OF_AN_HOUR = 3_600_000;

function formats(options: Intl.DateTimeFormatOptions): Record<Language, Intl.DateTimeFormat> {
  return { en: new Intl.DateTimeFormat(LOCALES.en, options), cy: new Intl.DateTimeFormat(LOCALES.cy, options) };
}
