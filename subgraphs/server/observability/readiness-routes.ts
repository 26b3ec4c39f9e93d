import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Serves readiness: 503 unless `isReady` resolves to true. */
export function serveReadiness(app: FastifyInstance, paths: readonly string[], isReady: () => Promise<boolean>): void {
  const respond = async (_request: FastifyRequest, reply: FastifyReply) =>
    (await isReady()) ? reply.send({ status: 'ready' }) : reply.code(503).send({ status: 'unavailable' });
  for (const path of paths) app.get(path, respond);
}
