import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { Transform } from 'node:stream';

/** A proxy to a server on this machine that can stop responding. */
export interface SilencedProxy {
  /** URL of the server, by the proxy. */
  readonly url: string;
  /** Returns the number of connections that clients have open. */
  connections(): number;
  /** Returns the number of connections that clients have opened. */
  accepted(): number;
  /**
   * Simulates a machine that freezes or is disconnected while another one takes over. The server loses its present
   * connections; the clients keep theirs and receive nothing. New connections reach the server.
   */
  silence(): void;
  /** Resets the present connections of clients. */
  reset(): void;
  /** Connects new connections to another port. */
  redirect(target: number): void;
  /** Returns the number of connections whose client waits for a withheld response. */
  withheld(): number;
  /** Lets the server receive what was withheld, and all that follows. */
  release(): void;
  close(): Promise<void>;
}

/** Opens a proxy to the server of a URL. The server receives nothing of a client from a statement on that contains `withholding`. */
export async function silencedProxy(url: string, withholding?: string): Promise<SilencedProxy> {
  let target = Number(new URL(url).port);
  let [withheld, accepted] = [0, 0];
  const waiting: (() => void)[] = [];
  let isReleased = false;
  const pairs = new Set<readonly [client: Socket, server: Socket]>();
  const proxy = createServer((client) => {
    accepted += 1;
    const server = connect(target, '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    const sent = new Transform({
      transform(chunk: Buffer, _, done) {
        const pass = () => done(null, chunk);
        if (isReleased || withholding === undefined || !chunk.includes(withholding)) pass();
        else withheld = waiting.push(pass); // without `done`, nothing follows
      },
    });
    client.pipe(sent).pipe(server).pipe(client);
    for (const socket of pair) socket.on('error', () => undefined);
    client.on('close', () => void (pairs.delete(pair), server.destroy()));
    // `pipe` passes the end of a connection on, but not that it was rejected or reset.
    server.on('close', (hadError) => void (hadError && client.destroy()));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((proxy.address() as AddressInfo).port);
  return {
    url: proxied.href,
    connections: () => pairs.size,
    accepted: () => accepted,
    silence() {
      for (const [client, server] of pairs) {
        client.unpipe().resume();
        server.unpipe().destroy();
      }
    },
    reset() {
      for (const [client] of pairs) client.resetAndDestroy();
    },
    redirect(next) {
      target = next;
    },
    withheld: () => withheld,
    release() {
      isReleased = true;
      for (const pass of waiting) pass();
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise((resolve) => void proxy.close(resolve));
    },
  };
}
