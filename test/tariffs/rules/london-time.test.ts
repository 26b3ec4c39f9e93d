import { halfHourOf, halfHoursOf, halfHoursTold } from '../../../subgraphs/tariffs/domain/half-hours';
import { londonOffset, offsetSpans } from '../../../subgraphs/tariffs/domain/london-time';
import {
  dayKind,
  dayNumber,
  daysTold,
  hasDate,
  occurringDays,
  placeOf,
} from '../../../subgraphs/tariffs/domain/rate-calendar';
import { MONTHS, WEEKDAYS } from '../../../subgraphs/tariffs/domain/tariff';
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

  it('are found wherever a range begins and ends around a change', () => {
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

  it('are those of Intl on every day from 1900 to 2100, double summer time and the years of all-day BST among them', () => {
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

describe('The half-hours of a day', () => {
  it('begin at times on whole half-hours', () => {
    expect(['00:00:00', '00:30:00', '01:00:00', '23:30:00'].map(halfHourOf)).toEqual([0, 1, 2, 47]);
    expect(['00:15:00', '00:00:01', '24:00:00', '0:00:00', ''].map(halfHourOf)).toEqual(Array(5).fill(undefined));
  });

  it('of a window are half-open, ascending, and wrap past midnight', () => {
    const of = (validFrom: string, validTo: string) => halfHoursOf({ validFrom, validTo });
    expect(of('01:00:00', '02:30:00')).toEqual([2, 3, 4]);
    expect(of('23:00:00', '01:00:00')).toEqual([0, 1, 46, 47]);
    expect(of('23:00:00', '00:00:00')).toEqual([46, 47]);
    const whole = Array.from({ length: 48 }, (_, index) => index);
    expect([of('00:00:00', '00:00:00'), of('12:30:00', '12:30:00')]).toEqual([whole, whole]);
    expect([of('x', '00:00:00'), of('00:00:00', '00:10:00')]).toEqual([undefined, undefined]);
  });

  it('are told as times', () => {
    expect(halfHoursTold([0])).toBe('00:00 to 00:30');
    expect(halfHoursTold([3, 4, 5, 20, 46, 47])).toBe('01:30 to 03:00, 10:00 to 10:30, 23:00 to 24:00');
  });
});

describe('The days of a calendar', () => {
  it('are what Intl calls them, before 1970 too', () => {
    const days = [-25_567, -1, 0, 1, 10_956, 20_148, 20_512, 47_541, 2_932_896];
    const told = days.map((day) => {
      const { place, weekday } = dayKind(day);
      return { month: MONTHS[Math.floor(place / 31)], date: (place % 31) + 1, day: WEEKDAYS[weekday] };
    });
    expect(told).toEqual(
      days.map((day) => {
        const { month, date, day: weekday } = wallTimeOf(day * DAY + 12 * HOUR);
        return { month, date, day: weekday };
      }),
    );
  });

  it('that exist in some year are 366', () => {
    const dates = MONTHS.flatMap((_, month) =>
      Array.from({ length: 40 }, (__, date) => [month, date] as const).filter(([of, date]) => hasDate(of, date)),
    );
    expect(dates).toHaveLength(366);
    expect(new Set(dates.map(([month, date]) => placeOf(month, date))).size).toBe(366);
    expect([hasDate(1, 29), hasDate(1, 30), hasDate(3, 31), hasDate(0, 1.5), hasDate(0, NaN)]).toEqual([
      ...[true, false, false, false, false],
    ]);
  });

  it('occur on every day of the week in a hundred years, whichever they are, and so in all time', () => {
    const always = occurringDays({ validFrom: new Date(0), validTo: null });
    expect(always.filter((weekdays) => weekdays === 0b111_1111)).toHaveLength(366);
    for (const year of [1900, 1970, 2026, 2090, 2190, 2290]) {
      const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 100, 0, 1) - DAY];
      expect(occurringDays({ validFrom: new Date(from), validTo: new Date(to) })).toEqual(always);
    }
  });

  it('do not all occur in thirty years around 2100, which is no leap year', () => {
    const days = occurringDays({ validFrom: new Date(Date.UTC(2090, 0, 1)), validTo: new Date(Date.UTC(2120, 0, 1)) });
    const leapDays = [2092, 2096, 2104, 2108, 2112, 2116].map(
      (year) => (new Date(Date.UTC(year, 1, 29)).getUTCDay() + 6) % 7,
    );
    expect(days[placeOf(1, 29)]).toBe(leapDays.reduce((bits, weekday) => bits | (1 << weekday), 0));
    expect(days[placeOf(1, 29)]).not.toBe(0b111_1111);
  });

  it('occur on their own day of the week in a short time', () => {
    const days = occurringDays({
      validFrom: new Date('2026-06-01T00:00:00Z'),
      validTo: new Date('2026-06-03T12:00:00Z'),
    });
    const found = [...days.entries()].filter(([, weekdays]) => weekdays !== 0);
    // 1 June 2026 is a Monday.
    expect(found).toEqual([1, 2, 3].map((date) => [placeOf(5, date), 1 << (date - 1)]));
  });

  it('are told by months', () => {
    expect(daysTold([placeOf(1, 29)])).toBe('29 Feb');
    expect(daysTold([placeOf(0, 31), placeOf(1, 1), placeOf(1, 2), placeOf(11, 31)])).toBe(
      '31 Jan, 1 to 2 Feb, 31 Dec',
    );
  });
});
