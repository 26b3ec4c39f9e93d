import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphClient } from '../../gateway/client/graph-client';
import { newIdentifier } from '../../schema/identifiers';

/** Serves what operators ask: whether the portal lives, and whether the register answers it. */
export function serveHealth(app: FastifyInstance, graph: GraphClient): void {
  app.get('/health/live', () => ({ status: 'live' }));
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const facts = { transactionId: newIdentifier('tid'), clientAddress: '127.0.0.1' };
    const { failures } = await graph.run('ListSupplierSignIns', {}, facts);
    const isReady = failures.length === 0;
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/health/ready', ready);
}
