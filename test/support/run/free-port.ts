import { createSocket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports of outgoing connections, which could occupy the port of a server that restarts. */
const PORTS = { from: 15_000, to: 32_000 } as const;

/**
 * Returns a free port of 127.0.0.1. A server starts seconds later: until this process ends, no other call returns the
 * port, in any process of any run.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Binds the UDP port of the same number, which only one process can do and no server of a register does; returns false
 * if another process has it.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
