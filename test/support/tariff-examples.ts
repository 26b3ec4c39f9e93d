import type {
  DaysAndHours,
  HourlyRate,
  Tariff,
  TariffInput,
  TariffScheduleEntry,
} from '../../subgraphs/tariffs/catalogue/tariff';

/** Returns a window of the whole day with one price. */
export function aroundTheClock(unitPrice: string): HourlyRate {
  return { validFrom: '00:00:00', validTo: '00:00:00', rate: [{ unitPrice, toKwh: null }] };
}

/** Returns a window with a price: `window('07:00', '00:30', '0.30')`. */
export function window(from: string, to: string, unitPrice = '0.25'): HourlyRate {
  return { validFrom: `${from}:00`, validTo: `${to}:00`, rate: [{ unitPrice, toKwh: null }] };
}

/** Returns a days group. */
export function group(days: DaysAndHours['days'], ...hours: HourlyRate[]): DaysAndHours {
  return { days, hours };
}

/** Returns an entry for all dates of some months. */
export function entry(months: TariffScheduleEntry['months'], ...daysAndHours: DaysAndHours[]): TariffScheduleEntry {
  return { months, dates: null, daysAndHours };
}

/** Returns a valid tariff with one price, changed by the test. */
export function flatTariff(change: (tariff: TariffInput) => void = () => undefined): TariffInput {
  const tariff: TariffInput = {
    tariffId: 'trf_0123456789abcdef0123456789abcdef',
    name: 'Lapwing Flat',
    tariffType: 'static',
    fuelType: 'electricity',
    energyFlow: 'import',
    paymentMethod: 'direct_debit',
    meterType: 'single_rate',
    customerType: 'residential',
    ldzRegion: 'EA',
    standingCharge: '0.5312',
    vatIncluded: true,
    vatRate: 5,
    validFrom: new Date('2026-01-01T00:00:00Z'),
    rates: [entry(['All'], group(['All'], aroundTheClock('0.2450')))],
  };
  change(tariff);
  return tariff;
}

/** Returns a valid tariff with this rates tree. */
export function tariffWith(...rates: TariffScheduleEntry[]): TariffInput {
  return flatTariff((tariff) => void (tariff.rates = rates));
}

/** Returns the tariff that a supplier has published by an input. */
export function published(input: TariffInput): Tariff {
  return {
    description: null,
    percentageGreen: null,
    vatRate: null,
    comments: null,
    validTo: null,
    tierPeriod: 'day',
    sellableFrom: null,
    sellableTo: null,
    replaces: null,
    mpid: 'LAPW',
    version: 1,
    lastModified: new Date('2025-12-01T09:00:00Z'),
    ...Object.fromEntries(Object.entries(structuredClone(input)).filter(([, value]) => value !== undefined)),
  } as Tariff;
}
