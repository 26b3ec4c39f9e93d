import type { FastifyInstance } from 'fastify';
import { newIdentifier } from '../../schema/identifiers';
import { responseMetadata } from './envelope';
import { INTERFACE_A } from '../contract/interfaces';
import { catalogueError } from './error-response';
import type { RecordRequest } from './telemetry';

const PATH = '/.well-known/jwks.json';
/** How long verifiers may cache the keys. A rotation publishes a key that long before signing with it. */
const MAX_AGE_SECONDS = 300;

/**
 * Serves the public keys of bearer tokens (RFC 7517), so that other systems can verify tokens; 503 while they are
 * unavailable.
 */
export function serveKeySet(app: FastifyInstance, keySet: () => Promise<unknown>, record: RecordRequest): void {
  app.get(PATH, (request, reply) => {
    const [transactionId, startedAt] = [newIdentifier('tid'), performance.now()];
    const respond = (status: number, headers: Record<string, string>, body: unknown): void => {
      const type = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
      reply.code(status).headers({ ...type, ...headers, 'transaction-id': transactionId });
      reply.send(JSON.stringify(body));
      record({ transactionId, method: request.method, route: PATH, status, startedAt });
    };
    keySet().then(
      (keys) => respond(200, { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` }, keys),
      () => {
        const { status, errors } = catalogueError('SYS002');
        const response = responseMetadata(INTERFACE_A.timeField, request.raw.url ?? '', transactionId);
        respond(status, { 'cache-control': 'no-store', 'retry-after': '1' }, { response, errors });
      },
    );
  });
}
