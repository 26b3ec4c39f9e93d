import { MONTHS, type TariffScheduleEntry } from '../../subgraphs/tariffs/catalogue/tariff';
import { group, window } from './tariff-examples';

const DATES = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HALF_HOURS = 48;

/** Returns the time of day at which a half-hour starts; the 49th is `00:00`. */
const timeOf = (halfHour: number) =>
  `${String(Math.floor((halfHour % HALF_HOURS) / 2)).padStart(2, '0')}:${halfHour % 2 === 0 ? '00' : '30'}`;

/**
 * Returns the unit price of a half-hour, different from all others: a decimal string with five places. Months count
 * from 0, dates from 1.
 */
export function priceOfHalfHour(month: number, date: number, halfHour: number): string {
  return `0.${10_000 + ((month * 31 + date) * HALF_HOURS + halfHour) * 4}`;
}

/** Returns rates with a separate price for each half-hour of the year: 17,568 windows, 1.6 MB. */
export function yearOfStoredRates(): TariffScheduleEntry[] {
  return MONTHS.flatMap((month, index) =>
    Array.from({ length: DATES[index] as number }, (_, day) => {
      const hours = Array.from({ length: HALF_HOURS }, (__, halfHour) =>
        window(timeOf(halfHour), timeOf(halfHour + 1), priceOfHalfHour(index, day + 1, halfHour)),
      );
      return { months: [month], dates: [day + 1], daysAndHours: [group(['All'], ...hours)] };
    }),
  );
}

/** Returns these rates as GraphQL input. */
export function yearOfRates(): object[] {
  return yearOfStoredRates().map(({ months, dates, daysAndHours }) => ({
    ...{ months: months.map((month) => month.toUpperCase()), dates },
    daysAndHours: daysAndHours.map(({ days, hours }) => ({ days: days.map((day) => day.toUpperCase()), hours })),
  }));
}
