import fastify, { type FastifyInstance } from 'fastify';
import { CUSTOMER_TOKEN_PATTERN } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import type { TokenVerifier } from './bearer-token';
import type { CallContext, ServiceName } from './caller';
import type { RunningSubgraph } from './running-subgraph';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from './service-token';
import type { SubgraphLink, SubgraphRequest } from './subgraph-link';
import { withinTrace } from './tracing';

/** What a subgraph that is a process of its own needs beside its link. */
export interface SubgraphServerParts {
  readonly name: ServiceName;
  readonly link: SubgraphLink;
  readonly ready: RunningSubgraph['ready'];
  readonly tokens: ServiceTokens;
  readonly verifier: TokenVerifier;
  readonly foreignCaller?: RunningSubgraph['foreignCaller'];
  readonly port: number;
  readonly host: string;
  /** Adds routes of its own (the key set of `access`). */
  readonly routes?: (app: FastifyInstance) => void;
}

const BODY_LIMIT = 1024 * 1024;
/** Milliseconds until the whole request must have arrived. */
const REQUEST_TIMEOUT = 30_000;

/** Serves a subgraph over HTTP to the other services of the register, and to nobody else. */
export async function serveSubgraph(parts: SubgraphServerParts): Promise<FastifyInstance> {
  const { link, ready, port, host, routes } = parts;
  const app = fastify({ bodyLimit: BODY_LIMIT, requestTimeout: REQUEST_TIMEOUT });
  app.get('/health', async (_, reply) => {
    const isReady = await ready();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'unavailable' });
  });
  app.get('/health/live', () => ({ status: 'live' }));
  routes?.(app);
  app.post('/graphql', async (request, reply) => {
    try {
      const context = await contextOf(request.headers, parts);
      return await withinTrace(request.headers, () => link.execute(request.body as SubgraphRequest, context));
    } catch (error) {
      if (!(error instanceof RegisterError)) throw error;
      return reply.code(error.code === 'AUT001' ? 401 : 503).send({ errors: [error.toJSON()] });
    }
  });
  await app.listen({ port, host });
  return app;
}

/**
 * The context that the service token carries; a caller in it must have sent a bearer token of that very account. For the token of a
 * customer's session, which says nothing by itself, the service token vouches; whoever serves customers looks the session up. It
 * vouches, too, for a caller who sent no bearer token, and for one of another issuer where nobody here serves those.
 */
async function contextOf(
  headers: Record<string, string | string[] | undefined>,
  { name, tokens, verifier, foreignCaller }: SubgraphServerParts,
): Promise<CallContext> {
  const { from: _, ...context } = await tokens.verify(String(headers[SERVICE_TOKEN_HEADER] ?? ''), name);
  const { caller } = context;
  if (caller === null || context.vouched === true) return context;
  const bearer = String(headers['authorization'] ?? '').replace(/^Bearer +/i, '');
  if (caller.role === 'customer' && CUSTOMER_TOKEN_PATTERN.test(bearer)) return { ...context, bearer };
  if (caller.role === 'consumer') {
    if (!foreignCaller) return context;
    const verified = await foreignCaller(bearer);
    if (verified.accountId !== caller.accountId || verified.mpid !== caller.mpid) throw new RegisterError('AUT001');
    return { ...context, caller: verified, bearer };
  }
  const claims = await verifier.verify(bearer);
  if (claims.accountId !== caller.accountId) throw new RegisterError('AUT001');
  return { ...context, bearer };
}
