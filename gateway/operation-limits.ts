import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  MaxIntrospectionDepthRule,
  type ValidationContext,
  type ValidationRule,
  getNamedType,
  getNullableType,
  isListType,
  visit,
} from 'graphql';
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { LRUCache } from 'lru-cache';
import { RegisterError } from '../schema/register-error';

/** Limits of operations that are not trusted documents. A request's body is at most 256 KiB besides. */
export const OPERATION_LIMITS = {
  /** Lexical tokens of the query text. */
  tokens: 2_000,
  /** Pairs of fields with the same response name: validation compares each with each, whether they can be merged. */
  pairs: 5_000,
  /** Levels of selections; a full introspection has limits of its own. */
  depth: 12,
  aliases: 15,
  directives: 20,
  /** One for each field, times the entries that its list may have. */
  cost: 50_000,
} as const;

/**
 * How many texts of clients are kept with what was made of them, and how many characters these have together: all that is made of a text
 * holds on to it and weighs many times as much, and anybody may send 256 KiB.
 */
export const KEPT_TEXTS = { max: 1_000, maxSize: 300_000 } as const;

/** Entries that a page of a connection has when `first` is not given, and the most that it may have. */
const PAGE = { usual: 200, largest: 5_000 };
/** The same of a page that is asked for by `limit` and `offset`. */
const OFFSET_PAGE = { usual: 20, largest: 100 };
/** Entries that a list is taken to have that is asked for by neither `first` nor `minutes`. */
const LIST_ENTRIES = 10;
/** Minutes that can be asked for at most, and the counts of each: one for every type of event. */
const LONGEST_SPAN = 1_440;
const COUNTS_OF_MINUTE = 9;

/** Rules on top of the specified ones: depth, aliases, directives, depth of introspection. */
export function limitRules(): readonly ValidationRule[] {
  const refusal = (what: string, most: number) => ({
    n: most,
    propagateOnRejection: false,
    onReject: [
      (context: ValidationContext | null) =>
        context?.reportError(new GraphQLError(`The operation has too many ${what}: at most ${most} are allowed`)),
    ],
  });
  return [
    maxDepthRule(refusal('levels', OPERATION_LIMITS.depth)),
    maxAliasesRule(refusal('aliases', OPERATION_LIMITS.aliases)),
    maxDirectivesRule(refusal('directives', OPERATION_LIMITS.directives)),
    MaxIntrospectionDepthRule,
  ] as readonly ValidationRule[];
}

/** Refuses a document that repeats the same response names too often to be validated in good time; VAL003. */
export function refuseRepetition(document: DocumentNode): void {
  const times = new Map<string, number>();
  visit(document, {
    Field({ alias, name }) {
      const { value } = alias ?? name;
      times.set(value, (times.get(value) ?? 0) + 1);
    },
  });
  const pairs = [...times.values()].reduce((sum, count) => sum + count * count, 0);
  if (pairs > OPERATION_LIMITS.pairs) throw new RegisterError('VAL003', 'The document names the same fields too often');
}

/** An operation whose cost is asked for. */
export interface CostedOperation {
  readonly document: DocumentNode;
  readonly queryHash: string;
  readonly operationName: string | undefined;
}

const KEPT_COSTS = 2_000;

/** Refuses operations that could ask for more than the allowed number of values; VAL003. Variables must be checked before. */
export function costCheck(
  schema: GraphQLSchema,
): (operation: CostedOperation, variables: Record<string, unknown>) => void {
  const affordable = new LRUCache<string, true>({ max: KEPT_COSTS });
  return ({ document: query, queryHash, operationName }, variables) => {
    const key = [queryHash, operationName, ...costFactors(query, variables)].join(':');
    if (affordable.has(key)) return;
    const named = operationName === undefined ? {} : { operationName };
    const cost = getComplexity({ schema, query, variables, ...named, estimators: [fieldCost] });
    if (cost > OPERATION_LIMITS.cost) {
      throw new RegisterError(
        'VAL003',
        `The operation costs too much: ${cost}, at most ${OPERATION_LIMITS.cost} is allowed`,
      );
    }
    affordable.set(key, true);
  };
}

/** The declared variables on which the cost can depend: sizes of pages and conditions. A body has room for thousands of others. */
function costFactors({ definitions }: DocumentNode, variables: Readonly<Record<string, unknown>>): string[] {
  const matters = (value: unknown) => value === null || typeof value === 'number' || typeof value === 'boolean';
  const declared = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  return declared.flatMap(({ variable: { name } }) => {
    const value = Object.hasOwn(variables, name.value) ? variables[name.value] : undefined;
    return matters(value) ? [`${name.value}=${String(value)}`] : [];
  });
}

function fieldCost({ type, field, args, childComplexity }: ComplexityEstimatorArgs): number {
  if (type.name.startsWith('__') || field.name.startsWith('__')) return 0;
  return 1 + childComplexity * entries(field.type, type.name, args);
}

function entries(
  type: ComplexityEstimatorArgs['field']['type'],
  parent: string,
  { first, limit, minutes }: ComplexityEstimatorArgs['args'],
): number {
  const { name } = getNamedType(type);
  if (name.endsWith('Connection')) return numberOf(first, PAGE.largest) ?? PAGE.usual;
  if (name.endsWith('Page')) return numberOf(limit, OFFSET_PAGE.largest) ?? OFFSET_PAGE.usual;
  if (!isListType(getNullableType(type)) || /(Connection|Page)$/.test(parent)) return 1;
  const ofMinutes = numberOf(minutes, LONGEST_SPAN);
  return numberOf(first, PAGE.largest) ?? (ofMinutes === undefined ? LIST_ENTRIES : ofMinutes * COUNTS_OF_MINUTE);
}

/** The argument, where it is one: what is out of its bounds is refused later. */
function numberOf(argument: unknown, most: number): number | undefined {
  return typeof argument === 'number' ? Math.min(Math.max(argument, 1), most) : undefined;
}
