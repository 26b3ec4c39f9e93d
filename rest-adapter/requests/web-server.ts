import Fastify, { type FastifyInstance } from 'fastify';
import { originForm } from '../responses/envelope';
import type { Responder } from '../responses/exchange';
import { supplierKeyIn } from '../../gateway/client/graph-client';
import { type TrustedProxies, proxyTrust } from '../../gateway/client/client-address';
import { catalogueError } from '../responses/error-response';
import { UNKNOWN_ROUTE } from '../responses/telemetry';
import { sendBrokenRequestError, codeOfServerError, trackRequest } from './unmatched-requests';

/** Maximum size of a body without a credential, on all paths, and of any body on a path that no contract has (decisions A/B, 7). */
const MAX_BODY_BYTES = 256 * 1024;
/** The contract limits path values; this limit is that of the whole request head. */
const MAX_PATH_VALUE_LENGTH = 16 * 1024;
/** A client must send its whole request within this time; uploads have their own limit. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Creates the web server of the REST interfaces. Errors that Fastify or Node detect are sent in the form of the
 * interfaces too.
 */
export function webServer(trustProxy: TrustedProxies, responder: Responder): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    // Two Authorization headers are invalid: they are joined like other headers; by default Node uses the first.
    http: { requireHostHeader: false, joinDuplicateHeaders: true },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { maxParamLength: MAX_PATH_VALUE_LENGTH },
    clientErrorHandler: (error, socket) => sendBrokenRequestError(error, socket, responder),
    frameworkErrors: (error, request, reply) => {
      responder.sendError(responder.start(request, reply, UNKNOWN_ROUTE), catalogueError(codeOfServerError(error)));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, ({ headers }, body, done) => {
    const hasCredential = headers.authorization !== undefined || supplierKeyIn(headers) !== undefined;
    if (hasCredential || body.length <= MAX_BODY_BYTES) done(null, body);
    else done(Object.assign(new Error('body too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }));
  });
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
