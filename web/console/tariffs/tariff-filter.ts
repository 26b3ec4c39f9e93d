import { MPID_PATTERN } from '../../../schema/identifiers';
import { textOf } from '../request/query';
import { type Day, dayError, dayOfText, daysAfter, instantOf, startOf } from './local-time';
import {
  CUSTOMER_TYPES,
  ENERGY_FLOWS,
  FUEL_TYPES,
  LDZ_REGIONS,
  METER_TYPES,
  PAYMENT_METHODS,
  TARIFF_TYPES,
  type Labels,
  valueOf,
  wireOf,
} from './labels';

/** The enumerations by which the list is filtered: name in the address, variable in GraphQL, and labels. */
const KINDS = [
  { name: 'fuel_type', variable: 'fuelType', label: 'Fuel', labels: FUEL_TYPES },
  { name: 'energy_flow', variable: 'energyFlow', label: 'Flow', labels: ENERGY_FLOWS },
  { name: 'tariff_type', variable: 'tariffType', label: 'Prices', labels: TARIFF_TYPES },
  { name: 'meter_type', variable: 'meterType', label: 'Meter', labels: METER_TYPES },
  { name: 'payment_method', variable: 'paymentMethod', label: 'Payment', labels: PAYMENT_METHODS },
  { name: 'customer_type', variable: 'customerType', label: 'Customer', labels: CUSTOMER_TYPES },
  { name: 'ldz_region', variable: 'ldzRegion', label: 'Region', labels: LDZ_REGIONS },
] as const;

/** A field of the filter form with its values. */
interface ChoiceField {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
}

/** Selects the tariffs of the list. */
export interface TariffFilter {
  /** As input `TariffFilter` of GraphQL. */
  readonly variables: Readonly<Record<string, string>>;
  /** As query string of the list. Contains invalid days, too, so that the form shows them again. */
  readonly query: Readonly<Record<string, string>>;
  /** Errors of the query string, as texts. */
  readonly errors: readonly string[];
  /** Names of the fields with errors. */
  readonly invalid: readonly string[];
  readonly fields: readonly ChoiceField[];
}

/** Reads the filter from a query string, in the names and values of the nine filters of Interface D. */
export function tariffFilterOf(query: Readonly<Record<string, unknown>>): TariffFilter {
  const parameters = Object.fromEntries(
    Object.keys(query).flatMap((name) => {
      const text = textOf(query[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  ) as Record<string, string>;
  const result: FilterResult = { variables: {}, query: {}, errors: [], invalid: [] };
  readSupplier(parameters, result);
  for (const kind of KINDS) readKind(parameters, kind, result);
  readDays(parameters, result);
  return { ...result, fields: KINDS.map((kind) => fieldOf(kind, result)) };
}

interface FilterResult {
  readonly variables: Record<string, string>;
  readonly query: Record<string, string>;
  readonly errors: string[];
  readonly invalid: string[];
}

function addError({ errors, invalid }: FilterResult, text: string, ...names: readonly string[]): void {
  errors.push(text);
  invalid.push(...names);
}

function readSupplier({ mpid }: Record<string, string>, result: FilterResult): void {
  if (mpid === undefined) return;
  if (!MPID_PATTERN.test(mpid)) {
    const text = `“${mpid}” is no market participant id. An id has four capital letters or digits.`;
    return addError(result, text, 'mpid');
  }
  result.variables['mpid'] = mpid;
  result.query['mpid'] = mpid;
}

function readKind(
  parameters: Record<string, string>,
  { name, variable, label, labels }: (typeof KINDS)[number],
  result: FilterResult,
): void {
  const text = parameters[name];
  if (text === undefined) return;
  const value = valueOf(labels as Labels<string>, text);
  if (value === undefined) return addError(result, `${label}: there is no ${name} “${text}”.`, name);
  result.variables[variable] = value;
  result.query[name] = wireOf(value, labels);
}

/** Reads the window of validity; both days are included. */
function readDays(parameters: Record<string, string>, result: FilterResult): void {
  const [from, to] = [readDay(parameters, 'valid_from', result), readDay(parameters, 'valid_to', result)];
  if (from !== undefined && to !== undefined && to < from)
    return addError(result, 'The window of validity ends before it starts.', 'valid_from', 'valid_to');
  if (from !== undefined) result.variables['validFrom'] = instantOf(startOf(from));
  if (to !== undefined) result.variables['validTo'] = instantOf(startOf(daysAfter(to, 1)));
}

function readDay(parameters: Record<string, string>, name: string, result: FilterResult): Day | undefined {
  const text = parameters[name];
  if (text === undefined) return undefined;
  const day = dayOfText(text);
  result.query[name] = day ?? text;
  if (day === undefined) addError(result, dayError(text), name);
  return day;
}

function fieldOf({ name, label, labels }: (typeof KINDS)[number], { query }: FilterResult): ChoiceField {
  const choices = Object.entries(labels as Labels<string>).map(([value, word]) => ({
    value: wireOf(value, labels),
    label: labels === LDZ_REGIONS ? `${word} (${value})` : word,
    isChosen: query[name] === wireOf(value, labels),
  }));
  return { name, label, choices };
}
