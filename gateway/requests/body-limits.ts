import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import { supplierKeyIn } from '../client/graph-client';
import { mediaTypeProblem } from '../client/json-body';

/** Maximum size of a request body: a tariff with a year of half-hourly prices (decisions C/D, D.2). */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Maximum size of the body of a request without credentials (decisions A/B, 7). */
export const MAX_ANONYMOUS_BODY_BYTES = 256 * 1024;

type Headers = FastifyRequest['headers'];

function maxBodyBytes(headers: Headers): number {
  const hasCredentials = headers.authorization !== undefined || supplierKeyIn(headers) !== undefined;
  return hasCredentials ? MAX_BODY_BYTES : MAX_ANONYMOUS_BODY_BYTES;
}

/** Returns the message of LIM001, with the limit of a request with these headers. */
export function bodyTooLarge(headers: Headers): string {
  return maxBodyBytes(headers) === MAX_BODY_BYTES ? 'The body is larger than 2 MiB.' : errorCatalogue.LIM001.meaning;
}

/**
 * Parses JSON bodies in UTF-8. Rejects before parsing: another charset or a content coding (VAL011), larger bodies of
 * requests without credentials (LIM001), and bytes that are not UTF-8 (VAL010), which would be stored as U+FFFD.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const failure = (statusCode: number, code: string) => Object.assign(new Error(code), { code, statusCode });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { headers } = request;
    if (mediaTypeProblem(headers['content-type'], headers['content-encoding']) !== undefined)
      return done(failure(415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE'));
    if (body.length > maxBodyBytes(headers)) return done(failure(413, 'FST_ERR_CTP_BODY_TOO_LARGE'));
    if (!isUtf8(body)) return done(failure(400, 'FST_ERR_CTP_INVALID_JSON_BODY'));
    return parse(request, body.toString('utf8'), done);
  });
}
