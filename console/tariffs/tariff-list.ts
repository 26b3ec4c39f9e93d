import type { Visit } from '../page';
import { cursorOf, withQuery } from '../request/query';
import { COLUMNS, type Day, dayOf, daysAfter, instantOf, startOf, writtenDay, writtenInstant } from './local-time';
import { amountsOf, pence } from './money';
import { isValidBetween, pricedDay, pricesOf, runsOf } from './priced-day';
import { type PriceScale, priceScale } from './price-scale';
import type { ListedTariff, NamedSupplier, SlotPrice } from './register-answers';
import { TARIFFS_PATH, tariffPage } from './tariff-address';
import { type TariffFilter } from './tariff-filter';
import { ENERGY_FLOWS, FUEL_TYPES, LDZ_REGIONS, METER_TYPES } from './wording';

/** Tariffs of a page of the list. */
const LISTED_TARIFFS = 25;

/** Suppliers among which the form lets choose, besides the one that is chosen. */
const OFFERED_SUPPLIERS = 100;

/** The suppliers of the form, by name, with the one that is chosen, and today by the clock of the register. */
export async function readSuppliers({ ask }: Pick<Visit, 'ask'>, chosen: string | undefined) {
  const { suppliers, registerTime } = await ask<SuppliersAnswer>('ReadTariffSuppliers', { first: OFFERED_SUPPLIERS });
  const isOffered = chosen === undefined || suppliers.nodes.some(({ mpid }) => mpid === chosen);
  const offered = isOffered ? suppliers.nodes : [...suppliers.nodes, await readSupplier({ ask }, chosen)];
  const byName = (one: NamedSupplier, other: NamedSupplier) => one.displayName.localeCompare(other.displayName);
  return { suppliers: offered.toSorted(byName), today: dayOf(registerTime) };
}

/** The supplier of an id; one that nobody has is offered, too, for the list is filtered by it. */
async function readSupplier({ ask }: Pick<Visit, 'ask'>, mpid: string): Promise<NamedSupplier> {
  const { supplier } = await ask<{ supplier: NamedSupplier | null }>('ReadTariffSupplier', { mpid });
  return supplier ?? { mpid, displayName: 'No such supplier' };
}

interface SuppliersAnswer {
  readonly suppliers: { readonly nodes: readonly NamedSupplier[] };
  readonly registerTime: string;
}

/** Asks for the tariffs that a filter lets through, those that were changed last first, each with its prices of a day. */
export async function readTariffs({ ask, query }: Pick<Visit, 'ask' | 'query'>, filter: TariffFilter, day: Day) {
  const after = cursorOf(query['after']);
  const { tariffs } = await ask<{ tariffs: TariffsPage }>('ReadTariffs', {
    first: LISTED_TARIFFS,
    after: after ?? null,
    filter: filter.variables,
    from: instantOf(startOf(day)),
    to: instantOf(startOf(daysAfter(day, 1))),
  });
  const address = (cursor?: string) => withQuery(TARIFFS_PATH, { ...filter.query, after: cursor });
  const scale = priceScale(amountsOf(tariffs.nodes.flatMap(({ prices }) => prices.flatMap(pricesOf))));
  return {
    rows: tariffs.nodes.map((tariff) => rowOf(tariff, day, scale)),
    scale,
    next: tariffs.nextCursor === null ? undefined : address(tariffs.nextCursor),
    first: after === undefined ? undefined : address(),
  };
}

interface TariffsPage {
  readonly nodes: readonly ListedTariff[];
  readonly nextCursor: string | null;
}

function rowOf(tariff: ListedTariff, day: Day, scale: PriceScale) {
  const { tariffId, name, supplier, validFrom, validTo, prices } = tariff;
  const isValid = isValidBetween(tariff, day, day);
  return {
    ...{ name, supplier, isDynamic: tariff.tariffType === 'DYNAMIC' },
    address: tariffPage(tariffId),
    fuel: FUEL_TYPES[tariff.fuelType],
    flow: ENERGY_FLOWS[tariff.energyFlow],
    meter: METER_TYPES[tariff.meterType],
    region: { code: tariff.ldzRegion, name: LDZ_REGIONS[tariff.ldzRegion] },
    validity: { from: writtenInstant(validFrom), to: validTo === null ? undefined : writtenInstant(validTo) },
    range: rangeOf(prices),
    strip: stripOf(day, prices, scale),
    without: isValid ? 'no price today' : `not valid on ${writtenDay(day, 'd LLL yyyy')}`,
  };
}

/** The cheapest and the dearest of a day, in pence. */
function rangeOf(prices: readonly SlotPrice[]): string | undefined {
  const amounts = amountsOf(prices.flatMap(pricesOf));
  const [least, most] = [amounts[0], amounts.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  return least === most ? pence(least) : `${pence(least)} to ${pence(most)}`;
}

/** The day as a strip: its half-hours in their order, those of one price as one; in hundredths of its width. */
function stripOf(day: Day, prices: readonly SlotPrice[], scale: PriceScale) {
  const halfHours = pricedDay(day, prices);
  const share = (count: number) => Math.round((count / Math.max(halfHours.length, COLUMNS)) * 10_000) / 100;
  let start = 0;
  return runsOf(halfHours).flatMap(({ length, price }) => {
    const x = share(start);
    start += length;
    return price === undefined ? [] : [{ x, width: share(length), level: scale.levelOf(price) }];
  });
}
