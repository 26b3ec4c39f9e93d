import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ServiceName } from '../callers/caller';
import { SERVICE_RIGHTS } from '../callers/service-rights';
import { graceful } from '../graceful-stop';
import { serveReadiness } from '../observability/readiness-routes';
import { READINESS } from './link-messages';
import { type LinkHandler, type LinkServer, serveLinks } from './link-server';
import { serviceAt, tlsSettings } from './peer-check';
import type { ServiceIdentity } from './service-identity';

/** WebSockets of the services that may call this one, at a path of their own: their messages are not those of a link. */
export interface ServiceSockets {
  readonly path: string;
  /** Takes over a request to upgrade, with the bytes after its headers. */
  accept(upgrade: { readonly raw: IncomingMessage; readonly socket: TLSSocket; readonly head: Buffer }): void;
  /** Ends all of them, each once its operations under way have their result, or when `forced` aborts. */
  close(forced: AbortSignal): Promise<void>;
}

/** Options of the server of a service that other processes call. */
export interface ServiceServerOptions {
  readonly identity: ServiceIdentity;
  readonly handle: LinkHandler;
  readonly ready: () => Promise<boolean>;
  readonly port: number;
  readonly host: string;
  readonly logger: Logger;
  /** Returns the WebSockets that only this service has, such as the subscriptions of the gateway. */
  readonly sockets?: () => ServiceSockets;
  /** Adds routes that only this service has, such as the key set of `access`. */
  readonly routes?: (app: FastifyInstance, callerOf: (request: FastifyRequest) => ServiceName | undefined) => void;
}

/** A running server of a service. */
export interface ServiceServer {
  readonly app: FastifyInstance;
  readonly port: number;
  /** Closes the server once the requests under way have their response, or when `forced` aborts. */
  close(forced?: AbortSignal): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Time for a whole request of an unauthenticated client. It does not apply to services: they pass archives on as they arrive, and the REST
 * adapter limits those.
 */
const REQUEST_TIMEOUT_MS = 30_000;

/** Paths that orchestrators and metrics collectors call, which have no key of a service. */
const OPEN_PATHS = /^\/(health(\/live)?|metrics)(\?|$)/;

/**
 * Serves one service to the other services of the register over mutual TLS: links, and HTTP for bytes and key sets. A
 * caller must hold a key of a service that {@link SERVICE_RIGHTS} lists.
 */
export async function serveService(options: ServiceServerOptions): Promise<ServiceServer> {
  const { identity, ready, port, host, routes, sockets, handle, logger } = options;
  const callerAt = (socket: TLSSocket): ServiceName | undefined => {
    const service = serviceAt(socket, identity.publicKeys);
    return service !== undefined && SERVICE_RIGHTS[service][identity.name] !== undefined ? service : undefined;
  };
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && callerAt(socket as TLSSocket) !== undefined) return;
      socket.destroy();
    },
    return503OnClosing: false, // requests that arrive while links close receive their response
    https: tlsSettings(identity),
  });
  const ownLinks = serveLinks({
    callerAt,
    handle: (from, payload, document) => (payload === READINESS ? ready() : handle(from, payload, document)),
    logger,
  });
  const links = withOtherSockets(ownLinks, sockets?.(), callerAt);
  app.server.on('upgrade', (...upgrade: Parameters<LinkServer['upgrade']>) => links.upgrade(...upgrade));
  app.addHook('onRequest', async (request, reply) => {
    if (OPEN_PATHS.test(request.url) || callerAt(request.raw.socket as TLSSocket) !== undefined) return;
    logger.warn({ service: serviceAt(request.raw.socket as TLSSocket, identity.publicKeys) }, 'service rejected');
    return reply.code(403).send();
  });
  let stop: AbortSignal | undefined;
  app.addHook('preClose', () => links.close((stop ??= graceful())));
  app.get('/health/live', () => ({ status: 'live' }));
  serveReadiness(app as never, ['/health'], async () => stop === undefined && (await ready()));
  routes?.(app as never, ({ raw }) => callerAt(raw.socket as TLSSocket));
  await app.listen({ port, host });
  return {
    app: app as never,
    port: (app.server.address() as AddressInfo).port,
    close(forced = graceful()) {
      stop ??= forced;
      return app.close();
    },
  };
}

/** Returns a server of the links and of the other WebSockets of a service. */
function withOtherSockets(
  links: LinkServer,
  others: ServiceSockets | undefined,
  callerAt: (socket: TLSSocket) => ServiceName | undefined,
): LinkServer {
  if (others === undefined) return links;
  let closing = false;
  return {
    upgrade(raw, socket, head) {
      const isOther = !closing && raw.url === others.path && callerAt(socket as TLSSocket) !== undefined;
      if (isOther) others.accept({ raw, socket: socket as TLSSocket, head });
      else links.upgrade(raw, socket, head);
    },
    async close(forced) {
      closing = true;
      await Promise.all([others.close(forced), links.close(forced)]);
    },
  };
}
