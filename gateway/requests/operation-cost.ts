import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql';
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { LRUCache } from 'lru-cache';
import { parseDateTime } from '../../schema/date-time';
import { RegisterError } from '../../schema/register-error';
import { costliestField, recordedCosts } from './costliest-field';
import { withoutValues } from './error-format';
import { OPERATION_LIMITS } from './operation-limits';
import { LIST_LENGTHS, READ_COSTS } from './field-costs';

/** Page size of a connection without `first`, and its maximum. */
const PAGE = { defaultSize: 200, maxSize: 5_000 };
/** Page size of a list without `limit`, and its maximum. */
const OFFSET_PAGE = { defaultSize: 20, maxSize: 100 };
/** Assumed length of a list that has neither `first` nor `minutes`. */
export const ASSUMED_LIST_LENGTH = 10;
/** Prices of a tariff per hour, and prices that cost as much as one value of other fields. */
const PRICES_PER_HOUR = 2;
const PRICES_PER_UNIT = 8;
const HOUR_MS = 60 * 60 * 1_000;
/** Maximum of `minutes`, and the counts per minute: one for each event type. */
const MAX_MINUTES = 1_440;
const COUNTS_PER_MINUTE = 9;

/** An operation to be checked for its cost. */
interface CostedOperation {
  readonly document: DocumentNode;
  readonly queryHash: string;
  readonly operationName: string | undefined;
}

const COST_CACHE_SIZE = 2_000;

/**
 * Returns a check that throws VAL003 if an operation could return more values than allowed. The variables must be
 * valid.
 */
export function costCheck(
  schema: GraphQLSchema,
): (operation: CostedOperation, variables: Record<string, unknown>) => void {
  const accepted = new LRUCache<string, true>({ max: COST_CACHE_SIZE });
  return ({ document: query, queryHash, operationName }, variables) => {
    const key = JSON.stringify([queryHash, operationName, ...costFactors(query, variables)]);
    if (accepted.has(key)) return;
    const named = operationName === undefined ? {} : { operationName };
    const { costs, estimators } = recordedCosts(fieldCost);
    const cost = rejectingNull(() => getComplexity({ schema, query, variables, ...named, estimators }));
    if (cost > OPERATION_LIMITS.cost) {
      const excess = `The operation costs too much: ${cost}, at most ${OPERATION_LIMITS.cost} is allowed`;
      const costliest = costliestField(query, operationName, costs);
      throw new RegisterError('VAL003', `${excess}. The field that costs most is ${costliest}`);
    }
    accepted.set(key, true);
  };
}

/**
 * Returns the result. VAL003 for a null variable of an argument that must not be null: valid documents admit a variable
 * with a default there, and graphql-js detects its null only when it reads the argument.
 */
function rejectingNull(cost: () => number): number {
  try {
    return cost();
  } catch (error) {
    throw error instanceof GraphQLError ? new RegisterError('VAL003', withoutValues(error.message)) : error;
  }
}

/**
 * Returns the variables that can change the cost, by name: page sizes, conditions and instants. Undeclared variables are
 * ignored, because a body may contain thousands.
 */
function costFactors({ definitions }: DocumentNode, variables: Readonly<Record<string, unknown>>): unknown[] {
  const declared = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  return declared.flatMap(({ variable: { name } }) => {
    const factor = costFactor(Object.hasOwn(variables, name.value) ? variables[name.value] : undefined);
    return factor === undefined ? [] : [[name.value, factor]];
  });
}

/** Returns the part of a variable that can change the cost, of an instant the time in milliseconds; undefined without one. */
function costFactor(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return instantMs(value);
}

/** Returns the milliseconds since 1970 of an instant: the text of a variable, or an argument, which the scalar has parsed. */
function instantMs(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' ? parseDateTime(value)?.getTime() : undefined;
}

function fieldCost({ type, field, args: given, childComplexity }: ComplexityEstimatorArgs): number {
  if (type.name.startsWith('__') || field.name.startsWith('__')) return 0;
  const name = `${type.name}.${field.name}`;
  // A subgraph replaces null by the default.
  const args = Object.fromEntries(field.args.map((each) => [each.name, given[each.name] ?? each.defaultValue]));
  const length = LIST_LENGTHS[name] ?? priceUnits(name, args) ?? entries(field.type, type.name, args);
  return (READ_COSTS[name] ?? 1) + childComplexity * length;
}

/** Returns the units that the prices of a period cost; undefined for other fields. */
function priceUnits(field: string, { from, to }: ComplexityEstimatorArgs['args']): number | undefined {
  if (field !== 'Tariff.prices' && field !== 'Tariff.priceIntervals') return undefined;
  const hours = ((instantMs(to) ?? NaN) - (instantMs(from) ?? NaN)) / HOUR_MS;
  return hours > 0 ? Math.ceil((hours * PRICES_PER_HOUR) / PRICES_PER_UNIT) : 1;
}

function entries(
  type: ComplexityEstimatorArgs['field']['type'],
  parent: string,
  { first, limit, minutes }: ComplexityEstimatorArgs['args'],
): number {
  const { name } = getNamedType(type);
  if (name.endsWith('Connection')) return clampedNumber(first, PAGE.maxSize) ?? PAGE.defaultSize;
  if (name.endsWith('Page')) return clampedNumber(limit, OFFSET_PAGE.maxSize) ?? OFFSET_PAGE.defaultSize;
  if (!isListType(getNullableType(type)) || /(Connection|Page)$/.test(parent)) return 1;
  const ofMinutes = clampedNumber(minutes, MAX_MINUTES);
  return (
    clampedNumber(first, PAGE.maxSize) ??
    (ofMinutes === undefined ? ASSUMED_LIST_LENGTH : ofMinutes * COUNTS_PER_MINUTE)
  );
}

/** Clamps an integer argument to its bounds; later checks reject values out of bounds. */
function clampedNumber(argument: unknown, max: number): number | undefined {
  return typeof argument === 'number' ? Math.min(Math.max(argument, 1), max) : undefined;
}
