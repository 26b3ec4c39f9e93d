import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { FormattedExecutionResult } from 'graphql';
import { type OperationResult, type Request, createHandler } from 'graphql-sse';
import type { AdHocRequest } from '../ad-hoc-operations';
import { presented } from '../presentation';
import { logRequest } from '../request-log';
import type { RequestFacts } from '../client/graph-client';
import type { Connection } from './open-connections';
import { type OperationParts, beginOperation } from './operations';

/** GraphQL over Server-Sent Events, an operation in each request ("distinct connections mode"): for tools that lack WebSockets. */
export interface ServerSentEvents {
  /** Answers an operation by a stream of its results; throws what refuses it, before anything was sent. */
  answer(request: AdHocRequest, facts: RequestFacts, reply: FastifyReply): Promise<void>;
}

/** What a response is made of; the library does not end what is not a whole generator. */
type Results = AsyncIterable<FormattedExecutionResult> & { return(): Promise<unknown> };

/** A response under way. */
interface Response {
  readonly results: Results;
  /** Resolves when what was written last has left this process. */
  written: Promise<void>;
}

const EVENT_STREAM = 'text/event-stream';

/** Whether a client takes Server-Sent Events: also, or nothing else. */
export function takesEvents(accept: string | undefined): { readonly also: boolean; readonly only: boolean } {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  return { also: types.includes(EVENT_STREAM), only: types.every((type) => type === EVENT_STREAM) };
}

/** Serves operations by Server-Sent Events; `graphql-sse` makes the events of their results. */
export function serverSentEvents(parts: OperationParts): ServerSentEvents {
  const events = createHandler<undefined, Response>({
    authenticate: () => '', // streams are not reserved beforehand
    onSubscribe: ({ context: { results } }) => results as OperationResult,
    // The library takes results without end: the next one is held back until the last has left.
    onNext: (_, { context }) => context.written,
  });
  return {
    async answer(request, facts, reply) {
      const { raw } = reply;
      const results = await resultsOf(request, facts, connectionOf(raw, facts, parts), parts);
      const response: Response = { results, written: Promise.resolve() };
      const [body, { status, headers }] = await events(requestFor(request, response));
      if (body === null || typeof body === 'string') throw new Error('graphql-sse did not take the operation');
      reply.hijack();
      const leave = () => {
        void body.return();
        void results.return();
      };
      raw.once('close', leave);
      if (raw.destroyed) leave();
      raw.writeHead(status, { ...headers, ...HEADERS, 'transaction-id': facts.transactionId });
      await send(body, response, raw).catch((error: unknown) => {
        parts.report(error, facts.transactionId);
        raw.destroy();
      });
    },
  };
}

/** Milliseconds in which a client takes the last word of a stream whose caller may not go on. */
const LAST_WORD_WITHIN = 3_000;

/** Counts a response as a connection. */
function connectionOf(raw: ServerResponse, { clientAddress }: RequestFacts, { subscriptions }: OperationParts) {
  let cut: NodeJS.Timeout | undefined;
  const connection = subscriptions.connect(clientAddress, 'server-sent-events', (reason) => {
    if (reason === 'too-slow' || reason === 'closing') raw.destroy();
    else if (reason !== 'too-many') cut ??= setTimeout(() => raw.destroy(), LAST_WORD_WITHIN);
  });
  const closed = () => {
    clearTimeout(cut);
    connection.closed();
  };
  raw.once('close', closed);
  if (raw.destroyed) closed();
  return connection;
}

/** What an operation is answered with; what is wrong with its text or not for its caller is told in the stream, too. */
async function resultsOf(
  request: AdHocRequest,
  facts: RequestFacts,
  connection: Connection,
  parts: OperationParts,
): Promise<Results> {
  const begin = performance.now();
  try {
    const { stream, once } = await beginOperation(request, facts, connection, parts);
    return stream ?? only(once);
  } catch (error) {
    const told = presented(error);
    const { code } = told.extensions;
    if (!TOLD_IN_THE_STREAM.test(code)) throw error;
    logRequest(parts.logger, facts, { operation: undefined, status: 200, outcome: code }, begin);
    return only(async () => ({ errors: [told], extensions: { transactionId: facts.transactionId } }));
  }
}

/** Clients of `graphql-sse` see nothing of an answer that is no stream but its status: that says all of tokens, rates and outages. */
const TOLD_IN_THE_STREAM = /^(VAL|PRM|NTF)/;

async function* only(result: () => Promise<FormattedExecutionResult>): AsyncGenerator<FormattedExecutionResult, void> {
  yield await result();
}

async function send(body: AsyncIterable<string>, response: Response, raw: ServerResponse): Promise<void> {
  for await (const chunk of body) {
    if (!raw.writable) return;
    response.written = written(raw, chunk);
    await response.written;
  }
  raw.end();
}

/** Nothing on the way may keep the events back. */
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

/** Resolves when the connection is closed, too: whoever waits goes on and sees that. */
function written(raw: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => void raw.write(chunk, () => resolve()));
}
