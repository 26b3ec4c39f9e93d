import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a receiver of webhooks got. */
export interface ReceivedDelivery {
  /** Path of the subscription's callback URL and `webhook-id`: what a receiver knows a delivery by. */
  readonly delivery: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
  /** The subject of the event, as far as the receiver sees it: the access key, or the MPxN. */
  readonly subject: string;
  readonly bodyHash: string;
  /** Milliseconds of this process's clock. */
  readonly at: number;
  /** What was answered; undefined while it is under way, or when the sender went away before. */
  status: number | undefined;
  torn: boolean;
}

/** A receiver of webhooks that remembers what it got. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  close(): Promise<void>;
}

/** How a delivery is answered: after so many milliseconds, with a status. */
export type Answering = (
  delivery: string,
  request: number,
  eventId: string,
) => { readonly status: number; readonly after: number };

/** A real HTTP server; `answering` is told how often this delivery has come, from 1. */
export async function startReceiver(answering: Answering): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    void receive(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const got = deliveryOf(request, await bodyOf(request));
    const number = (requests.get(got.delivery) ?? 0) + 1;
    requests.set(got.delivery, number);
    received.push(got);
    const { status, after } = answering(got.delivery, number, got.eventId);
    response.on('close', () => {
      if (got.status === undefined) got.torn = true;
    });
    setTimeout(() => {
      if (response.destroyed || got.torn) return;
      got.status = status;
      response.writeHead(status).end();
    }, after);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function deliveryOf({ url = '', headers }: IncomingMessage, body: Buffer): ReceivedDelivery {
  const eventId = String(headers['webhook-id']);
  const { sequence, payload, ...rest } = JSON.parse(body.toString()) as {
    sequence: number;
    payload: { ak?: string; mpxn?: string };
    'event-type': string;
  };
  return {
    delivery: `${url} ${eventId}`,
    eventId,
    type: rest['event-type'],
    sequence,
    subject: String(payload.ak ?? payload.mpxn),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    at: performance.now(),
    status: undefined,
    torn: false,
  };
}
