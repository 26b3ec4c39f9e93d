import type { AddressInfo, Server } from 'node:net';

/** Addresses that `localhost` reaches, also at a server that listens on all addresses. */
const REACHED_BY_LOCALHOST = ['127.0.0.1', '::1', '0.0.0.0', '::'];

/** Returns the URL at which this machine reaches a server that listens, whatever `HOST` is. */
export function listeningUrl(server: Pick<Server, 'address'>): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (REACHED_BY_LOCALHOST.includes(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
