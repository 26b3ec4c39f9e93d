import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Path of the schema for clients, in production too. */
export const CLIENT_SCHEMA_PATH = '/schema.graphql';

/**
 * Serves the schema for clients as SDL. Every client may read it, because it contains nothing that only the back office
 * may call: client developers need a schema before they have an account, and have no right to introspect in production.
 */
export function addClientSchema(app: FastifyInstance, sdl: string): void {
  const tag = `"${createHash('sha256').update(sdl).digest('base64url')}"`;
  app.get(CLIENT_SCHEMA_PATH, (request, reply) => {
    void reply.headers({ etag: tag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' });
    if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
    return reply.type('text/plain; charset=utf-8').send(sdl);
  });
}

/** Compares `If-None-Match` weakly (RFC 9110 section 13.1.2). */
function matches(condition: string | undefined, tag: string): boolean {
  const tags = (condition ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}
