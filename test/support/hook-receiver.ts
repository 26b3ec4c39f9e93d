import { webhookReceiver } from './webhook-receiver';

/** A delivery that the receiver received. */
export interface Received {
  readonly eventId: string;
  readonly sequence: number;
  readonly isRedelivery: boolean;
  /** Path of the request. */
  readonly path: string;
  /** When the request arrived, as `performance.now()`. */
  readonly at: number;
  /** When the response was sent, as `performance.now()`. */
  respondedAt?: number;
}

/** Response of a receiver. */
export interface HookResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds from the request to the response. */
  readonly afterMs?: number;
}

/** Receives the deliveries of the trial subgraph. */
export interface HookReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Starts a receiver whose responses `respond` returns; 200 by default. */
export async function hookReceiver(
  respond: (received: Received) => HookResponse | Promise<HookResponse> = () => ({ status: 200 }),
): Promise<HookReceiver> {
  const received: Received[] = [];
  const server = await webhookReceiver();
  server.respondWith(({ path, body, at }) => async (_, response) => {
    const hook: Received = { ...(JSON.parse(body) as Received), path, at };
    received.push(hook);
    const { status, headers, afterMs = 0 } = await respond(hook);
    const end = () => {
      hook.respondedAt = performance.now();
      response.writeHead(status, headers).end();
    };
    if (afterMs === 0) end();
    else setTimeout(end, afterMs);
  });
  return { url: new URL(server.url).origin, received, close: server.close };
}
