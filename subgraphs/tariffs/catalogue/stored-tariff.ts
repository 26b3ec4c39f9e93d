import type { Tariff } from './tariff';

/** A tariff without its rates, which are read only if a client selects them. */
export interface StoredTariff extends Omit<Tariff, 'rates'> {
  /** When its first version was published. A replacement takes effect no earlier. */
  readonly publishedAt: Date;
  /** Whether the request reads it for a consumer to whom it applies. */
  readonly isShared?: boolean;
}

/** What identifies the rates of a tariff, which never change. */
export type PublishedTariff = Pick<StoredTariff, 'tariffId' | 'publishedAt'>;

/**
 * Returns the key of what is cached of the rates of a tariff. It contains the time of publication: after a standby took over that had not
 * received the tariff, its id may be published again with other rates.
 */
export function publicationKey({ tariffId, publishedAt }: PublishedTariff): string {
  return `${tariffId} ${publishedAt.getTime()}`;
}

/** SQL: the columns of a tariff `t` in its current version `v`. */
export const TARIFF_COLUMNS = `t.tariff_id as "tariffId", t.mpid, t.version, v.name, v.description, v.comments,
  v.percentage_green as "percentageGreen", t.tariff_type as "tariffType", t.fuel_type as "fuelType", t.energy_flow as "energyFlow",
  t.payment_method as "paymentMethod", t.meter_type as "meterType", t.customer_type as "customerType", t.ldz_region as "ldzRegion",
  t.standing_charge as "standingCharge", t.vat_included as "vatIncluded", t.vat_rate as "vatRate", t.tier_period as "tierPeriod", t.valid_from as "validFrom",
  t.valid_to as "validTo", t.sellable_from as "sellableFrom", t.sellable_to as "sellableTo", t.replaces,
  t.published_at as "publishedAt", t.last_modified as "lastModified"`;

/** SQL: joins the current version `v` of a tariff `t`. */
export const PRESENT_VERSION = 'tariff_version v on v.tariff_id = t.tariff_id and v.version = t.version';

/**
 * SQL: the time of a publication, never before the last change of any tariff: a client that follows `last_modified` misses no tariff that is
 * published or changed after the clock is set back.
 */
export const PUBLISHED_NOW = 'greatest(register_now(), (select max(newest.last_modified) from tariff newest))';

/**
 * SQL: the time of a change of a tariff. As of a publication, and it grows with each change of the tariff, also of two in one millisecond, so
 * that no reader takes one state for another.
 */
export const MODIFIED_NOW = `greatest(${PUBLISHED_NOW}, last_modified + interval '1 millisecond')`;
