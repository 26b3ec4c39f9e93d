import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sharedRead } from '../shared-read';

/** Serves readiness: 503 unless `isReady` resolves to true. Concurrent requests share its statements, because no limit applies to them. */
export function serveReadiness(app: FastifyInstance, paths: readonly string[], isReady: () => Promise<boolean>): void {
  const shared = sharedRead(isReady);
  const respond = async (_request: FastifyRequest, reply: FastifyReply) =>
    (await shared()) ? reply.send({ status: 'ready' }) : reply.code(503).send({ status: 'unavailable' });
  for (const path of paths) app.get(path, respond);
}
