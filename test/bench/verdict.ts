import type { Figures } from './rounds';

/** A measurement of the product against its baseline. */
export interface Measurement {
  readonly name: string;
  /** Baseline ÷ product: above 1 the product costs less. */
  readonly ratio: number;
  readonly baseline: string;
  /** The minimum ratio; undefined if the measurement is only reported. */
  readonly limit?: number | undefined;
  /** Further figures, in order. */
  readonly beside: Readonly<Record<string, string | number>>;
}

/**
 * Compares two sides: processor time per request of the baseline ÷ product, of servers and database together. Unlike
 * requests per second, it is valid on a busy machine; requests per second are reported as well, and decide only if
 * processor time cannot be read.
 */
export function compared(
  name: string,
  product: Figures,
  baseline: { name: string; figures: Figures },
  connections: number,
  limit?: number,
): Measurement {
  const { figures } = baseline;
  const ratio =
    product.cpu && figures.cpu ? figures.cpu.total / product.cpu.total : product.perSecond / figures.perSecond;
  return {
    name,
    ratio,
    baseline: baseline.name,
    limit,
    beside: {
      connections,
      'requests-ratio': rounded(product.perSecond / figures.perSecond),
      'p50-ratio': rounded(figures.p50 / product.p50),
      'requests-per-second': `${Math.round(product.perSecond)}:${Math.round(figures.perSecond)}`,
      'p50-ms': `${rounded(product.p50)}:${rounded(figures.p50)}`,
      'p99-ms': `${rounded(product.p99)}:${rounded(figures.p99)}`,
      'cpu-us': `${cpuOf(product)}:${cpuOf(figures)}`,
    },
  };
}

/** Formats microseconds of servers and database. */
function cpuOf({ cpu }: Figures): string {
  return cpu ? `${Math.round(cpu.servers)}+${Math.round(cpu.postgres)}` : '-';
}

/** Returns whether a measurement meets its limit. */
export function isKept({ ratio, limit }: Measurement): boolean {
  return limit === undefined || ratio >= limit;
}

/** Result of a bench: its measurements, or its failure. */
export interface Outcome {
  readonly name: string;
  readonly measurements: readonly Measurement[];
  readonly failure?: string;
}

/** Returns whether a bench failed or missed one of its limits. */
export function isBroken({ measurements, failure }: Outcome): boolean {
  return failure !== undefined || !measurements.every(isKept);
}

/** Returns the table of verdicts, with a line for each bench and each of its limits. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) => {
    const { name, measurements, failure } = outcome;
    const limited = measurements.filter(({ limit }) => limit !== undefined);
    const verdict = isBroken(outcome) ? 'BROKEN' : limited.length === 0 ? 'report' : 'kept';
    const limits = limited.map((each) => [
      `  ${each.name}`,
      isKept(each) ? 'kept' : 'BROKEN',
      `ratio ${rounded(each.ratio)}, at least ${rounded(each.limit as number)}`,
    ]);
    return [[name, verdict, failure ?? ''], ...limits];
  });
  const broken = outcomes.filter(isBroken).length;
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const verdict = broken === 0 ? 'all kept' : `${broken} of ${outcomes.length} benches BROKEN`;
  return [...lines, `verdict: ${verdict}`].join('\n');
}

/**
 * Formats a measurement: name, ratio and baseline first. Pairs are `product:baseline`, processor time is
 * `servers+database`.
 */
export function lineOf(measurement: Measurement): string {
  const { name, ratio, baseline, limit, beside } = measurement;
  const verdict = limit === undefined ? 'report' : isKept(measurement) ? 'kept' : 'BROKEN';
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

/** Rounds a number to significant digits. */
export function rounded(number: number): number {
  return Number(number.toPrecision(number >= 100 ? 4 : 3));
}
