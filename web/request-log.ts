import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { failureFacts } from '../subgraphs/server/failures';

/** One log line for every page that is asked for: the route template, because paths and query strings may hold secrets. */
export function logRequests(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? 'unknown';
    if (route.startsWith('/health/') || route.startsWith('/assets/')) return next();
    logger.info({
      'transaction-id': request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      'duration-ms': Math.round(reply.elapsedTime * 100) / 100,
    });
    next();
  });
}

/** A failure of the service itself: where, not what it says. */
export function logFailure(logger: Logger, transactionId: string, error: unknown): void {
  logger.error({ 'transaction-id': transactionId, failure: failureFacts(error) }, 'internal error');
}
