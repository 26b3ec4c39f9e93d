import { type Load, type Pressure, sendLoad } from './load';
import type { ProcessorClock } from './processor-time';
import { progress } from './progress';

/** One of the compared servers. */
export interface Side {
  readonly name: string;
  readonly url: string;
  /** Further replicas; each gets as many connections as the first one. */
  readonly replicas?: readonly string[];
  readonly load: Load;
  /** Processor time of its processes, without the database. */
  readonly servers: ProcessorClock;
  /** Processor time of its database. */
  readonly postgres: ProcessorClock;
}

/** Result of a side: medians of its rounds. */
export interface Figures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time per request; undefined if it cannot be read. */
  readonly cpu: { readonly servers: number; readonly postgres: number; readonly total: number } | undefined;
}

/** Settings of a comparison. */
export interface Plan extends Pressure {
  readonly rounds: number;
}

/** Loads each side until its code is compiled and its tables are in memory, at every later number of connections. */
export async function warmUp(sides: readonly Side[], seconds: number): Promise<void> {
  for (const side of sides) {
    await sendToAll(side, { connections: 32, seconds });
    progress(`${side.name} is warm`);
  }
}

/** Compares warm sides in interleaved rounds, so that other load on the machine affects all of them. */
export async function interleaved(sides: readonly Side[], { rounds, ...pressure }: Plan): Promise<Figures[]> {
  const figures: Figures[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) figures[index]?.push(await measured(side, pressure));
    const speeds = sides.map(({ name }, index) => `${name} ${Math.round(figures[index]?.at(-1)?.perSecond ?? 0)}`);
    progress(
      `${pressure.connections} connections, round ${round + 1} of ${rounds}, requests per second: ${speeds.join(', ')}`,
    );
  }
  return figures.map(medians);
}

/** Loads all replicas of a side concurrently; returns the percentiles of the slowest. */
async function sendToAll({ url, replicas = [], load }: Side, pressure: Pressure) {
  const results = await Promise.all([url, ...replicas].map((each) => sendLoad(each, load, pressure)));
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.max(...results.map(({ seconds }) => seconds)),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

async function measured(side: Side, pressure: Pressure): Promise<Figures> {
  const { servers, postgres } = side;
  const before = [servers(), postgres()] as const;
  const result = await sendToAll(side, pressure);
  const after = [servers(), postgres()] as const;
  const { requests, p50, p99 } = result;
  const used = [0, 1].map((index) => {
    const [from, to] = [before[index], after[index]];
    return from === undefined || to === undefined ? undefined : ((to - from) * 1e6) / requests;
  });
  const [ofServers, ofPostgres] = used;
  const cpu =
    ofServers === undefined || ofPostgres === undefined
      ? undefined
      : { servers: ofServers, postgres: ofPostgres, total: ofServers + ofPostgres };
  return { perSecond: requests / result.seconds, p50, p99, cpu };
}

function medians(figures: readonly Figures[]): Figures {
  const of = (value: (each: Figures) => number | undefined) => median(figures.map((each) => value(each) ?? 0));
  const cpu = {
    servers: of((each) => each.cpu?.servers),
    postgres: of((each) => each.cpu?.postgres),
    total: of((each) => each.cpu?.total),
  };
  return {
    perSecond: of((each) => each.perSecond),
    p50: of((each) => each.p50),
    p99: of((each) => each.p99),
    cpu: figures.every((each) => each.cpu) ? cpu : undefined,
  };
}

/** Returns the median of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
