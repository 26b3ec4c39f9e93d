import { Field, Int, ObjectType } from 'type-graphql';
import type * as domain from '../domain/tariff';
import { RateDayEnum, RateMonthEnum } from './tariff.enums';

@ObjectType('RateTier', { description: 'The price of a part of the consumption.', simpleResolvers: true })
export class RateTierType implements domain.RateTier {
  @Field(() => String, { description: 'Pounds for a kWh, a decimal string.' }) unitPrice: string;
  @Field(() => String, { nullable: true, description: 'Up to how many kWh, a decimal string; null is unbounded.' })
  toKwh?: string | null;
}

/** When a window begins, as GraphQL tells it. */
export const WINDOW_BEGINNING = 'From this time of the day in Europe/London, `HH:MM:SS`, on a whole half-hour.';

/** When a window ends, as GraphQL tells it (3-decisions-c-d.md, D.2: HourlyRate). */
export const WINDOW_END =
  'Until this time, not included, on a whole half-hour. One that is not later than the beginning wraps past midnight within the same local ' +
  'day: a window of Friday from 22:00:00 to 06:00:00 covers Friday 00:00 to 06:00 and 22:00 to 24:00, and Saturday morning belongs to ' +
  "Saturday's days. 00:00:00 to 00:00:00 is the whole day.";

@ObjectType('HourlyRate', { description: 'Prices of a part of the day.', simpleResolvers: true })
export class HourlyRateType implements domain.HourlyRate {
  @Field(() => String, { description: WINDOW_BEGINNING }) validFrom: string;
  @Field(() => String, { description: WINDOW_END }) validTo: string;
  @Field(() => [RateTierType], { description: 'Its tiers, ascending.' }) rate: RateTierType[];
}

@ObjectType('DaysAndHours', { description: 'Prices of some days of the week.', simpleResolvers: true })
export class DaysAndHoursType implements domain.DaysAndHours {
  @Field(() => [RateDayEnum], { description: 'The days.' }) days: domain.RateDay[];
  @Field(() => [HourlyRateType], { description: 'The parts of the day.' }) hours: HourlyRateType[];
}

@ObjectType('TariffScheduleEntry', {
  description: 'Prices of some days of the year. The first entry that fits a day decides.',
  simpleResolvers: true,
})
export class TariffScheduleEntryType implements domain.TariffScheduleEntry {
  @Field(() => [RateMonthEnum], { description: 'The months.' }) months: domain.RateMonth[];
  @Field(() => [Int], { nullable: true, description: 'Days of the month, 1 to 31; null means all of them.' })
  dates?: number[] | null;
  @Field(() => [DaysAndHoursType], { description: 'By days of the week.' }) daysAndHours: DaysAndHoursType[];
}
