import type { Operations } from '../../../schema/generated/operations';

type ResultOf<Name extends keyof Operations> = Operations[Name]['result'];

/** A tariff of the list, with the prices of one day. */
export type ListedTariff = ResultOf<'ReadTariffs'>['tariffs']['nodes'][number];

/** Id and name of a supplier. */
export type NamedSupplier = ListedTariff['supplier'];

/** Id, name and validity of a tariff. */
export type NamedTariff = Pick<ListedTariff, 'tariffId' | 'name' | 'validFrom' | 'validTo'>;

/** The price of a half-hour, as lists select it. */
export type SlotPrice = Pick<HalfHourPrice, 'from' | 'to' | 'unitPriceIncludingVat'>;

/** The price of a half-hour, or of its part within the validity of the tariff; null if a dynamic tariff has none. */
export type HalfHourPrice = NonNullable<ResultOf<'ReadTariffPrices'>['tariff']>['prices'][number];

type PublishedTariff = NonNullable<ResultOf<'ReadTariff'>['tariff']>;

/** A tariff with all its published fields. Its chain of replacements may be of any length. */
export type Tariff = Omit<PublishedTariff, 'replaces' | 'replacedBy'> & {
  readonly replaces: Predecessor | null;
  readonly replacedBy: Successor | null;
};

/** A tariff that another one replaces. */
export interface Predecessor extends NamedTariff {
  readonly replaces?: Predecessor | null;
}

/** A tariff that replaces another one. */
export interface Successor extends NamedTariff {
  readonly replacedBy?: Successor | null;
}

/** Rates of months and dates (decisions D.2, TariffScheduleEntry). */
export type ScheduleEntry = Tariff['rates'][number];

/** Rates of a window of wall time. */
export type HourlyRate = ScheduleEntry['daysAndHours'][number]['hours'][number];
