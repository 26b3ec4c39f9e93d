import { webhookReceiver } from './webhook-receiver';

/** A delivery that came. */
export interface Received {
  readonly eventId: string;
  readonly sequence: number;
  readonly isRedelivery: boolean;
  /** Path it came to. */
  readonly path: string;
  /** Milliseconds of this process. */
  readonly at: number;
  answeredAt?: number;
}

/** How a receiver answers. */
export interface HookAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds before it answers. */
  readonly afterMs?: number;
}

/** Receives the deliveries of trials. */
export interface HookReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Starts a receiver that answers as it is told, 200 by itself. */
export async function hookReceiver(
  answer: (received: Received) => HookAnswer | Promise<HookAnswer> = () => ({ status: 200 }),
): Promise<HookReceiver> {
  const received: Received[] = [];
  const server = await webhookReceiver();
  server.answer(({ path, body, at }) => async (_, response) => {
    const hook: Received = { ...(JSON.parse(body) as Received), path, at };
    received.push(hook);
    const { status, headers, afterMs = 0 } = await answer(hook);
    const end = () => {
      hook.answeredAt = performance.now();
      response.writeHead(status, headers).end();
    };
    if (afterMs === 0) end();
    else setTimeout(end, afterMs);
  });
  return { url: new URL(server.url).origin, received, close: server.close };
}
