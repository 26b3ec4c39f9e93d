import { isUtf8 } from 'node:buffer';
import { type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { mediaTypeProblem } from '../client/json-body';
import type { Authentication } from '../callers/authentication';
import { MAX_BODY_BYTES, announcedBytes, identifySender, maxBodyBytes, oversized } from './body-sender';

/**
 * Parses JSON bodies in UTF-8. Rejects before parsing: another charset or a content coding (VAL011), a body that is larger than its sender
 * may send (LIM001, or the error of its credential), and bytes that are not UTF-8 (VAL010), which would be stored as U+FFFD.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const failure = (statusCode: number, code: string) => Object.assign(new Error(code), { code, statusCode });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { headers } = request;
    if (mediaTypeProblem(headers['content-type'], headers['content-encoding']) !== undefined)
      return done(failure(415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE'));
    if (!isUtf8(body)) return done(failure(400, 'FST_ERR_CTP_INVALID_JSON_BODY'));
    return parse(request, body.toString('utf8'), done);
  });
}

/** Returns the options of a route whose body may be as large as its sender may send. */
export const bodiesBySender = (callers: Authentication): RouteShorthandOptions => ({
  bodyLimit: MAX_BODY_BYTES,
  onRequest: (request) => identifySender(request, callers),
  preParsing: (request, _reply, body, next) => next(null, limitedBody(request, body)),
});

/**
 * Returns the body of a request. Of one of unknown size, the process keeps no more than its sender may send. A larger one fails at its end,
 * because many clients lose a response that arrives before they have sent their body.
 */
function limitedBody(request: FastifyRequest, body: Readable): Readable {
  if (Number.isFinite(announcedBytes(request))) return body;
  const maxBytes = maxBodyBytes(request);
  let received = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > maxBytes) done();
      else done(null, chunk);
    },
    flush(done) {
      done(received > maxBytes ? oversized(request) : null);
    },
  });
  body.once('error', (error) => limited.destroy(error));
  return body.pipe(limited);
}
