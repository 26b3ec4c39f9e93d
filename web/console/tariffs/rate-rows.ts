import { penceOf } from './money';
import { rateName } from './price-tables';
import type { HourlyRate, ScheduleEntry } from './operation-results';
import { tierLimits } from './tier-limits';

/** Returns the published tree of rates as groups. The first group that matches a day applies. */
export function rateGroups(rates: readonly ScheduleEntry[]) {
  return rates.flatMap(({ months, dates, daysAndHours }, schedule) =>
    daysAndHours.map(({ days, hours }, group) => ({
      when: seasonOf(months, dates),
      days: daysInWords(days),
      rates: hours.map((rate, index) => {
        const { address, name } = rateName(schedule, group, index);
        return { id: address.slice(1), name, window: windowOf(rate), prices: pricesOf(rate) };
      }),
    })),
  );
}

function seasonOf(months: readonly string[], dates: readonly number[] | null): string {
  const named = months.map(capitalised);
  const season = months.includes('ALL') ? 'All months' : named.join(', ');
  return dates === null ? season : `${season}, on day ${dates.join(', ')}`;
}

function daysInWords(days: readonly string[]): string {
  return days.includes('ALL') ? 'all days' : rangesOf(days).join(', ');
}

const WEEK = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** Formats consecutive days as a range. */
function rangesOf(days: readonly string[]): string[] {
  const indices = days.map((day) => WEEK.indexOf(day)).toSorted((one, other) => one - other);
  const ranges: [number, number][] = [];
  for (const index of indices) {
    const latest = ranges.at(-1);
    if (latest?.[1] === index - 1) latest[1] = index;
    else ranges.push([index, index]);
  }
  const name = (index: number) => capitalised(WEEK[index] ?? '');
  return ranges.map(([from, to]) => (from === to ? name(from) : `${name(from)} to ${name(to)}`));
}

function capitalised(word: string): string {
  return `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`;
}

function windowOf({ validFrom, validTo }: HourlyRate): string {
  const [from, to] = [validFrom.slice(0, 5), validTo.slice(0, 5)];
  if (to === '00:00') return `${from}–24:00`;
  return to <= from ? `${from}–${to} next day` : `${from}–${to}`;
}

function pricesOf({ rate }: HourlyRate): string[] {
  const limits = tierLimits({ tiers: rate });
  return rate.map(({ unitPrice }, index) => `${penceOf(unitPrice)} p/kWh ${limits[index] ?? ''}`.trim());
}
