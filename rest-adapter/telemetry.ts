import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';

/** A request that was answered. The route is the template: path values and queries may be secrets or personal data. */
export interface AnsweredRequest {
  readonly transactionId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** `performance.now()` when the adapter began. */
  readonly startedAt: number;
}

/** One log line and one observation for every request. */
export type RecordRequest = (request: AnsweredRequest) => void;

/** The route of requests to paths that the register does not have, and of those that are refused before their path is looked for. */
export const UNKNOWN_ROUTE = 'unknown';

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Logs and measures requests by route template, method and status. */
export function requestRecorder(logger: Logger, registry: Registry): RecordRequest {
  const seconds = new Histogram({
    name: 'rest_request_duration_seconds',
    help: 'Duration of REST requests in seconds',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const observers = new Map<string, (value: number) => void>();
  const observerOf = ({ route, method, status }: AnsweredRequest) => {
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

/** What of the adapter's own failure may be logged: where, not what it says. */
export function failurePlace(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    kind: error.name,
    code: (error as { code?: unknown }).code,
    at: frames.slice(0, 6).map((line) => line.trim()),
  };
}
