import Fastify, { type FastifyInstance } from 'fastify';
import { originForm } from './envelope';
import type { Answers } from './exchange';
import { refusal } from './refusal';
import { answerBrokenRequest, codeOfServerError } from './unserved-requests';

/** Bytes of the largest body (2-decisions-a-b.md, section 7). */
const BODY_LIMIT = 256 * 1024;
/** Path values are judged by the contract, up to what the head of a request can hold. */
const LONGEST_PATH_VALUE = 16 * 1024;
/** Milliseconds until the whole request must have arrived, if it is no upload. */
const REQUEST_TIMEOUT = 30_000;

/** The web server of the REST interfaces: whatever it refuses by itself is answered in their form, too. */
export function webServer(trustProxy: boolean | number | string[], answers: Answers): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    return503OnClosing: false,
    // Two credentials are none: joined like other headers, where Node would take the first.
    http: { requireHostHeader: false, joinDuplicateHeaders: true },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { maxParamLength: LONGEST_PATH_VALUE },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, answers),
    frameworkErrors: (error, request, reply) => {
      answers.refuse(answers.begin(request, reply, 'unknown'), refusal(codeOfServerError(error)));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  answerInTheEnvelope(app, answers);
  return app;
}

/** What Node would answer itself, without a body: a request without `Host` (RFC 9112, section 3.2), and one with an odd `Expect`. */
function answerInTheEnvelope(app: FastifyInstance, answers: Answers): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { raw } = request;
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return next();
    answers.refuse(answers.begin(request, reply, 'unknown'), refusal('VAL003', 'The header Host is missing.'));
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}
