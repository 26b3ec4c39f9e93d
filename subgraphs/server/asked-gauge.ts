import { Gauge, type Registry } from 'prom-client';

/** A metric by its name and what it tells. */
export interface AskedGauge {
  readonly name: string;
  readonly help: string;
}

/** Measures what is asked for each time the metrics are read; not a number while it cannot be had. */
export function askedGauge(registry: Registry, { name, help }: AskedGauge, ask: () => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await ask().catch(() => Number.NaN));
    },
  });
  registry.registerMetric(gauge);
}
