import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';

const INTERNAL = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/**
 * Serves the metrics of a service at `/metrics`. In production they are for collectors beside it: a request that came through a proxy,
 * or from an address that is not loopback or private, finds nothing there.
 */
export function serveMetrics(app: FastifyInstance, metrics: Registry, production: boolean): void {
  app.get('/metrics', async (request, reply) => {
    if (production && !isInternal(request)) return reply.callNotFound();
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
}

function isInternal({ headers, raw }: FastifyRequest): boolean {
  const peer = raw.socket.remoteAddress ?? '';
  const passedOn = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return !passedOn && ipaddr.isValid(peer) && INTERNAL.has(ipaddr.process(peer).range());
}
