import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type OperationDefinitionNode,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  parse,
  print,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { RegisterError, throwViolations } from '../../schema/register-error';
import { fragmentsOf } from '../../subgraphs/server/graph/root-fields';
import { selectionViolations } from '../../subgraphs/server/lists/connection';
import type { AdHocRequest } from '../requests/graph-request';
import { type OperationAudience, audienceOf } from '../callers/audiences';
import { type Preparation, prepareOperation } from '../requests/prepared-operation';
import { costCheck } from '../requests/operation-cost';
import { TEXT_CACHE_LIMITS, OPERATION_LIMITS, SUBSCRIPTION_LIMITS, rejectExcess } from '../requests/operation-limits';
import type { CompiledPlan } from '../plans/plan-executor';
import { type VariableCheck, variableCheck } from '../requests/variables';
import { InvalidDocument } from '../requests/error-format';
import { type EventQuery, eventQueryOf, rejectConditionalEvents } from './event-query';
import type { EventStreamKind, StreamArguments } from './event-stream-kinds';

/** The query for one event, as long as the subscription runs: without the client's document, which takes more memory. */
export interface EventExecution extends Pick<EventQuery, 'responseKey' | 'idVariable' | 'variables'> {
  readonly execute: CompiledPlan;
  /** Hash of the query. */
  readonly hash: string;
}

/** A subscription with everything that is computed before it starts. */
export interface StreamedOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly audience: OperationAudience;
  readonly kind: EventStreamKind;
  readonly event: EventExecution;
  /** Checks variables and cost, and returns the arguments; throws the violations. */
  argumentsOf(variables: Readonly<Record<string, unknown>>): StreamArguments;
}

/** An operation received over a streaming connection: a subscription, or one with a single result. */
type ParsedOperation =
  | { readonly kind: 'subscription'; readonly streamed: StreamedOperation }
  | { readonly kind: 'single'; readonly document: DocumentNode };

/** Parses operations under the limits of ad-hoc operations; caches the latest. */
export function operationParser(
  preparation: Preparation,
  production: boolean,
): (request: AdHocRequest) => ParsedOperation {
  const cache = new LRUCache<string, ParsedOperation>(TEXT_CACHE_LIMITS);
  const prepare = streamedPreparation(preparation, production);
  return (request) => {
    const key = hashOf(`${request.operationName ?? ''}\n${request.query}`);
    const cached = cache.get(key);
    if (cached) return cached;
    const document = parseDocument(request.query);
    const operation = getOperationAST(document, request.operationName);
    if (!operation)
      throw new RegisterError(
        'VAL003',
        'The document has no operation of this name, or has several and the request names none.',
      );
    const isSubscription = operation.operation === 'subscription';
    if (isSubscription && request.query.length > SUBSCRIPTION_LIMITS.text)
      throw new RegisterError(
        'VAL003',
        `The text of a subscription has at most ${SUBSCRIPTION_LIMITS.text} characters`,
      );
    const parsed: ParsedOperation = isSubscription
      ? { kind: 'subscription', streamed: prepare(document, operation, key) }
      : { kind: 'single', document };
    cache.set(key, parsed, { size: request.query.length });
    return parsed;
  };
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: OPERATION_LIMITS.tokens });
  } catch (error) {
    throw withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
  }
}

/** Prepares a subscription: validation and limits of ad-hoc operations, then the query for one event. */
function streamedPreparation(preparation: Preparation, production: boolean) {
  const { apiSchema } = preparation.supergraph;
  const checkCost = costCheck(apiSchema);
  return (document: DocumentNode, operation: OperationDefinitionNode, key: string): StreamedOperation => {
    rejectExcess(apiSchema, document);
    rejectConditionalEvents(document);
    const invalid = validate(apiSchema, document);
    if (invalid.length > 0)
      throw new InvalidDocument(invalid.map((each) => withCode(each, 'GRAPHQL_VALIDATION_FAILED', production)));
    const query = eventQueryOf(document, operation);
    const operationName = operation.name?.value;
    const check = variableCheck(operation, apiSchema);
    return {
      document,
      operationName,
      audience: audienceOf(operation, fragmentsOf(document), preparation.audiences, []),
      kind: query.kind,
      event: eventExecution(query, operationName, preparation),
      argumentsOf: argumentsReader(preparation, operation, query, check, (variables) =>
        checkCost({ document, queryHash: key, operationName }, variables),
      ),
    };
  };
}

function eventExecution(
  { document: rewritten, responseKey, idVariable, variables }: EventQuery,
  operationName: string | undefined,
  preparation: Preparation,
): EventExecution {
  const source = print(rewritten);
  const hash = hashOf(source);
  const document = parse(source, { noLocation: true });
  const operation = getOperationAST(document) as OperationDefinitionNode;
  const prepared = { document, operation, source, operationName, queryHash: `event:${hash}` };
  const { execute } = prepareOperation(prepared, preparation, false);
  return { responseKey, idVariable, variables, execute, hash };
}

function argumentsReader(
  { supergraph: { apiSchema } }: Preparation,
  operation: OperationDefinitionNode,
  { kind, streamed }: EventQuery,
  check: VariableCheck,
  checkCost: (variables: Record<string, unknown>) => void,
): StreamedOperation['argumentsOf'] {
  const field = apiSchema.getSubscriptionType()?.getFields()[streamed.name.value];
  if (!field) throw new RegisterError('VAL003', 'This subscription does not exist.');
  return (variables) => {
    check(variables);
    rejectLongVariables(variables);
    checkCost({ ...variables });
    const { coerced } = getVariableValues(apiSchema, operation.variableDefinitions ?? [], variables);
    const requested = kind.argumentsOf(getArgumentValues(field, streamed, coerced ?? {}));
    throwViolations(selectionViolations(requested.types, kind.typesPath));
    return requested;
  };
}

function rejectLongVariables(variables: Readonly<Record<string, unknown>>): void {
  const max = SUBSCRIPTION_LIMITS.variables;
  if (jsonLength(variables) > max)
    throw new RegisterError('VAL003', `The variables of a subscription have at most ${max} characters of JSON`);
}

/** Returns the length of a value as JSON; infinite for one with too many levels to be written. */
function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Infinity;
  }
}

const SUGGESTION = / ?Did you mean(.+?)\?$/;

/** Adds a code to a graphql-js error. In production removes suggestions, which reveal names of the schema. */
function withCode(error: GraphQLError, code: string, production = false): GraphQLError {
  const { message, nodes, source, positions, originalError } = error;
  const text = production ? message.replace(SUGGESTION, '') : message;
  return new GraphQLError(text, { nodes, source, positions, originalError, extensions: { code } });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
