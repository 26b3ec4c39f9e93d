import { type IncomingHttpHeaders, type RequestListener, createServer } from 'node:http';

/** A received request. */
export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** The response of a receiver: a status, or a handler of the connection. */
export type ReceiverResponse = number | RequestListener;

/** A receiver of webhooks on this machine. */
export interface WebhookReceiver {
  readonly url: string;
  readonly port: number;
  /** All requests so far, oldest first. */
  readonly received: readonly ReceivedPost[];
  /** Returns the number of connections so far. */
  connections(): number;
  /** Sets the response to the next requests. */
  respondWith(how: (post: ReceivedPost) => ReceiverResponse): void;
  close(): Promise<void>;
}

/** Starts a receiver that responds with 204 until a test changes that. */
export async function webhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const received: ReceivedPost[] = [];
  let how: (post: ReceivedPost) => ReceiverResponse = () => 204;
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const post = { path: incoming.url ?? '', headers: incoming.headers, body, at: performance.now() };
      received.push(post);
      const response = how(post);
      if (typeof response === 'number') outgoing.writeHead(response).end();
      else response(incoming, outgoing);
    });
  });
  server.on('connection', () => void (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://${host}:${port}/hook`,
    port,
    received,
    connections: () => connections,
    respondWith: (next) => {
      how = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
