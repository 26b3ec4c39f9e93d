import type { FastifyInstance } from 'fastify';
import { newIdentifier } from '../schema/identifiers';
import { responseMetadata } from './envelope';
import { INTERFACE_A } from './interfaces';
import { refusal } from './refusal';
import type { RecordRequest } from './telemetry';

const PATH = '/.well-known/jwks.json';
/** Seconds for which verifiers may keep the keys; a rotation publishes a key that long before it signs. */
const KEPT = 300;

/** Serves the public keys of bearer tokens (RFC 7517), so that anyone can verify them; 503 while they cannot be had. */
export function serveKeySet(app: FastifyInstance, keySet: () => Promise<unknown>, record: RecordRequest): void {
  app.get(PATH, (request, reply) => {
    const [transactionId, startedAt] = [newIdentifier('tid'), performance.now()];
    const answer = (status: number, headers: Record<string, string>, body: unknown): void => {
      const type = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
      reply.code(status).headers({ ...type, ...headers, 'transaction-id': transactionId });
      reply.send(JSON.stringify(body));
      record({ transactionId, method: request.method, route: PATH, status, startedAt });
    };
    keySet().then(
      (keys) => answer(200, { 'cache-control': `public, max-age=${KEPT}` }, keys),
      () => {
        const { status, errors } = refusal('SYS002');
        const response = responseMetadata(INTERFACE_A.timeField, request.raw.url ?? '', transactionId);
        answer(status, { 'cache-control': 'no-store', 'retry-after': '1' }, { response, errors });
      },
    );
  });
}
