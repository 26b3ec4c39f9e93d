/** Labels for the values of a GraphQL enumeration, in the order in which pages offer them. */
export type Labels<Value extends string> = Readonly<Record<Value, string>>;

/** Labels of `TariffType`: a static tariff has a price for every half-hour. */
export const TARIFF_TYPES = { STATIC: 'Static', DYNAMIC: 'Dynamic' } as const;
/** Labels of `FuelType`. */
export const FUEL_TYPES = { ELECTRICITY: 'Electricity', GAS: 'Gas' } as const;
/** Labels of `EnergyFlow`, seen from the customer. */
export const ENERGY_FLOWS = { IMPORT: 'Import', EXPORT: 'Export' } as const;
/** Labels of `PaymentMethod`. */
export const PAYMENT_METHODS = {
  DIRECT_DEBIT: 'Direct debit',
  NON_DIRECT_DEBIT: 'Not direct debit',
  PREPAYMENT: 'Prepayment',
} as const;
/** Labels of `MeterType`. */
export const METER_TYPES = {
  SINGLE_RATE: 'Single rate',
  MULTI_RATE: 'Multi-rate',
  SMART: 'Smart',
  PREPAYMENT: 'Prepayment',
} as const;
/** Labels of `CustomerType`. */
export const CUSTOMER_TYPES = { RESIDENTIAL: 'Residential', BUSINESS: 'Business' } as const;
/** Labels of `RegisterEntryStatus` of a supplier. */
export const SUPPLIER_STATUSES = {
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  DISABLED: 'disabled: its tariffs are not listed',
  REMOVED: 'has left the register: its tariffs are not listed',
} as const;
/** Labels of `LdzRegion`, the local distribution zones. */
export const LDZ_REGIONS = {
  ...{ EA: 'Eastern', EM: 'East Midlands', NE: 'North East', NO: 'Northern', NT: 'North Thames', NWT: 'North West' },
  ...{ SC: 'Scotland', SE: 'South East', SO: 'Southern', SW: 'South West', WMD: 'West Midlands' },
  ...{ WN: 'Wales North', WW: 'Wales' },
} as const;

/** Labels of `TierPeriod`. */
export const TIER_PERIODS = { DAY: 'day', MONTH: 'month', YEAR: 'year' } as const;

/** A value of `TariffType`. */
export type TariffType = keyof typeof TARIFF_TYPES;
/** A value of `FuelType`. */
export type FuelType = keyof typeof FUEL_TYPES;
/** A value of `EnergyFlow`. */
export type EnergyFlow = keyof typeof ENERGY_FLOWS;
/** A value of `PaymentMethod`. */
export type PaymentMethod = keyof typeof PAYMENT_METHODS;
/** A value of `MeterType`. */
export type MeterType = keyof typeof METER_TYPES;
/** A value of `CustomerType`. */
export type CustomerType = keyof typeof CUSTOMER_TYPES;
/** A value of `LdzRegion`. */
export type LdzRegion = keyof typeof LDZ_REGIONS;

/** Parses a value as the REST interface or GraphQL spells it: `direct_debit`, `DIRECT_DEBIT`. */
export function valueOf<Value extends string>(labels: Labels<Value>, text: string): Value | undefined {
  const value = text.toUpperCase();
  return Object.hasOwn(labels, value) ? (value as Value) : undefined;
}

/** Returns a value as the REST interface spells it. */
export function wireOf(value: string, labels: object): string {
  return labels === LDZ_REGIONS ? value : value.toLowerCase();
}
