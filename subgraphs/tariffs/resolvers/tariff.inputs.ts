import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { StoredTariff } from '../database/stored-tariff';
import type * as domain from '../domain/tariff';
import { WINDOW_BEGINNING, WINDOW_END } from './tariff-rates.types';
import {
  CustomerTypeEnum,
  EnergyFlowEnum,
  FuelTypeEnum,
  LdzRegionEnum,
  MeterTypeEnum,
  PaymentMethodEnum,
  RateDayEnum,
  RateMonthEnum,
  TariffTypeEnum,
} from './tariff.enums';
import { TariffType } from './tariff.types';

@InputType('RateTierInput', { description: 'The price of a part of the consumption.' })
export class RateTierInput implements domain.RateTier {
  @Field(() => String, { description: 'Pounds for a kWh: a decimal string with 2 to 5 places.' }) unitPrice: string;
  @Field(() => String, { nullable: true, description: 'Up to how many kWh; only the last tier has none.' })
  toKwh?: string | null;
}

@InputType('HourlyRateInput', { description: 'Prices of a part of the day, in whole half-hours.' })
export class HourlyRateInput implements domain.HourlyRate {
  @Field(() => String, { description: WINDOW_BEGINNING }) validFrom: string;
  @Field(() => String, { description: WINDOW_END }) validTo: string;
  @Field(() => [RateTierInput], { description: 'Its tiers, ascending.' }) rate: RateTierInput[];
}

@InputType('DaysAndHoursInput', { description: 'Prices of some days of the week.' })
export class DaysAndHoursInput implements domain.DaysAndHours {
  @Field(() => [RateDayEnum], { description: 'The days, or all of them.' }) days: domain.RateDay[];
  @Field(() => [HourlyRateInput], { description: 'The parts of the day.' }) hours: HourlyRateInput[];
}

@InputType('TariffScheduleEntryInput', { description: 'Prices of some days of the year.' })
export class TariffScheduleEntryInput implements domain.TariffScheduleEntry {
  @Field(() => [RateMonthEnum], { description: 'The months, or all of them.' }) months: domain.RateMonth[];
  @Field(() => [Int], { nullable: true, description: 'Days of the month, 1 to 31; left out, all of them.' })
  dates?: number[] | null;
  @Field(() => [DaysAndHoursInput], { description: 'By days of the week.' }) daysAndHours: DaysAndHoursInput[];
}

/** TariffInput of the graph: its violations are told all together. */
@InputType('TariffInput', { description: 'A tariff, as a supplier publishes it.' })
export class TariffInput implements domain.TariffInput {
  @Field(() => String, { nullable: true, description: 'Its supplier: for an admin; a supplier publishes its own.' })
  mpid?: string | null;
  @Field(() => String, { description: 'Its identifier, `trf_` and 32 hexadecimal digits.' }) tariffId: string;
  @Field(() => String, { description: 'Its name, at most 100 characters.' }) name: string;
  @Field(() => String, { nullable: true, description: 'What it is, at most 2,000 characters.' })
  description?: string | null;
  @Field(() => TariffTypeEnum, { description: 'Whether every half-hour has a price.' }) tariffType: domain.TariffType;
  @Field(() => FuelTypeEnum, { description: 'What is supplied.' }) fuelType: domain.FuelType;
  @Field(() => EnergyFlowEnum, { description: 'Which way the energy flows.' }) energyFlow: domain.EnergyFlow;
  @Field(() => PaymentMethodEnum, { description: 'How it is paid.' }) paymentMethod: domain.PaymentMethod;
  @Field(() => MeterTypeEnum, { description: 'The meter that it is for.' }) meterType: domain.MeterType;
  @Field(() => CustomerTypeEnum, { description: 'The customers that it is for.' }) customerType: domain.CustomerType;
  @Field(() => LdzRegionEnum, { description: 'Where it is offered.' }) ldzRegion: domain.LdzRegion;
  @Field(() => Float, { nullable: true, description: 'Percent of green energy, 0 to 100.' })
  percentageGreen?: number | null;
  @Field(() => String, { description: 'Pounds a day: a decimal string with 2 to 5 places.' }) standingCharge: string;
  @Field(() => Boolean, { description: 'Whether its prices include VAT.' }) vatIncluded: boolean;
  @Field(() => Int, { nullable: true, description: 'The rate of VAT in percent; required when it is not included.' })
  vatRate?: number | null;
  @Field(() => String, { nullable: true, description: 'What else there is to say, at most 2,000 characters.' })
  comments?: string | null;
  @Field(() => DateTime, { description: 'From when it is valid.' }) validFrom: Date;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is valid.' }) validTo?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'From when it is sold.' }) sellableFrom?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is sold.' }) sellableTo?: Date | null;
  @Field(() => [TariffScheduleEntryInput], { description: 'What it costs when: the first entry that fits decides.' })
  rates: TariffScheduleEntryInput[];
  @Field(() => String, {
    nullable: true,
    description:
      'The tariff whose MPxNs follow to this one, when it becomes valid; of the same supplier, fuel and flow.',
  })
  replaces?: string | null;
}

@ObjectType('PublishedTariff', { description: 'A tariff as it was published.', simpleResolvers: true })
export class PublishedTariffPayload {
  @Field(() => TariffType, { description: 'The tariff.' }) tariff: StoredTariff;
  @Field(() => Boolean, { description: 'Whether it was not there before.' }) isNew: boolean;
  @Field(() => Boolean, { description: 'Whether this made a new version of it.' }) isChanged: boolean;
}
