import { createHash } from 'node:crypto';
import { type ReceivedPost, webhookReceiver } from '../webhook-receiver';

/** One request that a receiver of webhooks got. */
export interface ReceivedDelivery {
  /** Path of the subscription's callback URL and `webhook-id`: what a receiver knows a delivery by. */
  readonly delivery: string;
  readonly eventId: string;
  readonly type: string;
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
  /** Address below which every path is a callback URL. */
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  close(): Promise<void>;
}

/** How a delivery is answered: after so many milliseconds, with a status. */
export type Answering = (delivery: string) => { readonly status: number; readonly after: number };

/** A receiver that sees when the sender goes away before it is answered. */
export async function startReceiver(answering: Answering): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  const server = await webhookReceiver();
  server.answer((post) => {
    const got = deliveryOf(post);
    received.push(got);
    const { status, after } = answering(got.delivery);
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
