import type { ApolloServerPlugin, GraphQLRequestContext } from '@apollo/server';
import { RegisterError } from '../../schema/register-error';
import { admit } from '../callers/audiences';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import type { Identification } from '../callers/authentication';
import { type FormattedError, responseHead } from './error-format';
import { operationCache } from './operation-caches';
import { costCheck } from './operation-cost';
import { rejectConditionalEvents } from '../subscriptions/event-query';
import { rejectExcess } from './operation-limits';
import type { Preparation, PreparedOperation } from './prepared-operation';
import type { FailureReport } from './request-log';

/** Context of one request in Apollo Server. */
export interface AdHocContext {
  readonly identified: Identification;
  /** Apollo Server copies the context; this object stays the same, so that plugin steps can pass values on. */
  readonly state: {
    prepared?: PreparedOperation;
    /** Context of the execution: that of the caller as the operation admits it. */
    admitted?: CallContext;
    operationName?: string | undefined;
    /** `ok`, or the code of the first error; undefined until the response is ready. */
    outcome?: string;
    /** Error that rejects the document before validation. */
    rejection?: unknown;
  };
}

const USE_STREAMING =
  'A subscription is served over WebSocket (graphql-transport-ws), or by Server-Sent Events with Accept: text/event-stream';
/**
 * Steps of a valid operation, in order: audience, variables, cost, execution; finally status and headers of the
 * response.
 */
export function requestSteps(preparation: Preparation, report: FailureReport): ApolloServerPlugin<AdHocContext> {
  const preparedFor = operationCache(preparation);
  const checkCost = costCheck(preparation.supergraph.apiSchema);
  return {
    requestDidStart: async () => ({
      async validationDidStart({ document, contextValue: { state } }) {
        try {
          rejectExcess(preparation.supergraph.apiSchema, document);
          rejectConditionalEvents(document);
        } catch (error) {
          // Apollo Server would report this as its own failure, so `run` throws it again.
          state.rejection = error;
          throw error;
        }
      },
      async didResolveOperation(request) {
        const { identified, state } = request.contextValue;
        if (request.operation?.operation === 'subscription') throw new RegisterError('VAL003', USE_STREAMING);
        const prepared = preparedFor(request);
        const { document, operation, queryHash } = request;
        if (!prepared || !document || queryHash === undefined) return;
        state.operationName = operation?.name?.value;
        state.admitted = admit(prepared.audience, identified);
        const variables = request.request.variables ?? {};
        prepared.checkVariables(variables);
        prepared.rejectMixture(variables);
        checkCost({ document, queryHash, operationName: state.operationName }, variables);
        state.prepared = prepared;
      },
      async didEncounterErrors({ errors, contextValue: { identified } }) {
        for (const error of errors) report(error, identified.context.transactionId);
      },
      async willSendResponse(request) {
        finishResponse(request);
      },
    }),
  };
}

function finishResponse({ response, contextValue }: GraphQLRequestContext<AdHocContext>): void {
  const { identified, state } = contextValue;
  if (response.body?.kind !== 'single') return;
  const { singleResult } = response.body;
  const errors = singleResult.errors as readonly FormattedError[] | undefined;
  const { transactionId } = identified.context;
  const { status, headers } = responseHead(errors, singleResult.data, Boolean(identified.error));
  response.http.status = status;
  for (const [name, value] of Object.entries(headers)) response.http.headers.set(name, value);
  singleResult.extensions = { transactionId };
  state.outcome = errors?.[0]?.extensions.code ?? 'ok';
}
