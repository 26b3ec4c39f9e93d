import { MPID_PATTERN } from '../../schema/identifiers';
import { textOf } from '../request/query';
import { type Day, dayFault, dayOfText, daysAfter, instantOf, startOf } from './local-time';
import {
  CUSTOMER_TYPES,
  ENERGY_FLOWS,
  FUEL_TYPES,
  LDZ_REGIONS,
  METER_TYPES,
  PAYMENT_METHODS,
  TARIFF_TYPES,
  type Words,
  valueOf,
  wireOf,
} from './wording';

/** The enumerations by which the list is narrowed: their name in the address, in the graph, and in words. */
const KINDS = [
  { name: 'fuel_type', variable: 'fuelType', label: 'Fuel', words: FUEL_TYPES },
  { name: 'energy_flow', variable: 'energyFlow', label: 'Flow', words: ENERGY_FLOWS },
  { name: 'tariff_type', variable: 'tariffType', label: 'Prices', words: TARIFF_TYPES },
  { name: 'meter_type', variable: 'meterType', label: 'Meter', words: METER_TYPES },
  { name: 'payment_method', variable: 'paymentMethod', label: 'Payment', words: PAYMENT_METHODS },
  { name: 'customer_type', variable: 'customerType', label: 'Customer', words: CUSTOMER_TYPES },
  { name: 'ldz_region', variable: 'ldzRegion', label: 'Region', words: LDZ_REGIONS },
] as const;

/** A field of the form of the list that offers some values. */
export interface ChoiceField {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
}

/** Which tariffs are listed. */
export interface TariffFilter {
  /** As the graph takes it (`TariffFilter`). */
  readonly variables: Readonly<Record<string, string>>;
  /** As an address of the list carries it. */
  readonly query: Readonly<Record<string, string>>;
  /** What of the address cannot be read, in words. */
  readonly faults: readonly string[];
  readonly fields: readonly ChoiceField[];
}

/** A filter as the address of the list carries it, in the names and values of the nine filters of Interface D. */
export function tariffFilterOf(query: Readonly<Record<string, unknown>>): TariffFilter {
  const given = Object.fromEntries(
    Object.keys(query).flatMap((name) => {
      const text = textOf(query[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  ) as Record<string, string>;
  const reading: Reading = { variables: {}, query: {}, faults: [] };
  readSupplier(given, reading);
  for (const kind of KINDS) readKind(given, kind, reading);
  readDays(given, reading);
  return { ...reading, fields: KINDS.map((kind) => fieldOf(kind, reading)) };
}

interface Reading {
  readonly variables: Record<string, string>;
  readonly query: Record<string, string>;
  readonly faults: string[];
}

function readSupplier({ mpid }: Record<string, string>, { variables, query, faults }: Reading): void {
  if (mpid === undefined) return;
  if (!MPID_PATTERN.test(mpid))
    return void faults.push(`“${mpid}” is no market participant id: four capital letters or digits.`);
  variables['mpid'] = mpid;
  query['mpid'] = mpid;
}

function readKind(
  given: Record<string, string>,
  { name, variable, label, words }: (typeof KINDS)[number],
  { variables, query, faults }: Reading,
): void {
  const text = given[name];
  if (text === undefined) return;
  const value = valueOf(words as Words<string>, text);
  if (value === undefined) return void faults.push(`${label}: there is no ${name} “${text}”.`);
  variables[variable] = value;
  query[name] = wireOf(value, words);
}

/** Validity overlaps the window: of days, both included. */
function readDays(given: Record<string, string>, { variables, query, faults }: Reading): void {
  const [from, to] = [readDay(given, 'valid_from', faults), readDay(given, 'valid_to', faults)];
  if (from !== undefined && to !== undefined && to < from)
    return void faults.push('The window of validity ends before it begins.');
  if (from !== undefined) {
    variables['validFrom'] = instantOf(startOf(from));
    query['valid_from'] = from;
  }
  if (to !== undefined) {
    variables['validTo'] = instantOf(startOf(daysAfter(to, 1)));
    query['valid_to'] = to;
  }
}

function readDay(given: Record<string, string>, name: string, faults: string[]): Day | undefined {
  const text = given[name];
  const day = dayOfText(text);
  if (text !== undefined && day === undefined) faults.push(dayFault(text));
  return day;
}

function fieldOf({ name, label, words }: (typeof KINDS)[number], { query }: Reading): ChoiceField {
  const choices = Object.entries(words as Words<string>).map(([value, word]) => ({
    value: wireOf(value, words),
    label: words === LDZ_REGIONS ? `${word} (${value})` : word,
    isChosen: query[name] === wireOf(value, words),
  }));
  return { name, label, choices };
}
