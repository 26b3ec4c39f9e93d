import type { FastifyRequest } from 'fastify';

/** The label of a host between `ltds.` and the next dot (3-decisions-c-d.md, C.1). */
const AREA = /(?:^|\.)ltds\.([^.:]+)\./i;

/** The licence area that the host of a request names; a forwarded host counts as far as the proxy is trusted. */
export function areaOfHost({ host }: FastifyRequest): string | undefined {
  return AREA.exec(host)?.[1];
}
