import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect } from 'node:tls';
import type { ServiceName } from '../callers/caller';
import { type ServiceIdentity, type ServicePublicKeys, publicKeyText } from './service-identity';

/** TLS settings of both ends. Certificates are self-signed: {@link serviceAt} checks the key after the handshake. */
export function tlsSettings({ key, cert }: ServiceIdentity) {
  return { key, cert, minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false } as const;
}

/** Maximum time for a connection and its TLS handshake, and for the upgrade of the connection to a link. */
export const CONNECT_TIMEOUT_MS = 3_000;

/** Returns the service whose key the other end of a connection has proved to hold; undefined for an unlisted key. */
export function serviceAt(socket: TLSSocket, publicKeys: ServicePublicKeys): ServiceName | undefined {
  const key = socket.getPeerX509Certificate?.()?.publicKey;
  return key?.asymmetricKeyType === 'ed25519' ? publicKeys.get(publicKeyText(key)) : undefined;
}

/** Connects only to one service: sends nothing before the server has proved to hold a key of that service. */
export class ServiceAgent extends Agent {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly to: ServiceName,
  ) {
    super({ keepAlive: true, maxSockets: 256, maxCachedSessions: 0 });
  }

  override createConnection(options: AgentOptions, connected?: (error: Error | null, socket: Duplex) => void): null {
    const socket = connect({ ...options, ...tlsSettings(this.identity) } as never);
    const settle = (error: Error | null) => {
      clearTimeout(deadline);
      if (error) socket.destroy();
      connected?.(error, socket);
    };
    const deadline = setTimeout(() => socket.destroy(new Error('no TLS handshake in time')), CONNECT_TIMEOUT_MS);
    socket.once('error', settle);
    socket.once('secureConnect', () => {
      socket.removeListener('error', settle);
      const isPeer = serviceAt(socket, this.identity.publicKeys) === this.to;
      settle(isPeer ? null : new UnknownPeer(this.to));
    });
    return null;
  }

  /** Closes the connections that no request uses: the next request opens a new one. */
  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) sockets?.forEach((socket) => socket.destroy());
  }
}

/** Thrown for a server that holds no key of the service that this process calls. */
class UnknownPeer extends Error {
  readonly code = 'UNKNOWN_PEER';

  constructor(readonly service: ServiceName) {
    super(`the server holds no listed key of ${service}`);
  }
}
