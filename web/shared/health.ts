import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphClient } from '../../gateway/client/graph-client';
import { newIdentifier } from '../../schema/identifiers';

/**
 * Serves liveness at `/health/live`; readiness, which requires that the register responds, at `/health/ready` and
 * `/health`.
 */
export function serveHealth(app: FastifyInstance, graph: GraphClient): void {
  app.get('/health/live', () => ({ status: 'live' }));
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const isReady = await isRegisterReady(graph);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/health/ready', ready);
}

/** Returns whether the register executes an operation that requires no session. */
async function isRegisterReady(graph: GraphClient): Promise<boolean> {
  const metadata = { transactionId: newIdentifier('tid'), clientAddress: '127.0.0.1' };
  const { failures } = await graph.run('CheckRegister', {}, metadata);
  return failures.length === 0;
}
