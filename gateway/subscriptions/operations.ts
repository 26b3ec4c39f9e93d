import type { DocumentNode, FormattedExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import type { AdHocRequest } from '../ad-hoc-operations';
import type { HttpAnswer } from '../http-answer';
import { type FailureReport, logRequest } from '../request-log';
import type { RequestFacts } from '../client/graph-client';
import type { EventStream } from './event-stream';
import type { Connection } from './open-connections';
import type { Subscriptions } from './subscriptions';

/** An operation that was begun: a stream, or an answer that is still to come. */
export interface BegunOperation {
  readonly document: DocumentNode;
  readonly stream?: EventStream;
  once(): Promise<FormattedExecutionResult>;
}

/** What operations over connections that can stream are begun with. */
export interface OperationParts {
  readonly subscriptions: Subscriptions;
  /** Answers an operation that is no subscription, as over plain HTTP. */
  readonly answerOnce: (request: AdHocRequest, facts: RequestFacts) => Promise<HttpAnswer>;
  readonly logger: Logger;
  readonly report: FailureReport;
}

/** Begins an operation; throws what refuses it. What was begun leaves one line in the log. */
export async function beginOperation(
  request: AdHocRequest,
  facts: RequestFacts,
  connection: Connection,
  { subscriptions, answerOnce, logger }: OperationParts,
): Promise<BegunOperation> {
  const begin = performance.now();
  const { streamed, document } = subscriptions.read(request);
  const once = async () => {
    const answer = await answerOnce(request, facts);
    logRequest(logger, facts, answer, begin);
    return JSON.parse(answer.body) as FormattedExecutionResult;
  };
  if (!streamed) return { document, once };
  const stream = await subscriptions.begin({ streamed, variables: request.variables ?? {}, facts, connection });
  logRequest(logger, facts, { operation: streamed.operationName, status: 200, outcome: 'ok' }, begin);
  return { document, stream, once };
}
