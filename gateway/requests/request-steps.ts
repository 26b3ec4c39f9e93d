import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sendable } from '../../subgraphs/server/graph/json-text';
import { traced } from '../../subgraphs/server/observability/tracing';
import { type AdHocOperations, GRAPHQL_RESPONSE_TYPE, responseType } from './ad-hoc-operations';
import type { Authentication } from '../callers/authentication';
import { ownerOf } from '../../subgraphs/server/callers/resource-owner';
import type { ConcurrentOperations } from './concurrent-operations';
import { senderMetadata } from './body-sender';
import { withDeadline } from './deadline';
import { type AdHocRequest, type TrustedRequest, graphRequest, isPersistedQuery, isTrusted } from './graph-request';
import { type HttpResponse, httpResponse, persistedQueryNotSupported } from './http-response';
import { AD_HOC, type OperationMetrics } from './operation-metrics';
import { formatError } from './error-format';
import { type FailureReport, logRequest } from './request-log';
import type { RequestMetadata } from '../client/graph-client';
import type { Streaming } from '../subscriptions/transports/streaming';
import type { TrustedDocuments } from './trusted-documents';

/** Dependencies of the request steps. */
export interface RequestDependencies {
  readonly callers: Authentication;
  readonly trusted: TrustedDocuments;
  readonly adHoc: AdHocOperations;
  readonly concurrent: ConcurrentOperations;
  readonly metrics: OperationMetrics;
  readonly logger: Logger;
  readonly report: FailureReport;
}

/** The steps of a GraphQL request, in order. */
export async function handleRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: RequestDependencies,
  streaming: Streaming,
): Promise<FastifyReply> {
  const startedAt = performance.now();
  const metadata = senderMetadata(request);
  // Starts a trace of its own: by `traceparent` and `baggage`, a client could switch off sampling or write into another trace.
  const response = await handleBody(request, reply, metadata, dependencies, streaming);
  if (response === 'streamed') return reply;
  logRequest(dependencies.logger, metadata, response, startedAt);
  return reply
    .code(response.status)
    .headers({ ...response.headers, 'transaction-id': metadata.transactionId, 'cache-control': 'no-store' })
    .send(sendable(response.body));
}

async function handleBody(
  { body, headers }: FastifyRequest,
  reply: FastifyReply,
  metadata: RequestMetadata,
  dependencies: RequestDependencies,
  streaming: Streaming,
): Promise<HttpResponse | 'streamed'> {
  const failed = (error: unknown) => {
    const response = rejection(error, metadata, dependencies);
    const type = `${responseType(headers.accept)}; charset=utf-8`;
    return { ...response, headers: { ...response.headers, 'content-type': type } };
  };
  if (isPersistedQuery(body)) return persistedQueryNotSupported(metadata.transactionId);
  try {
    const request = graphRequest(body);
    if (isTrusted(request)) return await runTrusted(request, metadata, dependencies);
    if (!streaming.requiresEvents(request, headers.accept))
      return withLegacyStatus(headers.accept, await runAdHoc(request, headers, metadata, dependencies).catch(failed));
    await streaming.answer(request, metadata, reply);
    return 'streamed';
  } catch (error) {
    return failed(error);
  }
}

function rejection(error: unknown, metadata: RequestMetadata, { report }: RequestDependencies): HttpResponse {
  report(error, metadata.transactionId);
  return httpResponse(undefined, { errors: [error] }, metadata.transactionId, metadata.authorization !== undefined);
}

/**
 * Changes status 400 to 200 for a client that accepts `application/json` but not the GraphQL media type: it cannot
 * distinguish whether a 400 comes from GraphQL or from an intermediary (GraphQL over HTTP, "Status Codes").
 */
function withLegacyStatus(accept = '', response: HttpResponse): HttpResponse {
  const isLegacyClient = accept.includes('application/json') && !accept.includes(GRAPHQL_RESPONSE_TYPE);
  return response.status === 400 && isLegacyClient ? { ...response, status: 200 } : response;
}

async function runTrusted(
  { documentId, variables, admitOnly }: TrustedRequest,
  metadata: RequestMetadata,
  { trusted, metrics, report }: RequestDependencies,
): Promise<HttpResponse> {
  const stop = metrics.start(documentId);
  const name = trusted.operations.has(documentId) ? documentId : undefined;
  const execution = admitOnly
    ? trusted.admit(documentId, metadata).then(() => ({ data: { admitted: true } }))
    : trusted.run(documentId, variables, metadata);
  const result = await execution.catch((error: unknown) => ({ errors: [error] }));
  const errors = 'errors' in result ? result.errors : undefined;
  errors?.forEach((error) => report(error, metadata.transactionId));
  const response = httpResponse(name, result, metadata.transactionId, metadata.authorization !== undefined);
  stop(response.outcome);
  return response;
}

/** Runs an operation of a streaming connection. An error that rejects it is its result, so that the connection continues. */
export function runOnce(
  request: AdHocRequest,
  metadata: RequestMetadata,
  dependencies: RequestDependencies,
): Promise<HttpResponse> {
  return runAdHoc(request, {}, metadata, dependencies).catch((error: unknown) =>
    rejection(error, metadata, dependencies),
  );
}

/** Runs an operation with the client's own document. */
async function runAdHoc(
  request: AdHocRequest,
  requestHeaders: Readonly<Record<string, unknown>>,
  metadata: RequestMetadata,
  { adHoc, callers, concurrent, metrics }: RequestDependencies,
): Promise<HttpResponse> {
  const stop = metrics.start(AD_HOC);
  const { head, body, operationName, outcome } = await traced('gateway ad hoc', metadata.transactionId, async () =>
    withDeadline(
      (async () => {
        const identified = await callers.identify(metadata);
        return concurrent.adHoc(ownerOf(identified.context), () => adHoc.run(request, identified, requestHeaders));
      })(),
    ),
  ).catch((error: unknown) => {
    stop(formatError(error).extensions.code);
    throw error;
  });
  stop(outcome);
  return {
    status: head.status ?? 200,
    headers: Object.fromEntries(head.headers),
    body,
    operation: operationName,
    outcome,
  };
}
