import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type TrustedProxies, proxyTrust } from '../gateway/client/client-address';
import { newIdentifier } from '../schema/identifiers';
import { RegisterRefusal } from './register-refusal';
import { logRequests } from './request-log';

/** Where a web service listens, and how the world reaches it. */
export interface WebSettings {
  readonly port: number;
  readonly host: string;
  readonly production: boolean;
  readonly trustProxy: TrustedProxies;
}

/** What every page of a service has in common. */
export interface WebParts {
  readonly settings: WebSettings;
  readonly logger: Logger;
  /** The headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Answers what no page answers: an address without a page, a request that cannot be read, a failure. */
  unserved(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Bytes of the largest form: a passkey's answer is some kilobytes. */
const BODY_LIMIT = 64 * 1024;
/** Milliseconds until the whole request must have arrived. */
const REQUEST_TIMEOUT = 30_000;

/** A server of pages and forms: every request gets a transaction id, the headers of every page, and a line in the log. */
export async function webServer({ settings, logger, headers, unserved }: WebParts): Promise<FastifyInstance> {
  const app = serverOfForms(settings, unserved);
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(headers).header('transaction-id', request.id);
    next();
  });
  await app.register(cookie);
  await app.register(formbody, { bodyLimit: BODY_LIMIT });
  logRequests(app, logger);
  app.setNotFoundHandler((request, reply) => unserved(new RegisterRefusal('NTF001'), request, reply));
  app.setErrorHandler((error, request, reply) => unserved(error, request, reply));
  return app;
}

function serverOfForms({ trustProxy }: WebSettings, unserved: WebParts['unserved']): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    return503OnClosing: false,
    genReqId: () => newIdentifier('tid'),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => unserved(error, request, reply),
  });
  app.removeAllContentTypeParsers();
  return app;
}

/** A web service, running. */
export interface RunningWeb {
  readonly url: string;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

/** Lets a server listen. */
export async function listening(app: FastifyInstance, { port, host }: WebSettings): Promise<RunningWeb> {
  await app.listen({ port, host });
  const { port: own } = app.server.address() as AddressInfo;
  return { url: `http://localhost:${own}`, app, close: () => app.close() };
}
