import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';

/** Upper bounds of the buckets of request durations, in seconds. */
export const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const INTERNAL = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/**
 * Serves the metrics of a service at `/metrics`. In production only collectors in the same network may read them: a
 * request through a proxy or from an address that is neither loopback nor private receives 404.
 */
export function serveMetrics(app: FastifyInstance, metrics: Registry, production: boolean): void {
  app.get('/metrics', async (request, reply) => {
    if (production && !isInternal(request)) return reply.callNotFound();
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
}

function isInternal({ headers, raw }: FastifyRequest): boolean {
  const peer = raw.socket.remoteAddress ?? '';
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return !isForwarded && ipaddr.isValid(peer) && INTERNAL.has(ipaddr.process(peer).range());
}
