import Fastify, { type FastifyInstance } from 'fastify';
import { originForm } from '../responses/envelope';
import type { Responder } from '../responses/exchange';
import { type TrustedProxies, proxyTrust } from '../../gateway/client/client-address';
import { closeUnreadConnections, requestTimeouts } from '../../gateway/client/time-limits';
import { codeOfServerError } from '../../gateway/client/server-error';
import { USUAL_BODY_MIB } from '../contract/interfaces';
import { catalogueError } from '../responses/error-response';
import { UNKNOWN_ROUTE } from '../responses/telemetry';
import { sendBrokenRequestError, trackRequest } from './unmatched-requests';

/** The contract limits path values; this limit is that of the whole request head. */
const MAX_PATH_VALUE_LENGTH = 16 * 1024;

/**
 * Creates the web server of the REST interfaces. Errors that Fastify or Node detect are sent in the form of the
 * interfaces too.
 */
export function webServer(trustProxy: TrustedProxies, responder: Responder): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: USUAL_BODY_MIB * 1024 * 1024, // of paths that no contract has
    requestTimeout: requestTimeouts.requestTimeout,
    return503OnClosing: false,
    // Two Authorization headers are invalid: they are joined like other headers; by default Node uses the first.
    http: { ...requestTimeouts.http, requireHostHeader: false, joinDuplicateHeaders: true },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { maxParamLength: MAX_PATH_VALUE_LENGTH },
    clientErrorHandler: (error, socket) => sendBrokenRequestError(error, socket, responder),
    frameworkErrors: (error, request, reply) => {
      responder.sendError(responder.start(request, reply, UNKNOWN_ROUTE), catalogueError(codeOfServerError(error)));
    },
  });
  closeUnreadConnections(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', ({ raw }, reply, next) => {
    trackRequest(raw, reply.raw);
    next();
  });
  handleNodeRejections(app, responder);
  return app;
}

/**
 * Handles requests that Node would reject without a body: those without `Host` (RFC 9112 section 3.2), and those with
 * an unknown `Expect`.
 */
function handleNodeRejections(app: FastifyInstance, responder: Responder): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { raw } = request;
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return next();
    responder.sendError(
      responder.start(request, reply, UNKNOWN_ROUTE),
      catalogueError('VAL003', 'The header Host is missing.'),
    );
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}
