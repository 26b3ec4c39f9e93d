import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { StoredTariff } from './stored-tariff';
import type * as domain from './tariff';
import { WINDOW_START, WINDOW_END } from '../rates/tariff-rates.types';
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
  TierPeriodEnum,
} from './tariff.enums';
import { TariffType } from './tariff.types';

@InputType('RateTierInput', { description: 'The price of a part of the consumption.' })
class RateTierInput implements domain.RateTier {
  @Field(() => String, { description: 'Pounds for a kWh: a decimal string with 2 to 5 places.' }) unitPrice: string;
  @Field(() => String, { nullable: true, description: 'Up to how many kWh; only the last tier has none.' })
  toKwh?: string | null;
}

@InputType('HourlyRateInput', { description: 'Prices of a part of the day, in whole minutes.' })
class HourlyRateInput implements domain.HourlyRate {
  @Field(() => String, { description: WINDOW_START }) validFrom: string;
  @Field(() => String, { description: WINDOW_END }) validTo: string;
  @Field(() => [RateTierInput], { description: 'Its tiers, ascending.' }) rate: RateTierInput[];
}

@InputType('DaysAndHoursInput', { description: 'Prices of some days of the week.' })
class DaysAndHoursInput implements domain.DaysAndHours {
  @Field(() => [RateDayEnum], { description: 'The days, or all of them.' }) days: domain.RateDay[];
  @Field(() => [HourlyRateInput], { description: 'The parts of the day.' }) hours: HourlyRateInput[];
}

@InputType('TariffScheduleEntryInput', { description: 'Prices of some days of the year.' })
class TariffScheduleEntryInput implements domain.TariffScheduleEntry {
  @Field(() => [RateMonthEnum], { description: 'The months, or all of them.' }) months: domain.RateMonth[];
  @Field(() => [Int], { nullable: true, description: 'Days of the month, 1 to 31; left out, all of them.' })
  dates?: number[] | null;
  @Field(() => [DaysAndHoursInput], { description: 'By days of the week.' }) daysAndHours: DaysAndHoursInput[];
}

@InputType('TariffInput', { description: 'A tariff as a supplier publishes it.' })
export class TariffInput implements domain.TariffInput {
  @Field(() => String, {
    nullable: true,
    description: 'The supplier; required of an admin, while a supplier publishes its own tariffs.',
  })
  mpid?: string | null;
  @Field(() => String, { description: 'Its identifier, `trf_` and 32 hexadecimal digits.' }) tariffId: string;
  @Field(() => String, { description: 'Its name, at most 100 characters.' }) name: string;
  @Field(() => String, { nullable: true, description: 'Its description, at most 2,000 characters.' })
  description?: string | null;
  @Field(() => TariffTypeEnum, { description: 'Whether every minute has a price.' }) tariffType: domain.TariffType;
  @Field(() => FuelTypeEnum, { description: 'Kind of energy.' }) fuelType: domain.FuelType;
  @Field(() => EnergyFlowEnum, { description: 'Direction of the energy.' }) energyFlow: domain.EnergyFlow;
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
  @Field(() => TierPeriodEnum, { nullable: true, description: 'Period of the amounts of its tiers; left out, a day.' })
  tierPeriod?: domain.TierPeriod | null;
  @Field(() => String, { nullable: true, description: 'Comments, at most 2,000 characters.' })
  comments?: string | null;
  @Field(() => DateTime, { description: 'From when it is valid.' }) validFrom: Date;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is valid; may be set or moved later.' })
  validTo?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'From when it is sold.' }) sellableFrom?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is sold; may be set or moved later.' })
  sellableTo?: Date | null;
  @Field(() => [TariffScheduleEntryInput], {
    description: 'Its prices by time: the first entry that matches a day decides.',
  })
  rates: TariffScheduleEntryInput[];
  @Field(() => String, {
    nullable: true,
    description: 'The tariff whose MPxNs move to this one when it becomes valid; of the same supplier, fuel and flow.',
  })
  replaces?: string | null;
}

@ObjectType('PublishedTariff', { description: 'The result of a publication.', simpleResolvers: true })
export class PublishedTariffPayload {
  @Field(() => TariffType, { description: 'The tariff.' }) tariff: StoredTariff;
  @Field(() => Boolean, { description: 'Whether the call created the tariff.' }) isNew: boolean;
  @Field(() => Boolean, {
    description: 'Whether the publication changed an existing tariff: its description or an end.',
  })
  isChanged: boolean;
}
