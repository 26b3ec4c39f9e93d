import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { StoredTariff } from './stored-tariff';
import type * as domain from './tariff';
import { TariffScheduleEntryType } from '../rates/tariff-rates.types';
import {
  CustomerTypeEnum,
  EnergyFlowEnum,
  FuelTypeEnum,
  LdzRegionEnum,
  MeterTypeEnum,
  PaymentMethodEnum,
  TariffTypeEnum,
  TierPeriodEnum,
} from './tariff.enums';
import { TariffType } from './tariff.types';

@InputType('TariffInput', { description: 'A tariff as a supplier publishes it.' })
export class TariffInput implements domain.TariffInput {
  @Field(() => String, nullable('The supplier; required of an admin, while a supplier publishes its own tariffs.'))
  mpid?: string | null;
  @Field(() => String, { description: 'Its identifier, `trf_` and 32 hexadecimal digits.' }) tariffId: string;
  @Field(() => String, { description: 'Its name, at most 100 characters.' }) name: string;
  @Field(() => String, nullable('Its description, at most 2,000 characters.')) description?: string | null;
  @Field(() => TariffTypeEnum, { description: 'Whether every minute has a price.' }) tariffType: domain.TariffType;
  @Field(() => FuelTypeEnum, { description: 'Kind of energy.' }) fuelType: domain.FuelType;
  @Field(() => EnergyFlowEnum, { description: 'Direction of the energy.' }) energyFlow: domain.EnergyFlow;
  @Field(() => PaymentMethodEnum, { description: 'How it is paid.' }) paymentMethod: domain.PaymentMethod;
  @Field(() => MeterTypeEnum, { description: 'The meter that it is for.' }) meterType: domain.MeterType;
  @Field(() => CustomerTypeEnum, { description: 'The customers that it is for.' }) customerType: domain.CustomerType;
  @Field(() => LdzRegionEnum, { description: 'Where it is offered.' }) ldzRegion: domain.LdzRegion;
  @Field(() => Float, nullable('Percent of green energy, 0 to 100.')) percentageGreen?: number | null;
  @Field(() => String, { description: 'Pounds a day: a decimal string with 2 to 5 places.' }) standingCharge: string;
  @Field(() => Boolean, { description: 'Whether its unit prices and its standing charge include VAT.' })
  vatIncluded: boolean;
  @Field(() => Int, nullable('The rate of VAT in percent; required when it is not included.')) vatRate?: number | null;
  @Field(() => TierPeriodEnum, nullable('Period of the amounts of its tiers; left out, a day.'))
  tierPeriod?: domain.TierPeriod | null;
  @Field(() => String, nullable('Comments, at most 2,000 characters.')) comments?: string | null;
  @Field(() => DateTime, { description: 'From when it is valid.' }) validFrom: Date;
  @Field(() => DateTime, nullable('Until when it is valid; may be set or moved later.')) validTo?: Date | null;
  @Field(() => DateTime, nullable('From when it is sold.')) sellableFrom?: Date | null;
  @Field(() => DateTime, nullable('Until when it is sold; may be set or moved later.')) sellableTo?: Date | null;
  @Field(() => [TariffScheduleEntryType], {
    description: 'Its prices by time: the first entry that matches a day decides.',
  })
  rates: TariffScheduleEntryType[];
  @Field(
    () => String,
    nullable('The tariff whose MPxNs move to this one when it becomes valid; of the same supplier, fuel and flow.'),
  )
  replaces?: string | null;
}

@ObjectType('PublishedTariff', simple('The result of a publication.'))
export class PublishedTariffPayload {
  @Field(() => TariffType, { description: 'The tariff.' }) tariff: StoredTariff;
  @Field(() => Boolean, { description: 'Whether the call created the tariff.' }) isNew: boolean;
  @Field(() => Boolean, {
    description: 'Whether the publication changed an existing tariff: its description or an end.',
  })
  isChanged: boolean;
}
