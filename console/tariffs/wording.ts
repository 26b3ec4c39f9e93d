/** Words for the values of an enumeration of the graph, in the order in which pages offer them. */
export type Words<Value extends string> = Readonly<Record<Value, string>>;

/** Whether every half-hour has a price. */
export const TARIFF_TYPES = { STATIC: 'Static', DYNAMIC: 'Dynamic' } as const;
/** What is supplied. */
export const FUEL_TYPES = { ELECTRICITY: 'Electricity', GAS: 'Gas' } as const;
/** Whether the customer takes energy or gives it. */
export const ENERGY_FLOWS = { IMPORT: 'Import', EXPORT: 'Export' } as const;
/** How it is paid. */
export const PAYMENT_METHODS = {
  DIRECT_DEBIT: 'Direct debit',
  NON_DIRECT_DEBIT: 'Not direct debit',
  PREPAYMENT: 'Prepayment',
} as const;
/** For which meters. */
export const METER_TYPES = {
  SINGLE_RATE: 'Single rate',
  MULTI_RATE: 'Multi-rate',
  SMART: 'Smart',
  PREPAYMENT: 'Prepayment',
} as const;
/** For whom. */
export const CUSTOMER_TYPES = { RESIDENTIAL: 'Residential', BUSINESS: 'Business' } as const;
/** Local distribution zones. */
export const LDZ_REGIONS = {
  ...{ EA: 'Eastern', EM: 'East Midlands', NE: 'North East', NO: 'Northern', NT: 'North Thames', NWT: 'North West' },
  ...{ SC: 'Scotland', SE: 'South East', SO: 'Southern', SW: 'South West', WMD: 'West Midlands' },
  ...{ WN: 'Wales North', WW: 'Wales' },
} as const;

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

/** The value that a text names in the words of the wire, or of the graph: `direct_debit`, `DIRECT_DEBIT`. */
export function valueOf<Value extends string>(words: Words<Value>, text: string): Value | undefined {
  const value = text.toUpperCase();
  return Object.hasOwn(words, value) ? (value as Value) : undefined;
}

/** How addresses of pages write a value: as the wire does. */
export function wireOf(value: string, words: object): string {
  return words === LDZ_REGIONS ? value : value.toLowerCase();
}
