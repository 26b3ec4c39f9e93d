import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { serveMetrics } from '../../subgraphs/server/observability/metrics-route';

/** Serves liveness and metrics to operators. */
export function serveOperatorRoutes(app: FastifyInstance, metrics: Registry, production: boolean): void {
  app.get('/health/live', () => ({ status: 'live' }));
  serveMetrics(app, metrics, production);
}
