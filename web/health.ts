import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphClient } from '../gateway/client/graph-client';
import { newIdentifier } from '../schema/identifiers';

/** Serves what operators ask: whether the service lives, and whether the register answers it. */
export function serveHealth(app: FastifyInstance, graph: GraphClient): void {
  app.get('/health/live', () => ({ status: 'live' }));
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const answers = await registerAnswers(graph);
    return reply.code(answers ? 200 : 503).send({ status: answers ? 'ready' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/health/ready', ready);
}

/** Whether the register answers what anybody may ask. */
async function registerAnswers(graph: GraphClient): Promise<boolean> {
  const facts = { transactionId: newIdentifier('tid'), clientAddress: '127.0.0.1' };
  const { failures } = await graph.run('CheckRegister', {}, facts);
  return failures.length === 0;
}
