import Fastify, { type FastifyInstance } from 'fastify';
import { originForm } from './envelope';
import type { Answers } from './exchange';
import { type TrustedProxies, proxyTrust } from '../gateway/client/client-address';
import { refusal } from './refusal';
import { UNKNOWN_ROUTE } from './telemetry';
import { answerBrokenRequest, codeOfServerError, rememberRequest } from './unserved-requests';

/** Bytes of the largest body (2-decisions-a-b.md, section 7). */
const BODY_LIMIT = 256 * 1024;
/** Path values are judged by the contract, up to what the head of a request can hold. */
const LONGEST_PATH_VALUE = 16 * 1024;
/** Milliseconds until the whole request must have arrived, if it is no upload. */
const REQUEST_TIMEOUT = 30_000;

/** The web server of the REST interfaces: whatever it refuses by itself is answered in their form, too. */
export function webServer(trustProxy: TrustedProxies, answers: Answers): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    return503OnClosing: false,
    // Two credentials are none: joined like other headers, where Node would take the first.
    http: { requireHostHeader: false, joinDuplicateHeaders: true },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { maxParamLength: LONGEST_PATH_VALUE },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, answers),
    frameworkErrors: (error, request, reply) => {
      answers.refuse(answers.begin(request, reply, UNKNOWN_ROUTE), refusal(codeOfServerError(error)));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', ({ raw }, reply, next) => {
    rememberRequest(raw, reply.raw);
    next();
  });
  answerInItsForm(app, answers);
  return app;
}

/** What Node would answer itself, without a body: a request without `Host` (RFC 9112, section 3.2), and one with an odd `Expect`. */
function answerInItsForm(app: FastifyInstance, answers: Answers): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { raw } = request;
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return next();
    answers.refuse(answers.begin(request, reply, UNKNOWN_ROUTE), refusal('VAL003', 'The header Host is missing.'));
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}
