import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/** A request as sent: nothing is encoded or added except what HTTP requires. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer | undefined;
}

/** A response, as received. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Maximum time for every response. */
const MAX_RESPONSE_MS = 10_000;

/** A client of one server with kept-alive connections. */
export function wireClient(base: string): { send(request: WireRequest): Promise<WireResponse>; close(): void } {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(body.length) };
        const options = {
          hostname,
          port,
          agent,
          method,
          path: target,
          headers: { ...length, ...headers },
          timeout: MAX_RESPONSE_MS,
        };
        let hasResponse = false;
        const sent = httpRequest(options, (response) => {
          hasResponse = true;
          textOf(response).then(
            (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
            reject,
          );
        });
        sent.on('timeout', () => sent.destroy(new Error(`no response within ${MAX_RESPONSE_MS} ms`)));
        // A server may close the connection after responding to a body that it did not read.
        sent.on('error', (error) => hasResponse || reject(error));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Writes pieces to a new connection one after the other, and returns everything received until it is closed or idle.
 */
export async function rawExchange(
  base: string,
  pieces: readonly (string | Buffer)[],
  quietAfter: RegExp,
  longest = MAX_RESPONSE_MS,
): Promise<string> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let received = '';
  const done = new Promise<void>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`nothing more after ${JSON.stringify(received.slice(0, 300))}`)),
      longest,
    );
    const end = () => {
      clearTimeout(late);
      resolve();
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (quietAfter.test(received)) end();
    });
    socket.on('close', end);
    // A server that closes while it receives resets the connection: what it sent before counts.
    socket.on('error', end);
  });
  for (const piece of pieces) {
    await new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.write(piece, () => resolve())));
  }
  await done;
  socket.destroy();
  return received;
}

/** Opens a connection, writes to it and resets it: a client that breaks off. */
export async function abortedExchange(base: string, piece: string): Promise<void> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  socket.resetAndDestroy();
  await closed;
}
