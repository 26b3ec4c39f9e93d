import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { serveMetrics } from '../subgraphs/server/metrics-route';

/** Serves what operators ask of a service: whether it lives, and its metrics. */
export function serveOperatorRoutes(app: FastifyInstance, metrics: Registry, production: boolean): void {
  app.get('/health/live', () => ({ status: 'live' }));
  serveMetrics(app, metrics, production);
}
