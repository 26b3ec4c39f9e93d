import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type GraphQLRequestContext,
  HeaderMap,
  type HTTPGraphQLResponse,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { RegisterError } from '../schema/register-error';
import { admit } from './audiences';
import type { Identified } from './authentication';
import { type Preparation, type PreparedOperation, prepareOperation } from './graph-operation';
import { KEPT_TEXTS, OPERATION_LIMITS, costCheck, limitRules, refuseRepetition } from './operation-limits';
import { headOf, type PresentedError, presented } from './presentation';
import type { FailureReport } from './request-log';

/** A GraphQL request whose text is the client's own. */
export interface AdHocRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Record<string, unknown> | null;
}

/** What became of it, for the log. */
export interface AdHocAnswer {
  readonly response: HTTPGraphQLResponse;
  readonly operationName: string | undefined;
  /** `ok`, or the code of the first error. */
  readonly outcome: string;
}

/** Runs operations that are not trusted documents: Apollo Server, the limits, and the general way through the supergraph. */
export interface AdHocOperations {
  run(request: AdHocRequest, identified: Identified, headers: Readonly<Record<string, unknown>>): Promise<AdHocAnswer>;
  close(): Promise<void>;
}

/** One request on its way through Apollo Server. */
interface AdHocContext {
  readonly identified: Identified;
  /** Apollo Server copies the context; what is learnt on the way lies in here. */
  readonly learnt: {
    prepared?: PreparedOperation;
    operationName?: string | undefined;
    outcome: string;
    /** Why the document is not even validated. */
    refusal?: unknown;
  };
}

const STREAMED =
  'A subscription is served over WebSocket (graphql-transport-ws), or by Server-Sent Events with Accept: text/event-stream';
/** The media type of GraphQL. Answered so if asked for by name; otherwise as JSON, and never refused after the operation was executed. */
export const RESPONSE_TYPE = 'application/graphql-response+json';

/** Starts Apollo Server over the supergraph. */
export async function adHocOperations(
  preparation: Preparation,
  production: boolean,
  report: FailureReport,
): Promise<AdHocOperations> {
  const server = apolloServer(preparation, production, report);
  await server.start();
  return {
    async run(body, identified, sent) {
      const learnt: AdHocContext['learnt'] = { outcome: 'ok' };
      const headers = new HeaderMap([
        ['content-type', 'application/json'],
        ['accept', String(sent['accept']).includes(RESPONSE_TYPE) ? RESPONSE_TYPE : 'application/json'],
      ]);
      const response = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method: 'POST', headers, search: '', body },
        context: async () => ({ identified, learnt }),
      });
      if (learnt.refusal !== undefined) throw learnt.refusal;
      return { response, operationName: learnt.operationName, outcome: learnt.outcome };
    },
    close: () => server.stop(),
  };
}

function apolloServer(
  preparation: Preparation,
  production: boolean,
  report: FailureReport,
): ApolloServer<AdHocContext> {
  return new ApolloServer<AdHocContext>({
    gateway: gatewayOf(preparation),
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    documentStore: keptDocuments(),
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: OPERATION_LIMITS.tokens },
    validationRules: [...limitRules()],
    formatError: (_, error) => presented(error),
    logger: silent,
    plugins: [
      requestSteps(preparation, report),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
  });
}

/** Apollo Server's own messages could quote operations. */
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Documents that were valid; Apollo Server's own store takes the text, to which all parts of a document hold on, for nothing. */
function keptDocuments(): NonNullable<ApolloServerOptionsWithGateway<AdHocContext>['documentStore']> {
  const kept = new LRUCache<string, DocumentNode>(KEPT_TEXTS);
  return {
    get: async (key) => kept.get(key),
    set: async (key, document) => void kept.set(key, document, { size: document.loc?.source.body.length ?? 1 }),
    delete: async (key) => kept.delete(key),
  };
}

/** Operations as they are run. */
function keptOperations(
  preparation: Preparation,
): (request: GraphQLRequestContext<AdHocContext>) => PreparedOperation | undefined {
  const kept = new LRUCache<string, PreparedOperation>(KEPT_TEXTS);
  return ({ document, operation, queryHash, source }) => {
    if (!document || !operation || queryHash === undefined || source === undefined) return undefined;
    const operationName = operation.name?.value;
    const key = `${queryHash}:${operationName ?? ''}`;
    const known = kept.get(key);
    if (known) return known;
    const made = prepareOperation({ document, operation, source, operationName, queryHash }, preparation, false);
    kept.set(key, made, { size: source.length });
    return made;
  };
}

/** What happens to an operation that is syntactically right and valid, in this order: who, how, how much; then the answer's head. */
function requestSteps(preparation: Preparation, report: FailureReport): ApolloServerPlugin<AdHocContext> {
  const preparedFor = keptOperations(preparation);
  const checkCost = costCheck(preparation.supergraph.apiSchema);
  return {
    requestDidStart: async () => ({
      async validationDidStart({ document, contextValue: { learnt } }) {
        try {
          refuseRepetition(document);
        } catch (error) {
          // Apollo Server would take it for a failure of its own: it is thrown again where the answer is waited for.
          learnt.refusal = error;
          throw error;
        }
      },
      async didResolveOperation(request) {
        const { identified, learnt } = request.contextValue;
        if (request.operation?.operation === 'subscription') throw new RegisterError('VAL003', STREAMED);
        const prepared = preparedFor(request);
        const { document, operation, queryHash } = request;
        if (!prepared || !document || queryHash === undefined) return;
        learnt.operationName = operation?.name?.value;
        admit(prepared.audience, identified);
        const variables = request.request.variables ?? {};
        prepared.checkVariables(variables);
        checkCost({ document, queryHash, operationName: learnt.operationName }, variables);
        learnt.prepared = prepared;
      },
      async didEncounterErrors({ errors, contextValue: { identified } }) {
        for (const error of errors) report(error, identified.context.transactionId);
      },
      async willSendResponse(request) {
        finishAnswer(request);
      },
    }),
  };
}

function finishAnswer({ response, contextValue }: GraphQLRequestContext<AdHocContext>): void {
  const { identified, learnt } = contextValue;
  if (response.body?.kind !== 'single') return;
  const { singleResult } = response.body;
  const errors = singleResult.errors as readonly PresentedError[] | undefined;
  const { transactionId } = identified.context;
  const { status, headers } = headOf(errors, singleResult.data, Boolean(identified.fault));
  response.http.status = status;
  for (const [name, value] of Object.entries(headers)) response.http.headers.set(name, value);
  singleResult.extensions = { transactionId };
  learnt.outcome = errors?.[0]?.extensions.code ?? 'ok';
}

/** Apollo Server's view of the supergraph: it parses and validates, the prepared operation runs. */
function gatewayOf({ supergraph }: Preparation): ApolloServerOptionsWithGateway<AdHocContext>['gateway'] {
  return {
    onSchemaLoadOrUpdate(listener) {
      listener({ apiSchema: supergraph.apiSchema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: async () => ({
      executor: async ({ context, request }) => {
        const { identified, learnt } = context as AdHocContext;
        if (!learnt.prepared) return { errors: [unknownOperation()] };
        return learnt.prepared.execute(request.variables ?? {}, identified.context) as never;
      },
    }),
    stop: () => supergraph.gateway.stop(),
  };
}

function unknownOperation(): GraphQLError {
  return new GraphQLError('The document has no operation of this name, or several and none is named');
}
