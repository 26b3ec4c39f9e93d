import { Directive, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { connectionType } from '../../server/lists/connection.types';
import type { StoredTariff } from './stored-tariff';
import type * as domain from './tariff';
import { offsetPageType } from '../../server/lists/offset-page.types';
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

/** The fields of the row; field resolvers read rates, versions and prices. */
@Directive('@key(fields: "tariffId")')
@ObjectType('Tariff', simple('A published tariff of a supplier.'))
export class TariffType implements Omit<StoredTariff, 'mpid' | 'replaces' | 'publishedAt'> {
  @Field(() => String, { description: 'Its identifier, which the supplier issues.' }) tariffId: string;
  @Field(() => String, { description: 'Its name.' }) name: string;
  @Field(() => String, nullable('Its description.')) description: string | null;
  @Field(() => Int, { description: 'From 1; only a descriptive correction increases it.' }) version: number;
  @Field(() => TariffTypeEnum, { description: 'Whether every minute has a price.' }) tariffType: domain.TariffType;
  @Field(() => FuelTypeEnum, { description: 'Kind of energy.' }) fuelType: domain.FuelType;
  @Field(() => EnergyFlowEnum, { description: 'Direction of the energy.' }) energyFlow: domain.EnergyFlow;
  @Field(() => PaymentMethodEnum, { description: 'How it is paid.' }) paymentMethod: domain.PaymentMethod;
  @Field(() => MeterTypeEnum, { description: 'The meter that it is for.' }) meterType: domain.MeterType;
  @Field(() => CustomerTypeEnum, { description: 'The customers that it is for.' }) customerType: domain.CustomerType;
  @Field(() => LdzRegionEnum, { description: 'Where it is offered.' }) ldzRegion: domain.LdzRegion;
  @Field(() => Float, nullable('Percent of green energy.')) percentageGreen: number | null;
  @Field(() => String, { description: 'Pounds a day, a decimal string.' }) standingCharge: string;
  @Field(() => Boolean, { description: 'Whether its unit prices and its standing charge include VAT.' })
  vatIncluded: boolean;
  @Field(() => Int, nullable('The rate of VAT in percent.')) vatRate: number | null;
  @Field(() => TierPeriodEnum, { description: 'Period of the amounts of its tiers.' }) tierPeriod: domain.TierPeriod;
  @Field(() => String, nullable('Comments.')) comments: string | null;
  @Field(() => DateTime, { description: 'From when it is valid.' }) validFrom: Date;
  @Field(() => DateTime, nullable('Until when it is valid.')) validTo: Date | null;
  @Field(() => DateTime, nullable('From when it is sold.')) sellableFrom: Date | null;
  @Field(() => DateTime, nullable('Until when it is sold.')) sellableTo: Date | null;
  @Field(() => DateTime, {
    description: 'When it was published, corrected, given another end or given appended prices last.',
  })
  lastModified: Date;
}

export const TariffConnectionType = connectionType(
  'Tariff',
  'A page of the tariffs, the last modified first.',
  () => TariffType,
);

export const TariffPageType = offsetPageType('Tariff', 'A page of the tariffs, by number.', () => TariffType);

/** Options of the argument `boundRates` of lists of tariffs. */
export const BOUND_RATES = {
  defaultValue: false,
  description:
    'Whether the page ends early, after at least one tariff, before the rates of its tariffs take more than 256 KiB of storage; ' +
    'the next page continues.',
};

@ObjectType('TariffVersion', simple('The descriptive fields of a version of a tariff.'))
class TariffVersionType implements domain.TariffVersion {
  @Field(() => Int, { description: 'Its number, from 1.' }) version: number;
  @Field(() => String, { description: 'Its name.' }) name: string;
  @Field(() => String, nullable('Its description.')) description: string | null;
  @Field(() => String, nullable('Comments.')) comments: string | null;
  @Field(() => Float, nullable('Percent of green energy.')) percentageGreen: number | null;
  @Field(() => DateTime, { description: 'When it was published.' }) publishedAt: Date;
}

export const TariffVersionConnectionType = connectionType(
  'TariffVersion',
  'A page of the versions of a tariff.',
  () => TariffVersionType,
);

@InputType('TariffFilter', { description: 'Selects tariffs: all conditions must hold.' })
export class TariffFilterInput {
  @Field(() => String, nullable('Of this supplier.')) mpid?: string | null;
  @Field(() => TariffTypeEnum, nullable('Whether every minute has a price.')) tariffType?: domain.TariffType | null;
  @Field(() => FuelTypeEnum, nullable('Kind of energy.')) fuelType?: domain.FuelType | null;
  @Field(() => EnergyFlowEnum, nullable('Direction of the energy.')) energyFlow?: domain.EnergyFlow | null;
  @Field(() => PaymentMethodEnum, nullable('How they are paid.')) paymentMethod?: domain.PaymentMethod | null;
  @Field(() => LdzRegionEnum, nullable('Region in which the tariffs are offered.')) ldzRegion?: domain.LdzRegion | null;
  @Field(() => MeterTypeEnum, nullable('The meter that they are for.')) meterType?: domain.MeterType | null;
  @Field(() => CustomerTypeEnum, nullable('The customers that they are for.'))
  customerType?: domain.CustomerType | null;
  @Field(() => DateTime, nullable('Valid at this instant or later.')) validFrom?: Date | null;
  @Field(() => DateTime, nullable('Valid before this instant.')) validTo?: Date | null;
  @Field(
    () => DateTime,
    nullable('On sale at this instant: within the period of sale, before the end of the validity.'),
  )
  onSaleAt?: Date | null;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Whose `lastModified` is this instant or later. A tariff becomes readable within a minute after its `lastModified`: to miss no change, ' +
      'send the latest one that you have read, less one minute.',
  })
  modifiedSince?: Date | null;
}
