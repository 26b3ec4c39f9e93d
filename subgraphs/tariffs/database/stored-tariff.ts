import type { Tariff } from '../domain/tariff';

/** A tariff without its rates, which are read when they are asked for. */
export interface StoredTariff extends Omit<Tariff, 'rates'> {
  /** When its first version was published: it replaces another no earlier. */
  readonly publishedAt: Date;
}

/** Columns of a tariff `t` in its present version `v`. */
export const TARIFF_COLUMNS = `t.tariff_id as "tariffId", t.mpid, t.version, v.name, v.description, v.comments,
  v.percentage_green as "percentageGreen", t.tariff_type as "tariffType", t.fuel_type as "fuelType", t.energy_flow as "energyFlow",
  t.payment_method as "paymentMethod", t.meter_type as "meterType", t.customer_type as "customerType", t.ldz_region as "ldzRegion",
  t.standing_charge as "standingCharge", t.vat_included as "vatIncluded", t.vat_rate as "vatRate", t.valid_from as "validFrom",
  t.valid_to as "validTo", t.sellable_from as "sellableFrom", t.sellable_to as "sellableTo", t.replaces,
  t.published_at as "publishedAt", t.last_modified as "lastModified"`;

/** The present version `v` of a tariff `t`. */
export const PRESENT_VERSION = 'tariff_version v on v.tariff_id = t.tariff_id and v.version = t.version';
