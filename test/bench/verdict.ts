import type { Figures } from './rounds';

/** One measurement: how the product stands against its baseline. */
export interface Measurement {
  readonly name: string;
  /** Baseline ÷ ours: above 1 the product costs less. */
  readonly ratio: number;
  readonly baseline: string;
  /** The least ratio that is accepted; undefined when the measurement is only reported. */
  readonly limit?: number | undefined;
  /** Figures beside the ratio, in order. */
  readonly beside: Readonly<Record<string, string | number>>;
}

/**
 * The verdict on two sides: processor time per request of the baseline ÷ ours, servers and database together. It holds on a busy machine,
 * where requests per second do not; they stand beside it, and decide only where processor time cannot be read.
 */
export function compared(
  name: string,
  ours: Figures,
  baseline: { name: string; figures: Figures },
  connections: number,
  limit?: number,
): Measurement {
  const { figures } = baseline;
  const ratio = ours.cpu && figures.cpu ? figures.cpu.total / ours.cpu.total : ours.perSecond / figures.perSecond;
  return {
    name,
    ratio,
    baseline: baseline.name,
    limit,
    beside: {
      connections,
      'requests-ratio': rounded(ours.perSecond / figures.perSecond),
      'p50-ratio': rounded(figures.p50 / ours.p50),
      'requests-per-second': `${Math.round(ours.perSecond)}:${Math.round(figures.perSecond)}`,
      'p50-ms': `${rounded(ours.p50)}:${rounded(figures.p50)}`,
      'p99-ms': `${rounded(ours.p99)}:${rounded(figures.p99)}`,
      'cpu-us': `${cpuOf(ours)}:${cpuOf(figures)}`,
    },
  };
}

/** Servers + database, in microseconds. */
function cpuOf({ cpu }: Figures): string {
  return cpu ? `${Math.round(cpu.servers)}+${Math.round(cpu.postgres)}` : '-';
}

/** Whether a measurement keeps its limit. */
export function isKept({ ratio, limit }: Measurement): boolean {
  return limit === undefined || ratio >= limit;
}

/** The line of a measurement: name, ratio and baseline first. Pairs are `ours:baseline`, processor time is `servers+database`. */
export function lineOf(measurement: Measurement): string {
  const { name, ratio, baseline, limit, beside } = measurement;
  const verdict = limit === undefined ? 'report' : isKept(measurement) ? 'kept' : 'MISSED';
  const facts = {
    ratio: rounded(ratio),
    baseline,
    ...beside,
    ...(limit === undefined ? {} : { limit: rounded(limit) }),
    verdict,
  };
  return `${name} ${Object.entries(facts)
    .map(([fact, value]) => `${fact}=${value}`)
    .join(' ')}`;
}

/** A number with as many digits as a reader can use. */
export function rounded(number: number): number {
  return Number(number.toPrecision(number >= 100 ? 4 : 3));
}
