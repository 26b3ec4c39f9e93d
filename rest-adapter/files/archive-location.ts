import type { FastifyRequest } from 'fastify';
import type { PublishedVersion } from './file-store';
import { areaOfHost } from './licence-area';

/**
 * Returns the address of the archive of a version, on the public origin if the host of the request names another licence area, because the
 * area of the host takes precedence. A base model has none: GraphQL returns it.
 */
export function locationOf(
  { area, publicationYear, period, projectId, version }: PublishedVersion,
  request: FastifyRequest,
  origin: string,
): Record<string, string> {
  if (projectId === null) return {};
  const query = new URLSearchParams({
    licenceArea: area,
    publicationYear: String(publicationYear),
    period,
    version: String(version),
  });
  const isOfHost = (areaOfHost(request) ?? area).toLowerCase() === area.toLowerCase();
  return {
    location: `${isOfHost ? '' : origin}/grid-modelling/stage3/development-projects/${projectId}?${query}`,
  };
}
