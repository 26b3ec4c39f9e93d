import { writtenInstant } from './local-time';
import { penceOf } from './money';
import type { NamedTariff, Predecessor, Successor, Tariff } from './operation-results';
import { tariffPage } from './tariff-address';
import {
  CUSTOMER_TYPES,
  ENERGY_FLOWS,
  FUEL_TYPES,
  LDZ_REGIONS,
  METER_TYPES,
  PAYMENT_METHODS,
  SUPPLIER_STATUSES,
  TARIFF_TYPES,
  TIER_PERIODS,
} from './labels';

/** A name and a value in a description list. */
interface Detail {
  readonly name: string;
  readonly value: string;
}

/** Returns the fields of a tariff as two description lists. */
export function tariffDetails(tariff: Tariff): { readonly kind: readonly Detail[]; readonly terms: readonly Detail[] } {
  const { percentageGreen, sellableFrom, sellableTo, supplierStatus } = tariff;
  return {
    kind: [
      { name: 'Fuel', value: `${FUEL_TYPES[tariff.fuelType]}, ${ENERGY_FLOWS[tariff.energyFlow].toLowerCase()}` },
      { name: 'Prices', value: TARIFF_TYPES[tariff.tariffType] },
      { name: 'Meter', value: METER_TYPES[tariff.meterType] },
      { name: 'Customer', value: CUSTOMER_TYPES[tariff.customerType] },
      { name: 'Payment', value: PAYMENT_METHODS[tariff.paymentMethod] },
      { name: 'Region', value: `${LDZ_REGIONS[tariff.ldzRegion]} (${tariff.ldzRegion})` },
      ...(percentageGreen === null ? [] : [{ name: 'Green', value: `${percentageGreen} %` }]),
    ],
    terms: [
      { name: 'Standing charge', value: standingChargeInWords(tariff) },
      ...(hasTiers(tariff) ? [{ name: 'Tiers', value: `by consumption per ${TIER_PERIODS[tariff.tierPeriod]}` }] : []),
      { name: 'VAT', value: vatInWords(tariff) },
      { name: 'Valid', value: spanInWords(tariff.validFrom, tariff.validTo) },
      ...(sellableFrom === null && sellableTo === null
        ? []
        : [{ name: 'On sale', value: spanInWords(sellableFrom, sellableTo) }]),
      ...(supplierStatus === null ? [] : [{ name: 'Supplier', value: SUPPLIER_STATUSES[supplierStatus] }]),
      { name: 'Published', value: `version ${tariff.version}, ${writtenInstant(tariff.lastModified)}` },
    ],
  };
}

/** Returns whether the published amounts of a tariff include VAT, in words. */
export function vatOfAmounts({ vatIncluded }: Pick<Tariff, 'vatIncluded'>): string {
  return vatIncluded ? 'including VAT' : 'excluding VAT';
}

/**
 * Returns the standing charge including VAT, with the amount excluding VAT in brackets if the tariff states its VAT
 * rate.
 */
function standingChargeInWords({
  standingChargeIncludingVat: including,
  standingChargeExcludingVat: excluding,
}: Tariff): string {
  const without = excluding === null ? '' : ` (${penceOf(excluding)} p excluding VAT)`;
  return `${penceOf(including)} p per day including VAT${without}`;
}

function hasTiers({ rates }: Tariff): boolean {
  return rates.some(({ daysAndHours }) => daysAndHours.some(({ hours }) => hours.some(({ rate }) => rate.length > 1)));
}

function vatInWords({ vatIncluded, vatRate }: Tariff): string {
  const rate = vatRate === null ? 'at an unknown rate' : `at ${vatRate} %`;
  return `${vatIncluded ? 'included' : 'not included'} in the published amounts, ${rate}`;
}

function spanInWords(from: string | null, to: string | null): string {
  const start = from === null ? '' : `from ${writtenInstant(from)}`;
  const end = to === null ? '' : `until ${writtenInstant(to)}`;
  return [start, end].filter((each) => each !== '').join(' ');
}

/** A tariff of a chain of replacements. */
interface ChainLink {
  readonly name: string;
  readonly validFrom: string;
  readonly address: string;
  readonly isShown: boolean;
}

/** Maximum number of tariffs on each side; `readTariff.graphql` reads one more, so that the page can link to it. */
const MAX_LINKS_EACH_WAY = 3;

/**
 * Returns the tariffs that a tariff replaces and those that replace it, oldest first, with the addresses of the one before and the one after
 * if there are more. Returns no links if the tariff neither replaces another one nor is replaced.
 */
export function replacementChain(tariff: Tariff) {
  const [before, after] = [predecessors(tariff.replaces), successors(tariff.replacedBy)];
  const links = [
    ...before.slice(0, MAX_LINKS_EACH_WAY).toReversed(),
    linkOf(tariff, true),
    ...after.slice(0, MAX_LINKS_EACH_WAY),
  ];
  return {
    links: links.length === 1 ? [] : links,
    earlier: before[MAX_LINKS_EACH_WAY]?.address,
    later: after[MAX_LINKS_EACH_WAY]?.address,
  };
}

function predecessors(tariff: Predecessor | null | undefined): ChainLink[] {
  return tariff ? [linkOf(tariff, false), ...predecessors(tariff.replaces)] : [];
}

function successors(tariff: Successor | null | undefined): ChainLink[] {
  return tariff ? [linkOf(tariff, false), ...successors(tariff.replacedBy)] : [];
}

function linkOf({ tariffId, name, validFrom }: NamedTariff, isShown: boolean): ChainLink {
  return { name, validFrom: writtenInstant(validFrom), address: tariffPage(tariffId), isShown };
}
