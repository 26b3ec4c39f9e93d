import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type OperationDefinitionNode,
  type ValidationRule,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  parse,
  print,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { RegisterError } from '../../schema/register-error';
import type { AdHocRequest } from '../ad-hoc-operations';
import { type OperationAudience, audienceOf } from '../audiences';
import { type Preparation, prepareOperation } from '../graph-operation';
import { KEPT_TEXTS, OPERATION_LIMITS, costCheck, limitRules, refuseRepetition } from '../operation-limits';
import type { CompiledPlan } from '../plan-executor';
import { fragmentsOf } from '../projection';
import { type VariableCheck, variableCheck } from '../variables';
import { type EventQuery, eventQueryOf } from './event-query';
import type { StreamArguments } from './event-streams';

/** A subscription with everything that can be known before anybody begins it. */
export interface StreamedOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly audience: OperationAudience;
  readonly query: EventQuery;
  /** Runs the query that answers for one event. */
  readonly execute: CompiledPlan;
  /** Names the text of that query. */
  readonly hash: string;
  /** Checks variables and cost; throws what refuses them. */
  argumentsOf(variables: Readonly<Record<string, unknown>>): StreamArguments;
}

/** An operation as it came over a connection that can stream: a subscription, or one that is answered once. */
export type ReadOperation =
  | { readonly kind: 'subscription'; readonly streamed: StreamedOperation }
  | { readonly kind: 'single'; readonly document: DocumentNode };

/** Reads operations under the limits of all texts that are a client's own; what was read last is kept. */
export function operationReader(
  preparation: Preparation,
  production: boolean,
): (request: AdHocRequest) => ReadOperation {
  const kept = new LRUCache<string, ReadOperation>(KEPT_TEXTS);
  const prepare = streamedPreparation(preparation, production);
  return (request) => {
    const key = hashOf(`${request.operationName ?? ''}\n${request.query}`);
    const known = kept.get(key);
    if (known) return known;
    const document = parsed(request.query);
    const operation = getOperationAST(document, request.operationName);
    if (!operation) throw new RegisterError('VAL003', 'The document has no operation of this name, or several');
    const read: ReadOperation =
      operation.operation === 'subscription'
        ? { kind: 'subscription', streamed: prepare(document, operation, key) }
        : { kind: 'single', document };
    kept.set(key, read, { size: request.query.length });
    return read;
  };
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: OPERATION_LIMITS.tokens });
  } catch (error) {
    throw coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
  }
}

/** Prepares a subscription: validation and limits as for every other operation, then the query that answers it. */
function streamedPreparation(preparation: Preparation, production: boolean) {
  const { apiSchema } = preparation.supergraph;
  const rules: readonly ValidationRule[] = [...specifiedRules, ...limitRules()];
  const checkCost = costCheck(apiSchema);
  return (document: DocumentNode, operation: OperationDefinitionNode, key: string): StreamedOperation => {
    refuseRepetition(document);
    const [fault] = validate(apiSchema, document, rules);
    if (fault) throw coded(fault, 'GRAPHQL_VALIDATION_FAILED', production);
    const query = eventQueryOf(document, operation);
    const source = print(query.document);
    const hash = hashOf(source);
    const operationName = operation.name?.value;
    const check = variableCheck(operation, apiSchema);
    const event = { ...query, source, operationName, queryHash: `event:${hash}` };
    return {
      document,
      operationName,
      audience: audienceOf(operation, fragmentsOf(document), preparation.audiences, []),
      query,
      execute: prepareOperation(event, preparation, false).execute,
      hash,
      argumentsOf: argumentsReader(preparation, operation, query, check, (variables) =>
        checkCost({ document, queryHash: key, operationName }, variables),
      ),
    };
  };
}

function argumentsReader(
  { supergraph: { apiSchema } }: Preparation,
  operation: OperationDefinitionNode,
  { kind, streamed }: EventQuery,
  check: VariableCheck,
  checkCost: (variables: Record<string, unknown>) => void,
): StreamedOperation['argumentsOf'] {
  const field = apiSchema.getSubscriptionType()?.getFields()[streamed.name.value];
  if (!field) throw new RegisterError('VAL003', 'There is no such subscription');
  return (variables) => {
    check(variables);
    checkCost({ ...variables });
    const { coerced } = getVariableValues(apiSchema, operation.variableDefinitions ?? [], variables);
    return kind.argumentsOf(getArgumentValues(field, streamed, coerced ?? {}));
  };
}

const SUGGESTION = / ?Did you mean(.+?)\?$/;

/** The error of a parser or validator with the code that says so; in production without hints at the schema. */
function coded({ message, nodes, source, positions }: GraphQLError, code: string, production = false): GraphQLError {
  const told = production ? message.replace(SUGGESTION, '') : message;
  return new GraphQLError(told, { nodes, source, positions, extensions: { code } });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
