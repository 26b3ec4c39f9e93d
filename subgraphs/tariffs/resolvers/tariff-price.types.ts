import { Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type * as prices from '../domain/prices';
import type * as domain from '../domain/tariff';

@ObjectType('RateEntryPlace', {
  description: 'Where in the rates of a tariff a price stands: indices from 0.',
  simpleResolvers: true,
})
export class RateEntryPlaceType implements domain.RateEntryPlace {
  @Field(() => Int, { description: 'Of the schedule entry.' }) schedule: number;
  @Field(() => Int, { description: 'Of the days in it.' }) daysAndHours: number;
  @Field(() => Int, { description: 'Of the hours in these.' }) hours: number;
}

@ObjectType('HalfHourPriceTier', { description: 'The price of a tier in a half-hour.', simpleResolvers: true })
export class HalfHourPriceTierType implements prices.HalfHourPriceTier {
  @Field(() => String, { nullable: true, description: 'Up to how many kWh, a decimal string; null is unbounded.' })
  toKwh: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'Pounds for a kWh without VAT; null when the rate of VAT is not known.',
  })
  unitPriceExcludingVat: string | null;
  @Field(() => String, { description: 'Pounds for a kWh with VAT.' }) unitPriceIncludingVat: string;
}

@ObjectType('HalfHourPrice', {
  description: 'What energy costs in a half-hour. The unit price is that of the first tier.',
  simpleResolvers: true,
})
export class HalfHourPriceType implements prices.HalfHourPrice {
  @Field(() => DateTime, { description: 'Its beginning.' }) from: Date;
  @Field(() => DateTime, { description: 'Its end, not included.' }) to: Date;
  @Field(() => String, {
    nullable: true,
    description: 'Pounds for a kWh without VAT; null in a gap, or when the rate of VAT is not known.',
  })
  unitPriceExcludingVat: string | null;
  @Field(() => String, { nullable: true, description: 'Pounds for a kWh with VAT; null in a gap.' })
  unitPriceIncludingVat: string | null;
  @Field(() => [HalfHourPriceTierType], { description: 'Its tiers; none in a gap.' })
  tiers: readonly HalfHourPriceTierType[];
  @Field(() => RateEntryPlaceType, { nullable: true, description: 'Which rate it is; null in a gap.' })
  entry: RateEntryPlaceType | null;
}
