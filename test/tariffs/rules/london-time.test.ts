import { londonOffset, offsetSpans } from '../../../subgraphs/tariffs/rates/london-time';
import {
  dayKind,
  dayNumber,
  dayOfYear,
  formatDays,
  hasDate,
  occurringDays,
} from '../../../subgraphs/tariffs/rates/rate-calendar';
import { MONTHS, WEEKDAYS } from '../../../subgraphs/tariffs/catalogue/tariff';
import { formatMinutes, minuteOf, minutesOfWindow } from '../../../subgraphs/tariffs/rates/wall-minutes';
import { wallTimeOf } from '../../support/properties/tariff-oracle';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (instant: string) => Date.parse(instant);

describe('The clocks of Great Britain', () => {
  it('change in 2026 on 29 March and 25 October, at 01:00 UTC', () => {
    expect(offsetSpans(at('2026-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z'))).toEqual([
      { from: at('2026-01-01T00:00:00Z'), to: at('2026-03-29T01:00:00Z'), offset: 0 },
      { from: at('2026-03-29T01:00:00Z'), to: at('2026-10-25T01:00:00Z'), offset: HOUR },
      { from: at('2026-10-25T01:00:00Z'), to: at('2027-01-01T00:00:00Z'), offset: 0 },
    ]);
  });

  it('are found for any start and end of a range around a change', () => {
    const change = at('2026-03-29T01:00:00Z');
    for (const before of [1, 60_000, HOUR, 7 * DAY, 30 * DAY]) {
      for (const after of [1, 60_000, HOUR, 7 * DAY, 30 * DAY]) {
        expect(offsetSpans(change - before, change + after)).toEqual([
          { from: change - before, to: change, offset: 0 },
          { from: change, to: change + after, offset: HOUR },
        ]);
      }
      expect(offsetSpans(change - before, change)).toEqual([{ from: change - before, to: change, offset: 0 }]);
    }
    expect(offsetSpans(change, change)).toEqual([]);
    expect(offsetSpans(change + 1, change)).toEqual([]);
  });

  it('change once from local mean time, within an hour: on 1847-12-01 at 00:01:15 UTC', () => {
    const change = at('1847-12-01T00:01:15Z');
    for (const [from, to] of [
      ['1847-12-01T00:01:00Z', '1847-12-01T00:02:00Z'],
      ['1847-12-01T00:00:00Z', '1847-12-01T00:02:00Z'],
      ['1847-11-01T00:00:00Z', '1848-01-01T00:00:00Z'],
    ] as const)
      expect(offsetSpans(at(from), at(to))).toEqual([
        { from: at(from), to: change, offset: -75_000 },
        { from: change, to: at(to), offset: 0 },
      ]);
  });

  it('agree with Intl on every day from 1900 to 2100, including double summer time and the years of permanent BST', () => {
    const spans = offsetSpans(at('1900-01-01T00:00:00Z'), at('2100-01-01T00:00:00Z'));
    const changes = spans.map(({ to }) => to).slice(0, -1);
    expect(new Set(spans.map(({ offset }) => offset / HOUR))).toEqual(new Set([0, 1, 2]));
    expect(changes.filter((change) => londonOffset(change - 1) === londonOffset(change))).toEqual([]);
    const wrong = spans.flatMap(({ from, to, offset }) => {
      const days = Array.from({ length: Math.ceil((to - from) / DAY) }, (_, index) => from + index * DAY);
      return [...days, to - 1].filter((instant) => {
        const { minute } = wallTimeOf(instant);
        return minute !== Math.floor((instant + offset) / 60_000 - dayNumber(instant + offset) * 1_440);
      });
    });
    expect(wrong).toEqual([]);
  });
});

