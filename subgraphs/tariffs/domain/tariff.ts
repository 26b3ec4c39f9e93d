/** Tariffs as Interface D writes them (1-specification.md, "Interface D: tariff interoperability data"; 3-decisions-c-d.md, D.2). */

/** Whether every half-hour of the validity has a price: the schedule of a dynamic tariff may have gaps. */
export const TARIFF_TYPES = ['static', 'dynamic'] as const;
/** A value of {@link TARIFF_TYPES}. */
export type TariffType = (typeof TARIFF_TYPES)[number];

/** What is supplied. */
export const FUEL_TYPES = ['electricity', 'gas'] as const;
/** A value of {@link FUEL_TYPES}. */
export type FuelType = (typeof FUEL_TYPES)[number];

/** Which way energy flows, seen from the consumer. */
export const ENERGY_FLOWS = ['import', 'export'] as const;
/** A value of {@link ENERGY_FLOWS}. */
export type EnergyFlow = (typeof ENERGY_FLOWS)[number];

/** How the consumer pays. */
export const PAYMENT_METHODS = ['direct_debit', 'non_direct_debit', 'prepayment'] as const;
/** A value of {@link PAYMENT_METHODS}. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** The meter that the tariff needs. */
export const METER_TYPES = ['single_rate', 'multi_rate', 'smart', 'prepayment'] as const;
/** A value of {@link METER_TYPES}. */
export type MeterType = (typeof METER_TYPES)[number];

/** For whom the tariff is. */
export const CUSTOMER_TYPES = ['residential', 'business'] as const;
/** A value of {@link CUSTOMER_TYPES}. */
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

/** Regions of gas distribution (local distribution zones). */
export const LDZ_REGIONS = [
  ...['SC', 'NO', 'NE', 'NWT', 'WMD', 'EM', 'EA'],
  ...['NT', 'SO', 'SE', 'WN', 'WW', 'SW'],
] as readonly LdzRegion[];
/** A value of {@link LDZ_REGIONS}. */
export type LdzRegion = 'SC' | 'NO' | 'NE' | 'NWT' | 'WMD' | 'EM' | 'EA' | 'NT' | 'SO' | 'SE' | 'WN' | 'WW' | 'SW';

/** The months, January first. */
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Months of a schedule entry: those named, or `All` alone. */
export const RATE_MONTHS = [...MONTHS, 'All'] as const;
/** A value of {@link RATE_MONTHS}. */
export type RateMonth = (typeof RATE_MONTHS)[number];

/** The days of the week, Monday first. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
/** Days of a days group: those named, or `All` alone. */
export const RATE_DAYS = [...WEEKDAYS, 'All'] as const;
/** A value of {@link RATE_DAYS}. */
export type RateDay = (typeof RATE_DAYS)[number];

/** A price up to an amount of consumption. */
export interface RateTier {
  /** Decimal string, pounds per kWh, `^\d+\.\d{2,5}$`; including or excluding VAT, as the tariff says. */
  unitPrice: string;
  /** Decimal string, kWh up to which the price holds; null (or absent) = unbounded, of the last tier only. */
  toKwh?: string | null;
}

/** Prices of a part of the day. */
export interface HourlyRate {
  /** `HH:MM:SS`, wall time of Europe/London, on a whole half-hour. */
  validFrom: string;
  /** As `validFrom`, half-open; not after it, it wraps past midnight of the same local day. 00:00:00 to 00:00:00 is the whole day. */
  validTo: string;
  /** At least one, ascending. */
  rate: RateTier[];
}

/** Prices of some days of the week. */
export interface DaysAndHours {
  days: RateDay[];
  hours: HourlyRate[];
}

/** Prices of some days of the year; the first entry that matches a day counts for it. */
export interface TariffScheduleEntry {
  months: RateMonth[];
  /** Days of the month, 1 to 31; null (or absent) = all. */
  dates?: number[] | null;
  daysAndHours: DaysAndHours[];
}

/** What a supplier publishes of a tariff (TariffDetail without what the register adds). */
export interface TariffInput {
  /** Supplier-generated, `^trf_[0-9a-f]{32}$`. */
  tariffId: string;
  name: string;
  description?: string | null;
  tariffType: TariffType;
  fuelType: FuelType;
  energyFlow: EnergyFlow;
  paymentMethod: PaymentMethod;
  meterType: MeterType;
  customerType: CustomerType;
  ldzRegion: LdzRegion;
  /** Percent, 0 to 100. */
  percentageGreen?: number | null;
  /** Decimal string, pounds per day, `^\d+\.\d{2,5}$`. */
  standingCharge: string;
  /** Whether the prices include VAT. */
  vatIncluded: boolean;
  /** Percent, an integer 0 to 100; required when `vatIncluded` is false. */
  vatRate?: number | null;
  comments?: string | null;
  validFrom: Date;
  validTo?: Date | null;
  sellableFrom?: Date | null;
  sellableTo?: Date | null;
  rates: TariffScheduleEntry[];
  /** Id of the tariff whose MPxNs follow to this one at `validFrom`. */
  replaces?: string | null;
}

/** A published tariff: nothing is absent, what was not said is null. */
export type Tariff = { [Field in keyof TariffInput]-?: Exclude<TariffInput[Field], undefined> } & {
  /** Market participant id of the supplier, `^[A-Z0-9]{4}$`. */
  mpid: string;
  /** From 1; grows with descriptive corrections only. */
  version: number;
  lastModified: Date;
};

/** What is kept of a former version: what a descriptive correction may change. */
export interface TariffVersion extends Pick<
  Tariff,
  'version' | 'name' | 'description' | 'comments' | 'percentageGreen'
> {
  publishedAt: Date;
}

/** Where a price stands in `rates`: indices from 0. */
export interface RateEntryPlace {
  schedule: number;
  daysAndHours: number;
  hours: number;
}
