import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  MaxIntrospectionDepthRule,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { RegisterError } from '../../schema/register-error';
import { fragmentsOf, selectionSetOf } from '../../subgraphs/server/graph/root-fields';

/** Limits of operations that are not trusted documents. Bodies have limits of their own. */
export const OPERATION_LIMITS = {
  /** Lexical tokens of the query text. */
  tokens: 2_000,
  /** Characters of a name. The search for similar names takes longer the longer the unknown one is. */
  nameLength: 200,
  /** Pairs of fields with the same response name. Validation compares every pair for mergeability. */
  pairs: 5_000,
  /** Selections of an operation, those of a fragment counted wherever it is spread. The planner expands fragments. */
  selections: 10_000,
  /** Nesting levels of selections; introspection has its own limit. */
  depth: 12,
  aliases: 15,
  directives: 20,
  /** Variables that a document declares. */
  variables: 100,
  /** One per field, multiplied by the possible length of each list. */
  cost: 50_000,
} as const;

/** Limits of subscriptions, in characters. A gateway keeps these texts as long as the subscription runs. */
export const SUBSCRIPTION_LIMITS = {
  /** Of the text, with its comments. */
  text: 16 * 1024,
  /** Of the variables, as JSON. */
  variables: 16 * 1024,
} as const;

/**
 * Limits of caches keyed by client texts: entries, and characters of all texts. A parsed document references its text
 * and takes a multiple of its memory, and unauthenticated clients may send 256 KiB.
 */
export const TEXT_CACHE_LIMITS = { max: 1_000, maxSize: 300_000 } as const;

const ruleLimit = (what: string, max: number) => ({
  n: max,
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null) => context?.reportError(new GraphQLError(excess(what, max)))],
});

const LIMIT_RULES = [
  maxDepthRule(ruleLimit('levels', OPERATION_LIMITS.depth)),
  maxAliasesRule(ruleLimit('aliases', OPERATION_LIMITS.aliases)),
  maxDirectivesRule(ruleLimit('directives', OPERATION_LIMITS.directives)),
  MaxIntrospectionDepthRule,
] as readonly ValidationRule[];

/**
 * Throws VAL003 with all limits that a document exceeds. Called before the document is validated, because the specified
 * rules take several times as long as the limits and report one error for each of a thousand names.
 */
export function rejectExcess(schema: GraphQLSchema, document: DocumentNode): void {
  rejectExpansion(document);
  const exceeded = [
    ...uncountedExcess(document),
    ...validate(schema, document, LIMIT_RULES).map(({ message }) => message),
  ];
  if (exceeded.length > 0) throw new RegisterError('VAL003', [...new Set(exceeded)].join('. '));
}

/**
 * Throws VAL003 if a definition has too many selections with its fragments expanded, or a fragment is spread within itself. Called before
 * validation, because its rule of introspection expands fragments, too.
 */
function rejectExpansion(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  const counts = new Map<SelectionSetNode, number>();
  const countOf = (set: SelectionSetNode | undefined): number => {
    if (!set) return 0;
    const counted = counts.get(set);
    if (counted !== undefined) return counted;
    counts.set(set, Infinity); // the count of a set within itself
    const count = set.selections.reduce(
      (sum, each) => sum + 1 + countOf(each.kind === Kind.FIELD ? each.selectionSet : selectionSetOf(each, fragments)),
      0,
    );
    counts.set(set, count);
    return count;
  };
  const most = Math.max(
    ...document.definitions.map((each) => ('selectionSet' in each ? countOf(each.selectionSet) : 0)),
  );
  if (most === Infinity) throw new RegisterError('VAL003', 'A fragment is spread within itself');
  if (most > OPERATION_LIMITS.selections)
    throw new RegisterError('VAL003', excess('selections', OPERATION_LIMITS.selections));
}

/** Returns error texts for excess that no validation rule counts: repeated fields, aliased type names, variables, long names. */
function uncountedExcess(document: DocumentNode): string[] {
  const times = new Map<string, number>();
  let [variables, typenames, longest] = [0, 0, 0];
  visit(document, {
    Name({ value }) {
      longest = Math.max(longest, value.length);
    },
    Field({ alias, name }) {
      const { value } = alias ?? name;
      if (alias && name.value === '__typename') typenames++;
      times.set(value, (times.get(value) ?? 0) + 1);
    },
    VariableDefinition() {
      variables++;
    },
  });
  const pairs = [...times.values()].reduce((sum, count) => sum + count * count, 0);
  return [
    ...(pairs > OPERATION_LIMITS.pairs
      ? [excess('pairs of fields with the same response name', OPERATION_LIMITS.pairs)]
      : []),
    // The limit of aliases does not count `__typename`.
    ...(typenames > OPERATION_LIMITS.aliases ? [excess('aliases', OPERATION_LIMITS.aliases)] : []),
    ...(variables > OPERATION_LIMITS.variables ? [excess('variables', OPERATION_LIMITS.variables)] : []),
    ...(longest > OPERATION_LIMITS.nameLength ? [excess('characters in a name', OPERATION_LIMITS.nameLength)] : []),
  ];
}

/** Returns the message about a limit that an operation exceeds. */
export const excess = (what: string, max: number): string =>
  `The operation has too many ${what}: at most ${max} are allowed`;
