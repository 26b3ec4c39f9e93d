import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError } from 'graphql';
import { type JsonBody, jsonBody } from '../../subgraphs/server/graph/json-text';
import type { Identification } from '../callers/authentication';
import { type AdHocContext, requestSteps } from './ad-hoc-steps';
import { formatError } from './error-format';
import type { AdHocRequest } from './graph-request';
import { documentCache } from './operation-caches';
import { OPERATION_LIMITS } from './operation-limits';
import type { Preparation } from './prepared-operation';
import type { FailureReport } from './request-log';

/** Response and outcome of an ad-hoc operation. */
interface AdHocResponse {
  readonly head: Pick<HTTPGraphQLResponse, 'status' | 'headers'>;
  readonly body: JsonBody;
  readonly operationName: string | undefined;
  /** `ok`, or the code of the first error. */
  readonly outcome: string;
}

/**
 * Runs operations that are not trusted documents: through Apollo Server, with limits, by compiled plans or Apollo's
 * executor.
 */
export interface AdHocOperations {
  run(
    request: AdHocRequest,
    identified: Identification,
    headers: Readonly<Record<string, unknown>>,
  ): Promise<AdHocResponse>;
  close(): Promise<void>;
}

/** Media type of GraphQL over HTTP. */
export const GRAPHQL_RESPONSE_TYPE = 'application/graphql-response+json';

/**
 * Returns the media type of a response, also of one that rejects the operation: that of GraphQL over HTTP if `Accept`
 * names it, otherwise `application/json`. No operation has the status 406.
 */
export function responseType(accept: unknown): string {
  return String(accept).includes(GRAPHQL_RESPONSE_TYPE) ? GRAPHQL_RESPONSE_TYPE : 'application/json';
}

/** Starts Apollo Server over the supergraph. */
export async function adHocOperations(
  preparation: Preparation,
  production: boolean,
  report: FailureReport,
): Promise<AdHocOperations> {
  const server = apolloServer(preparation, production, report);
  await server.start();
  return {
    async run(body, identified, requestHeaders) {
      const state: AdHocContext['state'] = {};
      const headers = new HeaderMap([
        ['content-type', 'application/json'],
        ['accept', responseType(requestHeaders['accept'])],
      ]);
      const { body: result, ...head } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method: 'POST', headers, search: '', body },
        context: async () => ({ identified, state }),
      });
      if (state.rejection !== undefined) throw state.rejection;
      const json: JsonBody = result.kind === 'complete' ? result.string : '';
      return { head, body: json, operationName: state.operationName, outcome: state.outcome ?? 'SYS001' };
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
    gateway: gatewayFor(preparation),
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    documentStore: documentCache(),
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: OPERATION_LIMITS.tokens },
    formatError: (_, error) => formatError(error),
    stringifyResult: (result) => withLineFeed(jsonBody(result)) as string, // passed on to `run` as it is
    logger: silentLogger,
    plugins: [
      requestSteps(preparation, report),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
  });
}

function withLineFeed(body: JsonBody): JsonBody {
  return typeof body === 'string' ? `${body}\n` : [...body, '\n'];
}

/** Discards Apollo Server's log messages, which may quote operations. */
const silentLogger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The supergraph as Apollo Server's gateway: Apollo Server parses and validates, the prepared operation executes. */
function gatewayFor({ supergraph }: Preparation): ApolloServerOptionsWithGateway<AdHocContext>['gateway'] {
  return {
    onSchemaLoadOrUpdate(listener) {
      listener({ apiSchema: supergraph.apiSchema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: async () => ({
      executor: async ({ context, request }) => {
        const { prepared, admitted } = (context as AdHocContext).state;
        if (!prepared || !admitted) return { errors: [unknownOperation()] };
        return prepared.execute(request.variables ?? {}, admitted) as never;
      },
    }),
    stop: () => supergraph.gateway.stop(),
  };
}

function unknownOperation(): GraphQLError {
  return new GraphQLError('The document has no operation of this name, or has several and the request names none.');
}
