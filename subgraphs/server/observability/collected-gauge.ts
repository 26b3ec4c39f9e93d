import { Gauge, type Registry } from 'prom-client';

/** Name and help text of a metric. */
interface CollectedGauge {
  readonly name: string;
  readonly help: string;
}

/** Registers a gauge that calls `measure` each time the metrics are collected. Its value is NaN if `measure` fails. */
export function collectedGauge(
  registry: Registry,
  { name, help }: CollectedGauge,
  measure: () => Promise<number>,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await measure().catch(() => Number.NaN));
    },
  });
  registry.registerMetric(gauge);
}
