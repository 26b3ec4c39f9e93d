import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { newIdentifier } from '../schema/identifiers';
import type { ServiceTokens } from '../subgraphs/server/service-token';
import { traced, withinTrace } from '../subgraphs/server/tracing';
import { type AdHocOperations, type AdHocRequest, RESPONSE_TYPE } from './ad-hoc-operations';
import type { Authentication } from './authentication';
import { inTime } from './deadline';
import { type TrustedRequest, graphRequest, isTrusted } from './graph-request';
import { type HttpAnswer, answerOf, sendRefusal } from './http-answer';
import { AD_HOC, type OperationMetrics } from './metrics';
import { presented } from './presentation';
import { type FailureReport, logRequest } from './request-log';
import type { RequestFacts } from './client/graph-client';
import { factsOf } from './request-facts';
import type { Streaming } from './subscriptions/streaming';
import type { TrustedDocuments } from './trusted-documents';

/** What the steps of a request need. */
export interface RequestParts {
  readonly callers: Authentication;
  readonly trusted: TrustedDocuments;
  readonly adHoc: AdHocOperations;
  readonly tokens: ServiceTokens;
  readonly metrics: OperationMetrics;
  readonly logger: Logger;
  readonly report: FailureReport;
}

/** The steps of a GraphQL request, in order. */
export async function answerRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: RequestParts,
  streaming: Streaming,
): Promise<FastifyReply> {
  const begin = performance.now();
  const facts = await factsOf(request, parts.tokens).catch(() => undefined);
  if (!facts) return sendRefusal(reply, 'AUT001', newIdentifier('tid'));
  const answer = await withinTrace(request.headers, () => answerBody(request, reply, facts, parts, streaming));
  if (answer === 'streamed') return reply;
  logRequest(parts.logger, facts, answer, begin);
  return reply
    .code(answer.status)
    .headers({ ...answer.headers, 'transaction-id': facts.transactionId, 'cache-control': 'no-store' })
    .send(answer.body);
}

async function answerBody(
  { body, headers }: FastifyRequest,
  reply: FastifyReply,
  facts: RequestFacts,
  parts: RequestParts,
  streaming: Streaming,
): Promise<HttpAnswer | 'streamed'> {
  const refused = (error: unknown) => {
    parts.report(error, facts.transactionId);
    return answerOf(undefined, { errors: [error] }, facts.transactionId, facts.authorization !== undefined);
  };
  try {
    const request = graphRequest(body);
    if (isTrusted(request)) return await answerTrusted(request, facts, parts);
    if (!streaming.isWanted(request, headers.accept))
      return withStatusFor(headers.accept, await answerAdHoc(request, headers, facts, parts).catch(refused));
    await streaming.answer(request, facts, reply);
    return 'streamed';
  } catch (error) {
    return refused(error);
  }
}

/**
 * An operation that cannot be run is answered 400; with 200 to a client that asks for `application/json` by name and not for the media
 * type of GraphQL: what else it may get with 400 in that type need not be of the graph (GraphQL over HTTP, "Status Codes").
 */
function withStatusFor(accept = '', answer: HttpAnswer): HttpAnswer {
  const isOfOldKind = accept.includes('application/json') && !accept.includes(RESPONSE_TYPE);
  return answer.status === 400 && isOfOldKind ? { ...answer, status: 200 } : answer;
}

async function answerTrusted(
  { documentId, variables, admitOnly }: TrustedRequest,
  facts: RequestFacts,
  { trusted, metrics, report }: RequestParts,
): Promise<HttpAnswer> {
  const stop = metrics.start(documentId);
  const name = trusted.operations.has(documentId) ? documentId : undefined;
  const execution = admitOnly
    ? trusted.admit(documentId, facts).then(() => ({ data: { admitted: true } }))
    : trusted.run(documentId, variables, facts);
  const result = await execution.catch((error: unknown) => ({ errors: [error] }));
  const errors = 'errors' in result ? result.errors : undefined;
  errors?.forEach((error) => report(error, facts.transactionId));
  const answer = answerOf(name, result, facts.transactionId, facts.authorization !== undefined);
  stop(answer.outcome);
  return answer;
}

/** Answers an operation whose text is the client's own. */
export async function answerAdHoc(
  request: AdHocRequest,
  sent: Readonly<Record<string, unknown>>,
  facts: RequestFacts,
  { adHoc, callers, metrics }: RequestParts,
): Promise<HttpAnswer> {
  const stop = metrics.start(AD_HOC);
  const { response, operationName, outcome } = await traced('gateway ad hoc', facts.transactionId, async () =>
    inTime((async () => adHoc.run(request, await callers.identify(facts), sent))()),
  ).catch((error: unknown) => {
    stop(presented(error).extensions.code);
    throw error;
  });
  stop(outcome);
  const body = response.body.kind === 'complete' ? response.body.string : '';
  return {
    status: response.status ?? 200,
    headers: Object.fromEntries(response.headers),
    body,
    operation: operationName,
    outcome,
  };
}
