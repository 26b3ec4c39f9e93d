import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A way to a server on this machine that can fall silent. */
export interface SilencedProxy {
  readonly port: number;
  /**
   * What a machine does that freezes, or is cut off, while another one takes over: the server loses its present connections, the clients
   * keep theirs and hear nothing. New connections reach the server.
   */
  silence(): void;
  close(): Promise<void>;
}

/** Opens a proxy to a port. */
export async function silencedProxy(target: number): Promise<SilencedProxy> {
  const pairs = new Set<readonly [client: Socket, server: Socket]>();
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    client.pipe(server).pipe(client);
    for (const socket of pair) socket.on('error', () => undefined);
    client.on('close', () => void (pairs.delete(pair), server.destroy()));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    silence() {
      for (const [client, server] of pairs) {
        client.unpipe().resume();
        server.unpipe().destroy();
      }
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise((resolve) => void proxy.close(resolve));
    },
  };
}
