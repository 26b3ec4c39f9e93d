import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import { supplierKeyIn } from '../client/graph-client';

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

/** Parses JSON bodies. Rejects larger bodies of requests without credentials before parsing: LIM001. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (Buffer.byteLength(body) > maxBodyBytes(request.headers))
      return done(Object.assign(new Error('body too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }));
    return parse(request, body, done);
  });
}
