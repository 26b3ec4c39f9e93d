import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

/** Serves what operators ask of a service: whether it lives, and its metrics (kept from the public by the proxy in front). */
export function serveOperatorRoutes(app: FastifyInstance, metrics: Registry): void {
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}
