import type { Operations } from '../../../schema/generated/operations';
import { hasErrorCode } from '../../shared/operation-error';
import { rounded } from '../format';
import type { PageContext } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';
import { COLUMNS, type Day, dayOf, daysAfter, instantOf, startOf, writtenDay, writtenInstant } from './local-time';
import { amountsOf, pence } from './money';
import { halfHourCount, isValidBetween, pricedDay, pricesOf, runsOf } from './priced-day';
import { type PriceScale, priceScale } from './price-scale';
import type { ListedTariff, NamedSupplier, SlotPrice } from './operation-results';
import { TARIFFS_PATH, tariffPage } from './tariff-address';
import { type TariffFilter } from './tariff-filter';
import { ENERGY_FLOWS, FUEL_TYPES, LDZ_REGIONS, METER_TYPES } from './labels';

/** Tariffs per page. */
const LISTED_TARIFFS = 25;
/** Tariffs per operation if their prices exceed the 5,000 that it may read: a tariff with a price for each minute has up to 1,500 a day. */
const LISTED_TARIFFS_BY_MINUTE = 3;

type ListVariables = Operations['ReadTariffs']['variables'];

/** Suppliers per operation: the largest page. */
const MAX_SUPPLIERS = 100;

/**
 * Reads the suppliers of the form, sorted by name: all whose tariffs are listed, and the selected one. Returns also the current day of the
 * register's clock.
 */
export async function readSuppliers({ execute }: Pick<PageContext, 'execute'>, chosen: string | undefined) {
  let { suppliers: page, registerTime } = await execute('ReadTariffSuppliers', { first: MAX_SUPPLIERS });
  const offered = [...page.nodes];
  while (page.nextCursor !== null) {
    ({ suppliers: page } = await execute('ReadTariffSuppliers', { first: MAX_SUPPLIERS, after: page.nextCursor }));
    offered.push(...page.nodes);
  }
  if (chosen !== undefined && !offered.some(({ mpid }) => mpid === chosen))
    offered.push(await readSupplier({ execute }, chosen));
  const byName = (one: NamedSupplier, other: NamedSupplier) => one.displayName.localeCompare(other.displayName);
  return { suppliers: offered.toSorted(byName), today: dayOf(registerTime) };
}

/** Reads a supplier that is not among those. It is offered, too, even if it is unknown, because the list is filtered by it. */
async function readSupplier({ execute }: Pick<PageContext, 'execute'>, mpid: string): Promise<NamedSupplier> {
  const { supplier } = await execute('ReadTariffSupplier', { mpid });
  return supplier ?? { mpid, displayName: 'No such supplier' };
}

/**
 * Reads a page of the tariffs that match a filter, the last changed first, each with its prices of a day. Usually one operation
 * reads all, because each counts towards the limit of the client's network; large rates or very many prices need several.
 */
export async function readTariffs(
  { execute, query }: Pick<PageContext, 'execute' | 'query'>,
  filter: TariffFilter,
  day: Day,
) {
  const after = textOf(query['after']);
  const variables = {
    filter: filter.variables,
    from: instantOf(startOf(day)),
    to: instantOf(startOf(daysAfter(day, 1))),
  };
  const listed: ListedTariff[] = [];
  let next = after ?? null;
  do {
    const { nodes, nextCursor } = await tariffsAfter(next, LISTED_TARIFFS - listed.length, { execute, variables });
    listed.push(...nodes);
    next = nextCursor;
  } while (next !== null && listed.length < LISTED_TARIFFS);
  const address = (cursor?: string) => withQuery(TARIFFS_PATH, { ...filter.query, after: cursor });
  const scale = priceScale(amountsOf(listed.flatMap(({ prices }) => prices.flatMap(pricesOf))));
  return {
    rows: listed.map((tariff) => rowOf(tariff, day, scale)),
    scale,
    hasTiers: listed.some(({ prices }) => prices.some(({ tiers }) => tiers.length > 1)),
    ...pageLinks(after, next, address),
  };
}

/** Reads up to `first` tariffs after a cursor in one operation: fewer, at least one, of large rates or with very many prices. */
async function tariffsAfter(
  after: string | null,
  first: number,
  { execute, variables }: Pick<PageContext, 'execute'> & { variables: Omit<ListVariables, 'first' | 'after'> },
) {
  const read = (count: number) => execute('ReadTariffs', { ...variables, after, first: count });
  const { tariffs } = await read(first).catch((error: unknown) => {
    if (hasErrorCode(error, 'VAL003')) return read(Math.min(first, LISTED_TARIFFS_BY_MINUTE));
    throw error;
  });
  return tariffs;
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
    unpriced: isValid ? 'no price today' : `not valid on ${writtenDay(day, 'd LLL yyyy')}`,
  };
}

/** Returns the lowest and the highest price of a day over all tiers, in pence. */
function rangeOf(prices: ListedTariff['prices']): string | undefined {
  const amounts = amountsOf(prices.flatMap(({ tiers }) => tiers.map(({ unitPriceIncludingVat: price }) => price)));
  const [min, max] = [amounts[0], amounts.at(-1)];
  if (min === undefined || max === undefined) return undefined;
  return min === max ? pence(min) : `${pence(min)} to ${pence(max)}`;
}

/** Returns the day as a strip of runs, in percent of its width. */
function stripOf(day: Day, prices: readonly SlotPrice[], scale: PriceScale) {
  const halfHours = pricedDay(day, prices);
  const total = Math.max(halfHourCount(halfHours), COLUMNS);
  const share = (count: number) => rounded((count / total) * 100);
  let start = 0;
  return runsOf(halfHours).flatMap(({ length, price }) => {
    const x = share(start);
    start += length;
    return price === undefined ? [] : [{ x, width: share(length), level: scale.levelOf(price) }];
  });
}
