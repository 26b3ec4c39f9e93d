import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Serves liveness at `/health/live`. */
export function serveLiveness(app: FastifyInstance): void {
  app.get('/health/live', () => ({ status: 'live' }));
}

/** Serves liveness, and readiness at the given paths: 503 unless `isReady` resolves to true. */
export function serveHealth(
  app: FastifyInstance,
  isReady: () => Promise<boolean>,
  readinessPaths: readonly string[],
): void {
  serveLiveness(app);
  const readiness = async (_request: FastifyRequest, reply: FastifyReply) =>
    (await isReady()) ? reply.send({ status: 'ready' }) : reply.code(503).send({ status: 'unavailable' });
  for (const path of readinessPaths) app.get(path, readiness);
}
