import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Serves what operators ask: whether the service lives, and whether the register answers it. */
export function serveHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/health/live', () => ({ status: 'live' }));
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const answers = await isReady();
    return reply.code(answers ? 200 : 503).send({ status: answers ? 'ready' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/health/ready', ready);
}
