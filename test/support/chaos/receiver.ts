import { createHash } from 'node:crypto';
import { type ReceivedPost, webhookReceiver } from '../webhook-receiver';

/** One request to a receiver of webhooks. */
export interface ReceivedDelivery {
  /** Path of the subscription's callback URL and `webhook-id`: these identify a delivery. */
  readonly delivery: string;
  readonly eventId: string;
  readonly type: string;
  /** The subject of the event in the body: the access key, or the MPxN. */
  readonly subject: string;
  readonly bodyHash: string;
  /** Milliseconds of this process's clock. */
  readonly at: number;
  /** Status of the response; undefined until it is sent, or if the sender closes the connection first. */
  status: number | undefined;
  torn: boolean;
}

/** A receiver of webhooks that stores all requests. */
export interface Receiver {
  /** Base URL: every path below it is a callback URL. */
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  close(): Promise<void>;
}

/** The response to a delivery: its status, and its delay in milliseconds. */
export type Respond = (delivery: string) => { readonly status: number; readonly after: number };

/** Starts a receiver that notices if the sender closes the connection before the response. */
export async function startReceiver(respond: Respond): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  const server = await webhookReceiver();
  server.respondWith((post) => {
    const got = deliveryOf(post);
    received.push(got);
    const { status, after } = respond(got.delivery);
    return (_, response) => {
      response.on('close', () => {
        if (got.status === undefined) got.torn = true;
      });
      setTimeout(() => {
        if (got.torn) return;
        got.status = status;
        response.writeHead(status).end();
      }, after);
    };
  });
  return { url: new URL(server.url).origin, received, close: server.close };
}

function deliveryOf({ path, headers, body, at }: ReceivedPost): ReceivedDelivery {
  const eventId = String(headers['webhook-id']);
  const { payload, ...event } = JSON.parse(body) as { payload: { ak?: string; mpxn?: string }; 'event-type': string };
  return {
    delivery: `${path} ${eventId}`,
    eventId,
    type: event['event-type'],
    subject: String(payload.ak ?? payload.mpxn),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    at,
    status: undefined,
    torn: false,
  };
}
