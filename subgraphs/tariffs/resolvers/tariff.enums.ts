import { registerEnumType } from 'type-graphql';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type * as domain from '../domain/tariff';
import { told } from './told-values';

/** GraphQL names of {@link RegisterEntryStatus}. */
export const RegisterEntryStatusEnum = {
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  DISABLED: 'disabled',
  REMOVED: 'removed',
} as const satisfies Record<string, RegisterEntryStatus>;
registerEnumType(RegisterEntryStatusEnum, {
  name: 'RegisterEntryStatus',
  description: 'Status of the register entry of a supplier or an RTI User; what is removed stays so.',
  valuesConfig: told({
    ACTIVE: 'In good standing: only then data of consumers is shared.',
    SUSPENDED: 'Set aside for a while.',
    DISABLED: 'Shut off; it may become active again.',
    REMOVED: 'Gone from the register for good.',
  }),
});

/** GraphQL names of {@link domain.TariffType}. */
export const TariffTypeEnum = { STATIC: 'static', DYNAMIC: 'dynamic' } as const satisfies Record<
  string,
  domain.TariffType
>;
registerEnumType(TariffTypeEnum, {
  name: 'TariffType',
  description: 'Whether every half-hour of the validity has a price.',
  valuesConfig: told({
    STATIC: 'Every half-hour of its validity has a price.',
    DYNAMIC: 'A half-hour may have no price here.',
  }),
});

/** GraphQL names of {@link domain.FuelType}. */
export const FuelTypeEnum = { ELECTRICITY: 'electricity', GAS: 'gas' } as const satisfies Record<
  string,
  domain.FuelType
>;
registerEnumType(FuelTypeEnum, {
  name: 'FuelType',
  description: 'What is supplied.',
  valuesConfig: told({ ELECTRICITY: 'Electricity.', GAS: 'Gas.' }),
});

/** GraphQL names of {@link domain.EnergyFlow}. */
export const EnergyFlowEnum = { IMPORT: 'import', EXPORT: 'export' } as const satisfies Record<
  string,
  domain.EnergyFlow
>;
registerEnumType(EnergyFlowEnum, {
  name: 'EnergyFlow',
  description: 'Which way the energy flows, seen by the customer.',
  valuesConfig: told({
    IMPORT: 'From the network to the customer.',
    EXPORT: 'From the customer to the network.',
  }),
});

/** GraphQL names of {@link domain.PaymentMethod}. */
export const PaymentMethodEnum = {
  DIRECT_DEBIT: 'direct_debit',
  NON_DIRECT_DEBIT: 'non_direct_debit',
  PREPAYMENT: 'prepayment',
} as const satisfies Record<string, domain.PaymentMethod>;
registerEnumType(PaymentMethodEnum, {
  name: 'PaymentMethod',
  description: 'How a tariff is paid.',
  valuesConfig: told({
    DIRECT_DEBIT: 'By direct debit.',
    NON_DIRECT_DEBIT: 'On a bill, otherwise than by direct debit.',
    PREPAYMENT: 'In advance.',
  }),
});

/** GraphQL names of {@link domain.MeterType}. */
export const MeterTypeEnum = {
  SINGLE_RATE: 'single_rate',
  MULTI_RATE: 'multi_rate',
  SMART: 'smart',
  PREPAYMENT: 'prepayment',
} as const satisfies Record<string, domain.MeterType>;
registerEnumType(MeterTypeEnum, {
  name: 'MeterType',
  description: 'The meter that a tariff is for.',
  valuesConfig: told({
    SINGLE_RATE: 'It has one register.',
    MULTI_RATE: 'It has a register for each of several rates.',
    SMART: 'It is a smart meter.',
    PREPAYMENT: 'It takes payment in advance.',
  }),
});

/** GraphQL names of {@link domain.CustomerType}. */
export const CustomerTypeEnum = { RESIDENTIAL: 'residential', BUSINESS: 'business' } as const satisfies Record<
  string,
  domain.CustomerType
>;
registerEnumType(CustomerTypeEnum, {
  name: 'CustomerType',
  description: 'The customers that a tariff is for.',
  valuesConfig: told({ RESIDENTIAL: 'Households.', BUSINESS: 'Businesses.' }),
});

/** GraphQL names of {@link domain.LdzRegion}: as on the wire. */
export const LdzRegionEnum = {
  ...{ SC: 'SC', NO: 'NO', NE: 'NE', NWT: 'NWT', WMD: 'WMD', EM: 'EM', EA: 'EA' },
  ...{ NT: 'NT', SO: 'SO', SE: 'SE', WN: 'WN', WW: 'WW', SW: 'SW' },
} as const satisfies Record<domain.LdzRegion, domain.LdzRegion>;
registerEnumType(LdzRegionEnum, {
  name: 'LdzRegion',
  description: 'A local distribution zone.',
  valuesConfig: told({
    ...{ SC: 'Scotland.', NO: 'Northern.', NE: 'North East.', NWT: 'North West.', WMD: 'West Midlands.' },
    ...{ EM: 'East Midlands.', EA: 'East Anglia.', NT: 'North Thames.', SO: 'Southern.', SE: 'South East.' },
    ...{ WN: 'Wales North.', WW: 'Wales and the West.', SW: 'South West.' },
  }),
});

/** GraphQL names of {@link domain.RateMonth}. */
export const RateMonthEnum = {
  ...{ JAN: 'Jan', FEB: 'Feb', MAR: 'Mar', APR: 'Apr', MAY: 'May', JUN: 'Jun' },
  ...{ JUL: 'Jul', AUG: 'Aug', SEP: 'Sep', OCT: 'Oct', NOV: 'Nov', DEC: 'Dec', ALL: 'All' },
} as const satisfies Record<string, domain.RateMonth>;
registerEnumType(RateMonthEnum, {
  name: 'RateMonth',
  description: 'A month in which rates hold, or all of them.',
  valuesConfig: told({
    ...{ JAN: 'January.', FEB: 'February.', MAR: 'March.', APR: 'April.', MAY: 'May.', JUN: 'June.', JUL: 'July.' },
    ...{ AUG: 'August.', SEP: 'September.', OCT: 'October.', NOV: 'November.', DEC: 'December.', ALL: 'All months.' },
  }),
});

/** GraphQL names of {@link domain.RateDay}. */
export const RateDayEnum = {
  ...{ MON: 'Mon', TUE: 'Tue', WED: 'Wed', THU: 'Thu', FRI: 'Fri', SAT: 'Sat', SUN: 'Sun', ALL: 'All' },
} as const satisfies Record<string, domain.RateDay>;
registerEnumType(RateDayEnum, {
  name: 'RateDay',
  description: 'A day of the week on which rates hold, or all of them.',
  valuesConfig: told({
    ...{ MON: 'Monday.', TUE: 'Tuesday.', WED: 'Wednesday.', THU: 'Thursday.', FRI: 'Friday.' },
    ...{ SAT: 'Saturday.', SUN: 'Sunday.', ALL: 'All days.' },
  }),
});
