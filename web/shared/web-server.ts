import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type TrustedProxies, proxyTrust, warnOfUntrustedProxy } from '../../gateway/client/client-address';
import { listeningUrl } from '../../gateway/client/listening-url';
import { closeUnreadConnections, requestTimeouts } from '../../gateway/client/time-limits';
import { newIdentifier } from '../../schema/identifiers';
import { OperationError } from './operation-error';
import { logRequests } from './request-log';

/** Address on which a web service listens, and the proxies in front of it. */
export interface WebSettings {
  readonly port: number;
  readonly host: string;
  readonly production: boolean;
  readonly trustProxy: TrustedProxies;
}

/** Options of {@link webServer}. */
interface WebServerOptions {
  readonly settings: WebSettings;
  readonly logger: Logger;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Responds to requests that no page handles: unknown path, unreadable request, unexpected error. */
  onError(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Maximum size of a form; the response of a passkey takes some kilobytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** Maximum length of a value in a path, without percent-encoding: that of an mRID. */
const MAX_PATH_VALUE_LENGTH = 512;

/**
 * Returns a Fastify server of pages and forms: each request gets a transaction id, headers and one log line. The response
 * to HEAD sets no cookie, because HEAD has no effect on the browser, either (decisions A/B, 1).
 */
export async function webServer({ settings, logger, headers, onError }: WebServerOptions): Promise<FastifyInstance> {
  const app = bareServer(settings, onError);
  warnOfUntrustedProxy(app, settings.trustProxy, logger);
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(headers).header('transaction-id', request.id);
    next();
  });
  await app.register(cookie);
  // Runs after the hook of the cookie plugin, which sets the header.
  app.addHook('onSend', (request, reply, _payload, next) => {
    if (request.method === 'HEAD') reply.removeHeader('set-cookie');
    next();
  });
  await app.register(formbody, { bodyLimit: MAX_BODY_BYTES });
  logRequests(app, logger);
  app.setNotFoundHandler((request, reply) => onError(new OperationError('NTF001'), request, reply));
  app.setErrorHandler((error, request, reply) => onError(error, request, reply));
  return app;
}

function bareServer({ trustProxy }: WebSettings, onError: WebServerOptions['onError']): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_VALUE_LENGTH },
    ...requestTimeouts,
    return503OnClosing: false,
    genReqId: () => newIdentifier('tid'),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => onError(error, request, reply),
  });
  closeUnreadConnections(app);
  app.removeAllContentTypeParsers();
  return app;
}

/** A web service that listens. */
export interface RunningServer {
  readonly url: string;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

/** Starts to listen; port 0 selects a free port. */
export async function listen(app: FastifyInstance, { port, host }: WebSettings): Promise<RunningServer> {
  await app.listen({ port, host });
  return { url: listeningUrl(app.server), app, close: () => app.close() };
}
