import { readFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import tls from 'node:tls';
import { testAuthority } from './test-authority';
import { until } from './until';

/** A TLS server on this machine. The handshakes of its connections wait for the test. */
export interface HeldHandshakes {
  /** `https://localhost:<port>`. */
  readonly url: string;
  /** Waits until a handshake waits. */
  isReached(): Promise<true>;
  /** Continues the handshakes that wait, and delays none from now on. */
  release(): void;
  close(): Promise<void>;
}

const { createSecureContext } = tls;

/** Starts a server that passes decrypted bytes on to a port of this machine. This process trusts its certificate until it is closed. */
export async function heldHandshakes(port: number): Promise<HeldHandshakes> {
  const authority = testAuthority();
  const trusted = jest
    .spyOn(tls, 'createSecureContext')
    .mockImplementation((options) => createSecureContext({ ca: readFileSync(authority.file), ...options }));
  const terminator = tls.createServer(authority.issue('DNS:localhost'), (decrypted) => {
    const receiver = connect(port, '127.0.0.1');
    for (const each of [decrypted, receiver])
      each.on('error', () => void [decrypted, receiver].map((one) => one.destroy()));
    decrypted.pipe(receiver).pipe(decrypted);
  });
  const sockets: Socket[] = [];
  let isHeld = true;
  const server = createServer((socket) => {
    sockets.push(socket);
    if (!isHeld) terminator.emit('connection', socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as { port: number }).port}`,
    isReached: () => until(() => (sockets.length > 0 ? true : undefined)),
    release() {
      isHeld = false;
      for (const socket of sockets) terminator.emit('connection', socket);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      trusted.mockRestore();
      authority.remove();
    },
  };
}
