import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import type * as domain from '../catalogue/tariff';
import type { IntervalPrice } from './prices';
import type * as prices from './window-prices';
import { RateDayEnum, RateMonthEnum } from '../catalogue/tariff.enums';

@ObjectType('RateTier', simple('The price of a part of the consumption.'))
@InputType('RateTierInput', { description: 'The price of a part of the consumption.' })
class RateTierType implements domain.RateTier {
  @Field(() => String, { description: 'Pounds for a kWh: a decimal string with 2 to 5 places.' }) unitPrice: string;
  @Field(
    () => String,
    nullable('Up to how many kWh, a decimal string; null for the last tier only, which is unbounded.'),
  )
  toKwh?: string | null;
}

/** Decisions C/D, D.2: HourlyRate. */
const WINDOW_END =
  'Until this time, exclusive, on a whole minute. A window that does not end after its start runs on past midnight: one of Friday from ' +
  '23:30:00 to 05:30:00 ends on Saturday at 05:30. The day on which a window starts selects it. 00:00:00 to 00:00:00 is the whole day.';

@ObjectType('HourlyRate', simple('Prices of a part of the day, in whole minutes.'))
@InputType('HourlyRateInput', { description: 'Prices of a part of the day, in whole minutes.' })
class HourlyRateType implements domain.HourlyRate {
  @Field(() => String, {
    description: 'From this time of the day in Europe/London, `HH:MM:SS`, on a whole minute.',
  })
  validFrom: string;
  @Field(() => String, { description: WINDOW_END }) validTo: string;
  @Field(() => [RateTierType], { description: 'Its tiers, ascending.' }) rate: RateTierType[];
}

@ObjectType('DaysAndHours', simple('Prices of some days of the week.'))
@InputType('DaysAndHoursInput', { description: 'Prices of some days of the week.' })
class DaysAndHoursType implements domain.DaysAndHours {
  @Field(() => [RateDayEnum], { description: 'The days, or all of them.' }) days: domain.RateDay[];
  @Field(() => [HourlyRateType], { description: 'The parts of the day.' }) hours: HourlyRateType[];
}

@ObjectType(
  'TariffScheduleEntry',
  simple('Prices of some days of the year. The first entry that matches a day decides.'),
)
@InputType('TariffScheduleEntryInput', { description: 'Prices of some days of the year.' })
export class TariffScheduleEntryType implements domain.TariffScheduleEntry {
  @Field(() => [RateMonthEnum], { description: 'The months, or all of them.' }) months: domain.RateMonth[];
  @Field(() => [Int], nullable('Days of the month, 1 to 31; null means all of them.')) dates?: number[] | null;
  @Field(() => [DaysAndHoursType], { description: 'By days of the week.' }) daysAndHours: DaysAndHoursType[];
}

@ObjectType('RateEntryPlace', simple('Location of a price in the rates of a tariff: indices from 0.'))
class RateEntryPlaceType implements domain.RateEntryPlace {
  @Field(() => Int, { description: 'Index of the schedule entry.' }) schedule: number;
  @Field(() => Int, { description: 'Index of the days group in the entry.' }) daysAndHours: number;
  @Field(() => Int, { description: 'Index of the window in the days group.' }) hours: number;
}

@ObjectType('HalfHourPriceTier', simple('The price of a tier in a period.'))
class HalfHourPriceTierType implements prices.HalfHourPriceTier {
  @Field(() => String, nullable('Up to how many kWh, a decimal string; null is unbounded.')) toKwh: string | null;
  @Field(() => String, nullable('Pounds for a kWh without VAT; null if the tariff does not state the rate of VAT.'))
  unitPriceExcludingVat: string | null;
  @Field(() => String, { description: 'Pounds for a kWh with VAT.' }) unitPriceIncludingVat: string;
}

/** A price of the half-hourly series. */
@ObjectType('HalfHourPrice', {
  description:
    'The price of energy in a half-hour, or in the part of it that is within the validity of the tariff or before or after a change of ' +
    'price. The unit price is that of the first tier.',
  simpleResolvers: true,
})
export class HalfHourPriceType implements IntervalPrice {
  @Field(() => DateTime, { description: 'Its start.' }) from: Date;
  @Field(() => DateTime, { description: 'Its end, exclusive.' }) to: Date;
  @Field(
    () => String,
    nullable('Pounds for a kWh without VAT; null in a gap, or if the tariff does not state the rate of VAT.'),
  )
  unitPriceExcludingVat: string | null;
  @Field(() => String, nullable('Pounds for a kWh with VAT; null in a gap.')) unitPriceIncludingVat: string | null;
  @Field(() => [HalfHourPriceTierType], { description: 'Its tiers; none in a gap.' })
  tiers: readonly HalfHourPriceTierType[];
  @Field(() => RateEntryPlaceType, nullable('Location of the rate; null in a gap and for an appended price.'))
  entry: RateEntryPlaceType | null;
}

/** A price of the exact series. */
@ObjectType('PriceInterval', {
  description:
    'The price of energy from one instant to another: exact, of any length. The unit price is that of the first tier.',
  simpleResolvers: true,
})
export class PriceIntervalType extends HalfHourPriceType {}
