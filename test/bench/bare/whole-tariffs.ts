import type { Pool } from 'pg';
import type { StoredTariff } from '../../../subgraphs/tariffs/catalogue/stored-tariff';
import type { RateTier, TariffScheduleEntry } from '../../../subgraphs/tariffs/catalogue/tariff';

const RATES = {
  name: 'tariff_rates',
  text: 'select tariff_id as "tariffId", rates from tariffs.tariff_rates where tariff_id = any($1::text[])',
};

/** Returns tariffs with their rates as the contract documents them, without absent members. */
export async function wholeTariffs(pool: Pool, tariffs: readonly StoredTariff[]): Promise<object[]> {
  const { rows } = await pool.query<{ tariffId: string; rates: TariffScheduleEntry[] }>({
    ...{ ...RATES, values: [tariffs.map(({ tariffId }) => tariffId)] },
  });
  const ratesOf = new Map(rows.map(({ tariffId, rates }) => [tariffId, rates]));
  return tariffs.map((tariff) => whole(tariff, ratesOf.get(tariff.tariffId) ?? []));
}

function whole(tariff: StoredTariff, rates: readonly TariffScheduleEntry[]): object {
  return {
    tariff_id: tariff.tariffId,
    name: tariff.name,
    description: tariff.description ?? undefined,
    version: tariff.version,
    tariff_type: tariff.tariffType,
    fuel_type: tariff.fuelType,
    energy_flow: tariff.energyFlow,
    payment_method: tariff.paymentMethod,
    meter_type: tariff.meterType,
    customer_type: tariff.customerType,
    ldz_region: tariff.ldzRegion,
    percentage_green: tariff.percentageGreen ?? undefined,
    standing_charge: tariff.standingCharge,
    vat_included: tariff.vatIncluded,
    vat_rate: tariff.vatRate ?? undefined,
    tier_period: tariff.tierPeriod,
    comments: tariff.comments ?? undefined,
    valid_from: tariff.validFrom.toISOString(),
    valid_to: tariff.validTo?.toISOString(),
    sellable_from: tariff.sellableFrom?.toISOString(),
    sellable_to: tariff.sellableTo?.toISOString(),
    last_modified: tariff.lastModified.toISOString(),
    rates: rates.map(scheduleEntry),
  };
}

function scheduleEntry({ months, dates, daysAndHours }: TariffScheduleEntry): object {
  return {
    months,
    dates: dates ?? undefined,
    days_and_hours: daysAndHours.map(({ days, hours }) => ({
      days,
      hours: hours.map(({ validFrom, validTo, rate }) => ({
        ...{ valid_from: validFrom, valid_to: validTo },
        rate: rate.map(tier),
      })),
    })),
  };
}

function tier({ unitPrice, toKwh = null }: RateTier): object {
  return { unit_price: unitPrice, to_kwh: toKwh === null ? null : Number(toKwh) };
}
