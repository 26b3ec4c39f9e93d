import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type OperationResult, type Request, createHandler } from 'graphql-sse';
import { type JsonText, jsonBody, writtenText } from '../../../subgraphs/server/graph/json-text';
import type { AdHocRequest } from '../../requests/graph-request';
import { errorsOf, formatError } from '../../requests/error-format';
import { logRequest } from '../../requests/request-log';
import type { RequestMetadata } from '../../client/graph-client';
import type { Connection } from '../open-connections';
import { ResultsInMessages } from './results-in-messages';
import { type StreamingDependencies, startOperation } from './started-operation';

/**
 * GraphQL over Server-Sent Events, one operation per request ("distinct connections mode"), for clients without
 * WebSockets.
 */
interface ServerSentEvents {
  /** Sends the results of an operation as a stream; throws the error that rejects it before anything is sent. */
  answer(request: AdHocRequest, metadata: RequestMetadata, reply: FastifyReply): Promise<void>;
}

/** Results of a response. `graphql-sse` calls `return` only on complete generators, so this module calls it. */
type Results = AsyncIterable<JsonText> & { return(): Promise<unknown> };

/** A response in progress. */
interface Response {
  readonly results: Results;
  readonly inMessages: ResultsInMessages;
  /** Resolves when the last chunk has left this process. */
  written: Promise<void>;
}

const EVENT_STREAM = 'text/event-stream';

/** Returns whether `Accept` includes Server-Sent Events, and whether it accepts nothing else. */
export function acceptsEvents(accept: string | undefined): {
  readonly includesEvents: boolean;
  readonly onlyEvents: boolean;
} {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  return { includesEvents: types.includes(EVENT_STREAM), onlyEvents: types.every((type) => type === EVENT_STREAM) };
}

/** Serves operations by Server-Sent Events; `graphql-sse` formats the events. */
export function serverSentEvents(dependencies: StreamingDependencies): ServerSentEvents {
  const events = createHandler<undefined, Response>({
    authenticate: () => '', // no stream reservations
    onSubscribe: ({ context: { results } }) => results as AsyncIterable<unknown> as OperationResult,
    // `graphql-sse` reads results without pause: delay the next one until the previous one has left this process.
    onNext: async (_, { context }, result) => {
      await context.written;
      return context.inMessages.standInFor(result as unknown as JsonText) as never;
    },
  });
  return {
    async answer(request, metadata, reply) {
      const { raw } = reply;
      const results = await resultsOf(request, metadata, connectionOf(raw, metadata, dependencies), dependencies);
      const response: Response = { results, inMessages: new ResultsInMessages(), written: Promise.resolve() };
      const [body, { status, headers }] = await events(requestFor(request, response));
      if (body === null || typeof body === 'string') throw new Error('graphql-sse did not start the operation');
      reply.hijack();
      const stop = () => {
        void body.return();
        void results.return();
      };
      raw.once('close', stop);
      if (raw.destroyed) stop();
      raw.writeHead(status, { ...headers, ...HEADERS, 'transaction-id': metadata.transactionId });
      await send(body, response, raw).catch((error: unknown) => {
        dependencies.report(error, metadata.transactionId);
        raw.destroy();
      });
    },
  };
}

/** A client must read the last event within this time after its credential became invalid. */
const FINAL_EVENT_TIMEOUT_MS = 3_000;

/** Counts a response as a connection. */
function connectionOf(
  raw: ServerResponse,
  { clientAddress }: RequestMetadata,
  { subscriptions }: StreamingDependencies,
) {
  let cut: NodeJS.Timeout | undefined;
  const connection = subscriptions.connect(clientAddress, 'server-sent-events', (reason) => {
    if (reason === 'too-slow' || reason === 'closing') raw.destroy();
    else if (reason !== 'too-many') cut ??= setTimeout(() => raw.destroy(), FINAL_EVENT_TIMEOUT_MS);
  });
  const closed = () => {
    clearTimeout(cut);
    connection.closed();
  };
  raw.once('close', closed);
  if (raw.destroyed) closed();
  return connection;
}

/** Returns the results of an operation. Errors of the document or its permissions are sent in the stream. */
async function resultsOf(
  request: AdHocRequest,
  metadata: RequestMetadata,
  connection: Connection,
  dependencies: StreamingDependencies,
): Promise<Results> {
  const startedAt = performance.now();
  try {
    const started = await startOperation(request, metadata, connection, dependencies);
    return started.stream ?? single(started.once);
  } catch (error) {
    const errors = errorsOf(error).map(formatError);
    const code = errors[0]?.extensions.code ?? 'SYS001';
    if (!SENT_IN_STREAM.test(code)) throw error;
    logRequest(dependencies.logger, metadata, { operation: undefined, status: 200, outcome: code }, startedAt);
    const { transactionId } = metadata;
    return single(async () => writtenText(jsonBody({ errors, extensions: { transactionId } })));
  }
}

/**
 * Codes sent as an event, because `graphql-sse` clients see only the status of other responses. The status suffices for
 * errors of credentials, rates and availability.
 */
const SENT_IN_STREAM = /^(VAL|PRM|NTF)/;

async function* single(result: () => Promise<JsonText>): AsyncGenerator<JsonText, void> {
  yield await result();
}

async function send(body: AsyncIterable<string>, response: Response, raw: ServerResponse): Promise<void> {
  for await (const chunk of body) {
    if (!raw.writable) return;
    response.written = written(raw, response.inMessages.complete(chunk));
    await response.written;
  }
  raw.end();
}

/** Prevent caches and proxies from delaying the events. */
const HEADERS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

function requestFor({ query }: AdHocRequest, context: Response): Request<undefined, Response> {
  const headers: Readonly<Record<string, string>> = { accept: EVENT_STREAM, 'content-type': 'application/json' };
  return {
    method: 'POST',
    url: '/graphql',
    headers: { get: (name) => headers[name] },
    body: { query },
    raw: undefined,
    context,
  };
}

/** Resolves when the chunk has left this process or the connection is closed. */
function written(raw: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => void raw.write(chunk, () => resolve()));
}
