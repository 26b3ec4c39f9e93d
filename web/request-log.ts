import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

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

const FRAMES = 6;

/** A failure of the portal itself: where, not what it says. */
export function logFailure(logger: Logger, transactionId: string, error: unknown): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  logger.error(
    {
      'transaction-id': transactionId,
      failure: {
        kind: error instanceof Error ? error.name : typeof error,
        at: frames.slice(0, FRAMES).map((line) => line.trim()),
      },
    },
    'internal error',
  );
}
