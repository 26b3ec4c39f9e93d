import { Directive, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { StoredTariff } from '../database/stored-tariff';
import type * as domain from '../domain/tariff';
import { offsetPageType } from './offset-page.types';
import {
  CustomerTypeEnum,
  EnergyFlowEnum,
  FuelTypeEnum,
  LdzRegionEnum,
  MeterTypeEnum,
  PaymentMethodEnum,
  TariffTypeEnum,
} from './tariff.enums';

/** Tariff of the graph: what stands in its row; rates, versions and prices are read when they are asked for. */
@Directive('@key(fields: "tariffId")')
@ObjectType('Tariff', { description: 'A tariff of a supplier, as it was published.', simpleResolvers: true })
export class TariffType implements Omit<StoredTariff, 'mpid' | 'replaces' | 'publishedAt'> {
  @Field(() => String, { description: 'Its identifier, which the supplier made.' }) tariffId: string;
  @Field(() => String, { description: 'Its name.' }) name: string;
  @Field(() => String, { nullable: true, description: 'What it is.' }) description: string | null;
  @Field(() => Int, { description: 'From 1; it grows with descriptive corrections only.' }) version: number;
  @Field(() => TariffTypeEnum, { description: 'Whether every half-hour has a price.' }) tariffType: domain.TariffType;
  @Field(() => FuelTypeEnum, { description: 'What is supplied.' }) fuelType: domain.FuelType;
  @Field(() => EnergyFlowEnum, { description: 'Which way the energy flows.' }) energyFlow: domain.EnergyFlow;
  @Field(() => PaymentMethodEnum, { description: 'How it is paid.' }) paymentMethod: domain.PaymentMethod;
  @Field(() => MeterTypeEnum, { description: 'The meter that it is for.' }) meterType: domain.MeterType;
  @Field(() => CustomerTypeEnum, { description: 'The customers that it is for.' }) customerType: domain.CustomerType;
  @Field(() => LdzRegionEnum, { description: 'Where it is offered.' }) ldzRegion: domain.LdzRegion;
  @Field(() => Float, { nullable: true, description: 'Percent of green energy.' }) percentageGreen: number | null;
  @Field(() => String, { description: 'Pounds a day, a decimal string.' }) standingCharge: string;
  @Field(() => Boolean, { description: 'Whether its prices include VAT.' }) vatIncluded: boolean;
  @Field(() => Int, { nullable: true, description: 'The rate of VAT in percent.' }) vatRate: number | null;
  @Field(() => String, { nullable: true, description: 'What else there is to say.' }) comments: string | null;
  @Field(() => DateTime, { description: 'From when it is valid.' }) validFrom: Date;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is valid.' }) validTo: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'From when it is sold.' }) sellableFrom: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Until when it is sold.' }) sellableTo: Date | null;
  @Field(() => DateTime, { description: 'When it was published or corrected last.' }) lastModified: Date;
}

/** TariffConnection of the graph. */
export const TariffConnectionType = connectionType(
  'Tariff',
  'A page of the tariffs, the last modified first.',
  () => TariffType,
);

/** TariffPage of the graph. */
export const TariffPageType = offsetPageType('Tariff', 'A page of the tariffs, by number.', () => TariffType);

@ObjectType('TariffVersion', {
  description: 'What was said of a tariff in one of its versions.',
  simpleResolvers: true,
})
export class TariffVersionType implements domain.TariffVersion {
  @Field(() => Int, { description: 'Its number, from 1.' }) version: number;
  @Field(() => String, { description: 'Its name.' }) name: string;
  @Field(() => String, { nullable: true, description: 'What it is.' }) description: string | null;
  @Field(() => String, { nullable: true, description: 'What else there was to say.' }) comments: string | null;
  @Field(() => Float, { nullable: true, description: 'Percent of green energy.' }) percentageGreen: number | null;
  @Field(() => DateTime, { description: 'When it was published.' }) publishedAt: Date;
}

@InputType('TariffFilter', { description: 'Which tariffs: all conditions hold.' })
export class TariffFilterInput {
  @Field(() => String, { nullable: true, description: 'Those of this supplier.' }) mpid?: string | null;
  @Field(() => TariffTypeEnum, { nullable: true, description: 'Whether every half-hour has a price.' })
  tariffType?: domain.TariffType | null;
  @Field(() => FuelTypeEnum, { nullable: true, description: 'What is supplied.' }) fuelType?: domain.FuelType | null;
  @Field(() => EnergyFlowEnum, { nullable: true, description: 'Which way the energy flows.' })
  energyFlow?: domain.EnergyFlow | null;
  @Field(() => PaymentMethodEnum, { nullable: true, description: 'How they are paid.' })
  paymentMethod?: domain.PaymentMethod | null;
  @Field(() => LdzRegionEnum, { nullable: true, description: 'Where they are offered.' })
  ldzRegion?: domain.LdzRegion | null;
  @Field(() => MeterTypeEnum, { nullable: true, description: 'The meter that they are for.' })
  meterType?: domain.MeterType | null;
  @Field(() => CustomerTypeEnum, { nullable: true, description: 'The customers that they are for.' })
  customerType?: domain.CustomerType | null;
  @Field(() => DateTime, { nullable: true, description: 'Those that are still valid at this instant or later.' })
  validFrom?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Those that are valid before this instant.' })
  validTo?: Date | null;
}