describe('The minutes of a day', () => {
  it('start at whole minutes', () => {
    expect(['00:00:00', '00:30:00', '07:20:00', '23:59:00'].map(minuteOf)).toEqual([0, 30, 440, 1_439]);
    expect(['00:00:01', '24:00:00', '0:00:00', ''].map(minuteOf)).toEqual(Array(4).fill(undefined));
  });

  it('of a window are half-open, and run on past midnight', () => {
    const of = (validFrom: string, validTo: string) => minutesOfWindow({ validFrom, validTo });
    expect(of('01:00:00', '02:31:00')).toEqual({ from: 60, to: 151 });
    expect(of('23:30:00', '05:30:00')).toEqual({ from: 1_410, to: 1_440 + 330 });
    expect(of('23:00:00', '00:00:00')).toEqual({ from: 1_380, to: 1_440 });
    expect(of('00:00:00', '00:00:00')).toEqual({ from: 0, to: 1_440 });
    expect(of('12:30:00', '12:30:00')).toEqual({ from: 750, to: 1_440 + 750 });
    expect([of('x', '00:00:00'), of('00:00:00', '00:10:30')]).toEqual([undefined, undefined]);
  });

  it('are formatted as times', () => {
    expect(formatMinutes([0])).toBe('00:00 to 00:01');
    expect(formatMinutes([90, 91, 600, 1_438, 1_439])).toBe('01:30 to 01:32, 10:00 to 10:01, 23:58 to 24:00');
  });
});

describe('The days of a calendar', () => {
  it('agree with Intl, before 1970 too', () => {
    const days = [-25_567, -1, 0, 1, 10_956, 20_148, 20_512, 47_541, 2_932_896];
    const kinds = days.map((day) => {
      const { dayOfYear: index, weekday } = dayKind(day);
      return { month: MONTHS[Math.floor(index / 31)], date: (index % 31) + 1, day: WEEKDAYS[weekday] };
    });
    expect(kinds).toEqual(
      days.map((day) => {
        const { month, date, day: weekday } = wallTimeOf(day * DAY + 12 * HOUR);
        return { month, date, day: weekday };
      }),
    );
  });

  it('number 366 over all years', () => {
    const dates = MONTHS.flatMap((_, month) =>
      Array.from({ length: 40 }, (__, date) => [month, date] as const).filter(([of, date]) => hasDate(of, date)),
    );
    expect(dates).toHaveLength(366);
    expect(new Set(dates.map(([month, date]) => dayOfYear(month, date))).size).toBe(366);
    expect([hasDate(1, 29), hasDate(1, 30), hasDate(3, 31), hasDate(0, 1.5), hasDate(0, NaN)]).toEqual([
      ...[true, false, false, false, false],
    ]);
  });

  const occurring = (validFrom: string, validTo: string | null) =>
    occurringDays({ validFrom: new Date(validFrom), validTo: validTo === null ? null : new Date(validTo) });
  const names = (days: ReturnType<typeof occurringDays>) =>
    days
      .map(({ before, day }) => [before, day].map((each) => `${each.dayOfYear}.${each.weekday}`).join(' '))
      .toSorted();

  it('fall each on every day of the week within any hundred years, and so in unlimited time', () => {
    const always = names(occurring('1970-01-01T00:00:00Z', null));
    // 1 March follows two days.
    expect(new Set(always).size).toBe(367 * 7);
    for (const year of [1900, 1970, 2026, 2090, 2190, 2290])
      expect(names(occurring(`${year}-01-01T00:00:00Z`, `${year + 100}-12-30T00:00:00Z`))).toEqual(always);
  });

  it('lack a 29 February on some day of the week in thirty years around 2100, which is not a leap year', () => {
    const leapDays = [2092, 2096, 2104, 2108, 2112, 2116].map(
      (year) => (new Date(Date.UTC(year, 1, 29)).getUTCDay() + 6) % 7,
    );
    const found = occurring('2090-01-01T00:00:00Z', '2120-01-01T00:00:00Z')
      .map(({ day }) => day)
      .filter((day) => day.dayOfYear === dayOfYear(1, 29));
    expect(found.map(({ weekday }) => weekday).toSorted()).toEqual([...new Set(leapDays)].toSorted());
    expect(found.length).toBeLessThan(7);
  });

  it('of two days are these two, each with the day before it', () => {
    // 1 June 2026 is a Monday.
    expect(names(occurring('2026-06-01T00:00:00Z', '2026-06-02T12:00:00Z'))).toEqual(
      [`${dayOfYear(4, 31)}.6 ${dayOfYear(5, 1)}.0`, `${dayOfYear(5, 1)}.0 ${dayOfYear(5, 2)}.1`].toSorted(),
    );
  });

  it('are formatted by month', () => {
    expect(formatDays([dayOfYear(1, 29)])).toBe('29 Feb');
    expect(formatDays([dayOfYear(0, 31), dayOfYear(1, 1), dayOfYear(1, 2), dayOfYear(11, 31)])).toBe(
      '31 Jan, 1 to 2 Feb, 31 Dec',
    );
  });
});
