import type { FastifyRequest } from 'fastify';

/** The host label between `ltds.` and the next dot (decisions C.1). */
const AREA = /(?:^|\.)ltds\.([^.:]+)\./i;

/** Returns the licence area in a request's host. `X-Forwarded-Host` counts if the proxy is trusted. */
export function areaOfHost({ host }: FastifyRequest): string | undefined {
  return AREA.exec(host)?.[1];
}
