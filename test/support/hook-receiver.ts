import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const hook: Received = {
      ...JSON.parse(Buffer.concat(chunks).toString()),
      path: request.url,
      at: performance.now(),
    };
    received.push(hook);
    const { status, headers, afterMs = 0 } = await answer(hook);
    const end = () => {
      hook.answeredAt = performance.now();
      response.writeHead(status, headers).end();
    };
    if (afterMs === 0) end();
    else setTimeout(end, afterMs);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
