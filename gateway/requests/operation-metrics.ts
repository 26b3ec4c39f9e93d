import { Counter, Histogram, type Registry } from 'prom-client';
import { DURATION_BUCKETS_SECONDS } from '../../subgraphs/server/observability/metrics-route';

/** Measures operations: duration by trusted document (`ad-hoc` for all others), and failures by code. */
export interface OperationMetrics {
  /** Starts the clock. The returned function stops it; `outcome` is `ok` or the code of the first error. */
  start(operation: string): (outcome: string) => void;
}

/** Metric label of operations that are not trusted documents. */
export const AD_HOC = 'ad-hoc';

/** Metrics of the gateway. `names` bounds the label values: any other name counts as `unknown`. */
export function operationMetrics(registry: Registry, names: Iterable<string>): OperationMetrics {
  const seconds = new Histogram({
    name: 'gateway_operation_duration_seconds',
    help: 'Duration of GraphQL operations in seconds',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  const failures = new Counter({
    name: 'gateway_operation_failures_total',
    help: 'GraphQL operations that returned errors, by the code of the first',
    labelNames: ['operation', 'code'],
    registers: [registry],
  });
  const observers = new Map([...names, AD_HOC, 'unknown'].map((name) => [name, seconds.labels(name)]));
  return {
    start(operation) {
      const startedAt = performance.now();
      const name = observers.has(operation) ? operation : 'unknown';
      return (outcome) => {
        observers.get(name)?.observe((performance.now() - startedAt) / 1000);
        if (outcome !== 'ok') failures.inc({ operation: name, code: outcome });
      };
    },
  };
}
