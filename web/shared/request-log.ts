import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { errorFields } from '../../subgraphs/server/observability/failures';

/**
 * Logs one line per request for a page. It contains the route template, because paths and query strings may contain
 * secrets.
 */
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

/** Logs an unexpected error without its message, which may contain personal data. */
export function logFailure(logger: Logger, transactionId: string, error: unknown): void {
  logger.error({ 'transaction-id': transactionId, failure: errorFields(error) }, 'internal error');
}
