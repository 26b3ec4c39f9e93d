import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import { DURATION_BUCKETS_SECONDS } from '../../subgraphs/server/observability/metrics-route';

/** A completed request. The route is the template, because path values and queries may be secret or personal data. */
interface CompletedRequest {
  readonly transactionId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
}

/** Writes one log line and one observation per request. */
export type RecordRequest = (request: CompletedRequest) => void;

/** Route of requests that match no path, or that are rejected before routing. */
export const UNKNOWN_ROUTE = 'unknown';

/** Method of requests that cannot be parsed. */
export const UNKNOWN_METHOD = 'unknown';

/** Logs and measures requests by route template, method and status. */
export function requestRecorder(logger: Logger, registry: Registry): RecordRequest {
  const seconds = new Histogram({
    name: 'rest_request_duration_seconds',
    help: 'Duration of REST requests in seconds',
    labelNames: ['route', 'method', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  const observers = new Map<string, (value: number) => void>();
  const observerOf = ({ route, method, status }: CompletedRequest) => {
    const observe = seconds.labels(route, method, String(status)).observe;
    observers.set(`${method} ${route} ${status}`, observe);
    return observe;
  };
  return (request) => {
    const { transactionId, method, route, status, startedAt } = request;
    const milliseconds = performance.now() - startedAt;
    const observe = observers.get(`${method} ${route} ${status}`) ?? observerOf(request);
    observe(milliseconds / 1000);
    logger.info({
      'transaction-id': transactionId,
      method,
      route,
      status,
      'duration-ms': Math.round(milliseconds * 100) / 100,
    });
  };
}
