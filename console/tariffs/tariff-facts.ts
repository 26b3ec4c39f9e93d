import { writtenInstant } from './local-time';
import { penceOf } from './money';
import type { NamedTariff, Predecessor, Successor, Tariff } from './register-answers';
import { tariffPage } from './tariff-address';
import {
  CUSTOMER_TYPES,
  ENERGY_FLOWS,
  FUEL_TYPES,
  LDZ_REGIONS,
  METER_TYPES,
  PAYMENT_METHODS,
  TARIFF_TYPES,
} from './wording';

/** Something that is so, under its name. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What a tariff is, in groups of facts. */
export function tariffFacts(tariff: Tariff): { readonly kind: readonly Fact[]; readonly terms: readonly Fact[] } {
  const { percentageGreen, sellableFrom, sellableTo } = tariff;
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
      { name: 'Standing charge', value: `${penceOf(tariff.standingCharge)} p per day, ${vatOfAmounts(tariff)}` },
      { name: 'VAT', value: vatInWords(tariff) },
      { name: 'Valid', value: spanInWords(tariff.validFrom, tariff.validTo) },
      ...(sellableFrom === null && sellableTo === null
        ? []
        : [{ name: 'On sale', value: spanInWords(sellableFrom, sellableTo) }]),
      { name: 'Published', value: `version ${tariff.version}, ${writtenInstant(tariff.lastModified)}` },
    ],
  };
}

/** What the published amounts of a tariff say of VAT. */
export function vatOfAmounts({ vatIncluded }: Pick<Tariff, 'vatIncluded'>): string {
  return vatIncluded ? 'including VAT' : 'excluding VAT';
}

function vatInWords({ vatIncluded, vatRate }: Tariff): string {
  const rate = vatRate === null ? 'at a rate that is not told' : `at ${vatRate} %`;
  return `${vatIncluded ? 'included' : 'not included'}, ${rate}`;
}

function spanInWords(from: string | null, to: string | null): string {
  const begins = from === null ? '' : `from ${writtenInstant(from)}`;
  const ends = to === null ? '' : `until ${writtenInstant(to)}`;
  return [begins, ends].filter((each) => each !== '').join(' ');
}

/** A tariff of a chain of replacements. */
export interface ChainLink {
  readonly name: string;
  readonly validFrom: string;
  readonly address: string;
  readonly isShown: boolean;
}

/** The chain of replacements around a tariff. */
export interface ReplacementChain {
  /** The oldest first; empty when the tariff neither replaces nor is replaced. */
  readonly links: readonly ChainLink[];
  /** Address of the tariff before the first link, if there is one. */
  readonly earlier: string | undefined;
  /** Address of the tariff after the last link, if there is one. */
  readonly later: string | undefined;
}

/** Tariffs of a chain that are told on each side; `readTariff.graphql` reads one more, which tells of those beyond. */
const TOLD_EACH_WAY = 3;

/** The chain of replacements around a tariff, so far as one page tells it. */
export function replacementChain(tariff: Tariff): ReplacementChain {
  const [before, after] = [predecessors(tariff.replaces), successors(tariff.replacedBy)];
  const links = [
    ...before.slice(0, TOLD_EACH_WAY).toReversed(),
    linkOf(tariff, true),
    ...after.slice(0, TOLD_EACH_WAY),
  ];
  return {
    links: links.length === 1 ? [] : links,
    earlier: before[TOLD_EACH_WAY]?.address,
    later: after[TOLD_EACH_WAY]?.address,
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
