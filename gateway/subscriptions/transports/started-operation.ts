import { type DocumentNode, parse } from 'graphql';
import type { Logger } from 'pino';
import { type JsonText, writtenText } from '../../../subgraphs/server/graph/json-text';
import type { AdHocRequest } from '../../requests/graph-request';
import type { HttpResponse } from '../../requests/http-response';
import { type FailureReport, logRequest } from '../../requests/request-log';
import type { RequestMetadata } from '../../client/graph-client';
import type { EventStream } from '../event-stream';
import type { Connection } from '../open-connections';
import type { Subscriptions } from '../subscriptions';

/** An operation that has started: a stream, or one result. */
export type StartedOperation =
  | { readonly document: DocumentNode; readonly stream: EventStream; readonly once?: never }
  | { readonly document: DocumentNode; readonly stream?: never; once(): Promise<JsonText> };

/** Stands for the document of a subscription that runs, so that the client's document does not occupy memory. */
const A_SUBSCRIPTION = parse('subscription { event }', { noLocation: true });

/** Dependencies of operations over streaming connections. */
export interface StreamingDependencies {
  readonly subscriptions: Subscriptions;
  /** Runs an operation other than a subscription, as over plain HTTP. */
  readonly runOnce: (request: AdHocRequest, metadata: RequestMetadata) => Promise<HttpResponse>;
  readonly logger: Logger;
  readonly report: FailureReport;
}

/** Starts an operation; throws the error that rejects it. Each started operation writes one log line. */
export async function startOperation(
  request: AdHocRequest,
  metadata: RequestMetadata,
  connection: Connection,
  { subscriptions, runOnce, logger }: StreamingDependencies,
): Promise<StartedOperation> {
  const startedAt = performance.now();
  const { streamed, document } = subscriptions.parse(request);
  const once = async () => {
    const response = await runOnce(request, metadata);
    logRequest(logger, metadata, response, startedAt);
    return writtenText(response.body);
  };
  if (!streamed) return { document, once };
  const stream = await subscriptions.start({ streamed, variables: request.variables ?? {}, metadata, connection });
  logRequest(logger, metadata, { operation: streamed.operationName, status: 200, outcome: 'ok' }, startedAt);
  return { document: A_SUBSCRIPTION, stream };
}
