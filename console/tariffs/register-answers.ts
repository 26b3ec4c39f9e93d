import type { CustomerType, EnergyFlow, FuelType, LdzRegion, MeterType, PaymentMethod, TariffType } from './wording';

/** A supplier, as tariffs name it. */
export interface NamedSupplier {
  readonly mpid: string;
  readonly displayName: string;
}

/** A tariff, as others name it. */
export interface NamedTariff {
  readonly tariffId: string;
  readonly name: string;
  readonly validFrom: string;
  readonly validTo: string | null;
}

/** For whom and for what a tariff is. */
export interface TariffKind {
  readonly tariffType: TariffType;
  readonly fuelType: FuelType;
  readonly energyFlow: EnergyFlow;
  readonly paymentMethod: PaymentMethod;
  readonly meterType: MeterType;
  readonly customerType: CustomerType;
  readonly ldzRegion: LdzRegion;
}

/** A tariff of the list, with the prices of a day. */
export interface ListedTariff extends NamedTariff, TariffKind {
  readonly supplier: NamedSupplier;
  readonly prices: readonly SlotPrice[];
}

/** What lists show of a half-hour. */
export interface SlotPrice {
  readonly from: string;
  readonly unitPriceIncludingVat: string | null;
}

/** The price of a half-hour, or of what of it lies in the validity of the tariff; null where a dynamic tariff has none. */
export interface HalfHourPrice extends SlotPrice {
  readonly unitPriceExcludingVat: string | null;
  readonly tiers: readonly PriceTier[];
  readonly entry: RatePlace | null;
}

/** A price of a half-hour that holds up to so many kWh; null is without end. */
export interface PriceTier {
  readonly toKwh: string | null;
  readonly unitPriceExcludingVat: string | null;
  readonly unitPriceIncludingVat: string;
}

/** Which rate of the tree gave a price: indices from 0. */
export interface RatePlace {
  readonly schedule: number;
  readonly daysAndHours: number;
  readonly hours: number;
}

/** A tariff with everything that is published of it. */
export interface Tariff extends NamedTariff, TariffKind {
  readonly description: string | null;
  readonly version: number;
  readonly percentageGreen: number | null;
  readonly standingCharge: string;
  readonly vatIncluded: boolean;
  readonly vatRate: number | null;
  readonly comments: string | null;
  readonly sellableFrom: string | null;
  readonly sellableTo: string | null;
  readonly lastModified: string;
  readonly rates: readonly ScheduleEntry[];
  readonly supplier: NamedSupplier & { readonly support: string };
  /** The present one first. */
  readonly versions: readonly TariffVersion[];
  readonly replaces: Predecessor | null;
  readonly replacedBy: Successor | null;
}

/** A tariff that another one replaces. */
export interface Predecessor extends NamedTariff {
  readonly replaces?: Predecessor | null;
}

/** A tariff that replaces another one. */
export interface Successor extends NamedTariff {
  readonly replacedBy?: Successor | null;
}

/** A version of what is told of a tariff; its prices never change. */
export interface TariffVersion {
  readonly version: number;
  readonly name: string;
  readonly description: string | null;
  readonly comments: string | null;
  readonly percentageGreen: number | null;
  readonly publishedAt: string;
}

/** Rates of months and dates (3-decisions-c-d.md, D.2, TariffScheduleEntry). */
export interface ScheduleEntry {
  readonly months: readonly string[];
  readonly dates: readonly number[] | null;
  readonly daysAndHours: readonly {
    readonly days: readonly string[];
    readonly hours: readonly HourlyRate[];
  }[];
}

/** Rates of a window of wall time. */
export interface HourlyRate {
  readonly validFrom: string;
  readonly validTo: string;
  readonly rate: readonly { readonly unitPrice: string; readonly toKwh: string | null }[];
}
