import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  parseType,
  visit,
} from 'graphql';
import { RegisterError } from '../../schema/register-error';
import { type Fragments, fragmentsOf, rootFieldsOf, selectionSetOf } from '../../subgraphs/server/graph/root-fields';
import { EVENT_STREAMS, type EventStreamKind } from './event-stream-kinds';

/** Query for one event of a subscription, with the same selection. As a query it may cross subgraphs. */
export interface EventQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Kind of the followed log. */
  readonly kind: EventStreamKind;
  /** The subscription's root field, with its arguments. */
  readonly streamed: FieldNode;
  /** Response key of the event. */
  readonly responseKey: string;
  /** Variable for the event's id. */
  readonly idVariable: string;
  /** Variables of the client on which the result depends. */
  readonly variables: readonly string[];
}

/** Type of the argument `id` of every field that returns one event. */
const ID_TYPE = 'EventId!';

/**
 * Rewrites a valid subscription as a query: the root field becomes the field for one event under the same response key,
 * fragments on Subscription are inlined, and unused variables and fragments are dropped.
 */
export function eventQueryOf(document: DocumentNode, subscription: OperationDefinitionNode): EventQuery {
  const fragments = fragmentsOf(document);
  const roots = rootFieldsOf(subscription.selectionSet, fragments);
  const [streamed] = roots; // validation ensures that all share one response key
  const kind = streamed && EVENT_STREAMS.get(streamed.name.value);
  if (!streamed || !kind) throw new RegisterError('VAL003', 'This subscription does not exist.');
  const selectionSet: SelectionSetNode = {
    kind: Kind.SELECTION_SET,
    selections: roots.flatMap((root) => root.selectionSet?.selections ?? []),
  };
  const reachable = reachableFragments(selectionSet, fragments);
  const used = variablesIn([selectionSet, ...reachable]);
  const usedDefinitions = (subscription.variableDefinitions ?? []).filter((definition) =>
    used.has(definition.variable.name.value),
  );
  const idVariable = unusedName(subscription);
  const responseKey = (streamed.alias ?? streamed.name).value;
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    ...(subscription.name ? { name: subscription.name } : {}),
    variableDefinitions: [
      ...usedDefinitions,
      { kind: Kind.VARIABLE_DEFINITION, variable: variable(idVariable), type: parseType(ID_TYPE) },
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [eventField(kind, responseKey, idVariable, selectionSet)] },
  };
  return {
    document: { kind: Kind.DOCUMENT, definitions: [operation, ...reachable] },
    operation,
    kind,
    streamed,
    responseKey,
    idVariable,
    variables: usedDefinitions.map((definition) => definition.variable.name.value),
  };
}

/**
 * Throws VAL003 if a directive makes the event of a subscription conditional. Called before the document is validated:
 * for a condition with a variable, graphql-js's rule of single fields throws instead of reporting an error.
 */
export function rejectConditionalEvents(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  const entered = new Set<SelectionSetNode>();
  const reject = (set: SelectionSetNode): void => {
    if (entered.has(set)) return; // fragments of a document that is not validated may form a cycle
    entered.add(set);
    for (const selection of set.selections) {
      if (selection.directives?.length)
        throw new RegisterError('VAL003', 'The event of a subscription must not depend on a directive.');
      if (selection.kind !== Kind.FIELD) reject(selectionSetOf(selection, fragments));
    }
  };
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION)
      reject(definition.selectionSet);
}

function reachableFragments(from: SelectionSetNode, fragments: Fragments): FragmentDefinitionNode[] {
  const found = new Map<string, FragmentDefinitionNode>();
  const collect = (node: ASTNode) =>
    visit(node, {
      FragmentSpread({ name: { value } }) {
        const fragment = fragments.get(value);
        if (!fragment || found.has(value)) return;
        found.set(value, fragment);
        collect(fragment);
      },
    });
  collect(from);
  return [...found.values()];
}

function variablesIn(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodes) visit(node, { Variable: ({ name }) => void names.add(name.value) });
  return names;
}

function unusedName({ variableDefinitions = [] }: OperationDefinitionNode): string {
  const taken = new Set(variableDefinitions.map((definition) => definition.variable.name.value));
  let name = 'eventId';
  while (taken.has(name)) name = `_${name}`;
  return name;
}

function eventField(
  kind: EventStreamKind,
  responseKey: string,
  idVariable: string,
  selectionSet: SelectionSetNode,
): FieldNode {
  return {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: responseKey },
    name: { kind: Kind.NAME, value: kind.eventField },
    arguments: [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'id' }, value: variable(idVariable) }],
    selectionSet,
  };
}

function variable(name: string) {
  return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } } as const;
}
