import type * as domain from './tariff';
import { graphqlEnum } from '../../server/graph/graphql.enums';

export const TierPeriodEnum = graphqlEnum('TierPeriod', 'Period over which consumption counts towards the tiers.', {
  day: 'Each local day.',
  month: 'Each calendar month.',
  year: 'Each year.',
} satisfies Record<domain.TierPeriod, string>);

export const TariffTypeEnum = graphqlEnum('TariffType', 'Whether every minute of the validity has a price.', {
  static: 'Every minute of its validity has a price.',
  dynamic: 'A time may have no price here.',
} satisfies Record<domain.TariffType, string>);

export const FuelTypeEnum = graphqlEnum('FuelType', 'Kind of energy.', {
  electricity: 'Electricity.',
  gas: 'Gas.',
} satisfies Record<domain.FuelType, string>);

export const EnergyFlowEnum = graphqlEnum('EnergyFlow', "Direction of the energy, from the customer's point of view.", {
  import: 'From the network to the customer.',
  export: 'From the customer to the network.',
} satisfies Record<domain.EnergyFlow, string>);

export const PaymentMethodEnum = graphqlEnum('PaymentMethod', 'How a tariff is paid.', {
  direct_debit: 'By direct debit.',
  non_direct_debit: 'On a bill, not by direct debit.',
  prepayment: 'In advance.',
} satisfies Record<domain.PaymentMethod, string>);

export const MeterTypeEnum = graphqlEnum('MeterType', 'The meter that a tariff is for.', {
  single_rate: 'It has one register.',
  multi_rate: 'It has a register for each of several rates.',
  smart: 'It is a smart meter.',
  prepayment: 'It takes payment in advance.',
} satisfies Record<domain.MeterType, string>);

export const CustomerTypeEnum = graphqlEnum('CustomerType', 'The customers that a tariff is for.', {
  residential: 'Households.',
  business: 'Businesses.',
} satisfies Record<domain.CustomerType, string>);

export const LdzRegionEnum = graphqlEnum('LdzRegion', 'A local distribution zone.', {
  SC: 'Scotland.',
  NO: 'Northern.',
  NE: 'North East.',
  NWT: 'North West.',
  WMD: 'West Midlands.',
  EM: 'East Midlands.',
  EA: 'East Anglia.',
  NT: 'North Thames.',
  SO: 'Southern.',
  SE: 'South East.',
  WN: 'Wales North.',
  WW: 'Wales and the West.',
  SW: 'South West.',
} satisfies Record<domain.LdzRegion, string>);

export const RateMonthEnum = graphqlEnum('RateMonth', 'A month in which rates hold, or all of them.', {
  Jan: 'January.',
  Feb: 'February.',
  Mar: 'March.',
  Apr: 'April.',
  May: 'May.',
  Jun: 'June.',
  Jul: 'July.',
  Aug: 'August.',
  Sep: 'September.',
  Oct: 'October.',
  Nov: 'November.',
  Dec: 'December.',
  All: 'All months.',
} satisfies Record<domain.RateMonth, string>);

export const RateDayEnum = graphqlEnum('RateDay', 'A day of the week on which rates hold, or all of them.', {
  Mon: 'Monday.',
  Tue: 'Tuesday.',
  Wed: 'Wednesday.',
  Thu: 'Thursday.',
  Fri: 'Friday.',
  Sat: 'Saturday.',
  Sun: 'Sunday.',
  All: 'All days.',
} satisfies Record<domain.RateDay, string>);
