/** Tariffs in the values of Interface D (specification, "Interface D: tariff interoperability data"; decisions C/D, D.2). */

/** A static tariff has a price for every minute of its validity; the schedule of a dynamic one may have gaps. */
export type TariffType = 'static' | 'dynamic';

/** A kind of energy. */
export type FuelType = 'electricity' | 'gas';

/** The direction of energy, from the consumer's point of view. */
export type EnergyFlow = 'import' | 'export';

/** How the consumer pays. */
export type PaymentMethod = 'direct_debit' | 'non_direct_debit' | 'prepayment';

/** The kind of meter that the tariff requires. */
export type MeterType = 'single_rate' | 'multi_rate' | 'smart' | 'prepayment';

/** A kind of customers that the tariff is offered to. */
export type CustomerType = 'residential' | 'business';

/** A local distribution zone of gas. */
export type LdzRegion = 'SC' | 'NO' | 'NE' | 'NWT' | 'WMD' | 'EM' | 'EA' | 'NT' | 'SO' | 'SE' | 'WN' | 'WW' | 'SW';

/** A period over which the consumption of a consumer counts towards tiers. */
export type TierPeriod = 'day' | 'month' | 'year';

/** Months, January first. */
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** A month of a schedule entry; `All` excludes all other values. */
export type RateMonth = (typeof MONTHS)[number] | 'All';

/** Days of the week, Monday first. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
/** A day of a days group; `All` excludes all other values. */
export type RateDay = (typeof WEEKDAYS)[number] | 'All';

/** A price that applies up to an amount of consumption. */
export interface RateTier {
  /** Decimal string, pounds per kWh, `^\d+\.\d{2,5}$`; `vatIncluded` states whether it includes VAT. */
  unitPrice: string;
  /** Decimal string: kWh up to which the price applies. Null or absent in the last tier, which is unbounded. */
  toKwh?: string | null;
}

/** Prices of a part of the day. */
export interface HourlyRate {
  /** `HH:MM:SS`, wall time of Europe/London, on a whole minute. */
  validFrom: string;
  /**
   * Exclusive end, in the form of `validFrom`. A window that does not end after its start runs on past midnight into the next local day;
   * 00:00:00 to 00:00:00 is the whole day. The day on which it starts selects it.
   */
  validTo: string;
  /** At least one, ascending. */
  rate: RateTier[];
}

/** Prices of some days of the week. */
export interface DaysAndHours {
  days: RateDay[];
  hours: HourlyRate[];
}

/** Prices of some days of the year; the first entry that matches a day decides. */
export interface TariffScheduleEntry {
  months: RateMonth[];
  /** Days of the month, 1 to 31; null or absent means all. */
  dates?: number[] | null;
  daysAndHours: DaysAndHours[];
}

/** A tariff as a supplier publishes it: TariffDetail without the fields that the register adds. */
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
  /** Whether the unit prices and the standing charge include VAT. */
  vatIncluded: boolean;
  /** Percent, an integer 0 to 100; required when `vatIncluded` is false. */
  vatRate?: number | null;
  /** Period to which the amounts of all tiers refer; absent means a day. */
  tierPeriod?: TierPeriod | null;
  comments?: string | null;
  validFrom: Date;
  validTo?: Date | null;
  sellableFrom?: Date | null;
  sellableTo?: Date | null;
  rates: TariffScheduleEntry[];
  /** Id of the tariff whose MPxNs move to this one at `validFrom`. */
  replaces?: string | null;
}

/** A published tariff; a field absent from the publication is null. */
export type Tariff = {
  [Field in Exclude<keyof TariffInput, 'tierPeriod'>]-?: Exclude<TariffInput[Field], undefined>;
} & {
  tierPeriod: TierPeriod;
  /** Market participant id of the supplier, `^[A-Z0-9]{4}$`. */
  mpid: string;
  /** From 1; only a descriptive correction increases it. */
  version: number;
  lastModified: Date;
};

/** A version of a tariff: the fields that a descriptive correction may change. */
export interface TariffVersion extends Pick<
  Tariff,
  'version' | 'name' | 'description' | 'comments' | 'percentageGreen'
> {
  publishedAt: Date;
}

/** The location of a price in `rates`; indices from 0. */
export interface RateEntryPlace {
  schedule: number;
  daysAndHours: number;
  hours: number;
}
