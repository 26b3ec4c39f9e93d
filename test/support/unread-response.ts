import type { Server } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { until } from './until';

/** Text that exceeds the buffers of both ends of a connection. */
export const MUCH = 'x'.repeat(16 * 1024 * 1024);

/** Shortens the time in which a client must read something: half a minute becomes 200 ms. */
export function shortenUnreadTime(server: Server): void {
  server.timeout /= 150;
}

/** Sends a request of HTTP/1.1 to a server, without reading from the connection. */
export function unreadRequest(server: Server, requestLine: string, headers = '', body = ''): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined); // the server resets the connection
  socket.write(`${requestLine} HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

/** Resolves when a server has no connection. */
export async function unconnected(server: Server): Promise<void> {
  await until(
    () =>
      new Promise<true | undefined>((resolve) =>
        server.getConnections((_, count) => resolve(count === 0 || undefined)),
      ),
  );
}
