import type { BenchRegister, BenchFixture } from './bench-fixture';
import type { Load } from './load';
import { type Figures, type Side, interleaved, warmUp } from './rounds';
import { type Measurement, compared } from './verdict';
import { CONNECTIONS, LIMITS, ROUNDS } from './limits';

/** Inputs of a bench. */
export interface BenchContext {
  readonly fixture: BenchFixture;
  /** Returns a register with ten thousand records for this bench only; it is closed after the bench. */
  register(): Promise<BenchRegister>;
  /** Seconds per round. */
  readonly seconds: number;
  /** Scales a number of rows or events down for rounds shorter than usual. */
  scaled(count: number): number;
  close(): Promise<void>;
}

/** A bench: measurements of one code path. */
export type Bench = (context: BenchContext) => Promise<Measurement[]>;

/** Number of access records in the register of most benches. */
export const SMALL = 10_000;

const USUAL_SECONDS = 3;

/** Returns the context of one bench. */
export function benchContext(fixture: BenchFixture, seconds: number): BenchContext {
  const opened: BenchRegister[] = [];
  const stop = new AbortController();
  const tracked = async (opening: Promise<BenchRegister>) => {
    const register = await opening;
    if (stop.signal.aborted) await register.close();
    stop.signal.throwIfAborted();
    opened.push(register);
    return register;
  };
  return {
    seconds,
    scaled: (count) => Math.ceil(count * Math.min(1, seconds / USUAL_SECONDS)),
    fixture: {
      ...fixture,
      register: (records) => tracked(fixture.register(records, stop.signal)),
      largeRegister: (records) => tracked(fixture.largeRegister(records, stop.signal)),
    },
    register() {
      return this.fixture.register(SMALL);
    },
    close: async () => {
      stop.abort();
      for (const register of opened) await register.close();
    },
  };
}

/** Returns the product as a side of a comparison. */
export function productSide(
  { postgres }: BenchFixture,
  register: BenchRegister,
  load: Load,
  url = register.rest,
): Side {
  return { name: 'product', url, load, servers: register.product, postgres };
}

/** Returns the bare server as a side of a comparison. */
export function bareSide({ postgres }: BenchFixture, register: BenchRegister, load: Load): Side {
  return { name: 'bare-fastify-pg', url: register.bare, load, servers: register.bareServer, postgres };
}

/** Compares the product with one other side at 32 connections. */
export async function comparison(name: string, sides: readonly [Side, Side], seconds: number): Promise<Measurement> {
  const connections = CONNECTIONS.at(-1) as number;
  await warmUp(sides, seconds);
  const [product, figures] = await interleaved(sides, { connections, rounds: ROUNDS, seconds });
  const baseline = { name: sides[1].name, figures: figures as Figures };
  return compared(name, product as Figures, baseline, connections, LIMITS[name]);
}

/**
 * Compares the product, the first side, with each of the others at every number of connections; limits apply to the
 * largest. Names of measurements and limits: `name` against the second side, `name-<side>` against further ones.
 */
export async function comparisons(
  name: string,
  sides: readonly [Side, ...Side[]],
  seconds: number,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  await warmUp(sides, seconds);
  for (const connections of CONNECTIONS) {
    const [product, ...others] = await interleaved(sides, { connections, rounds: ROUNDS, seconds });
    for (const [index, figures] of others.entries()) {
      const baseline = { name: sides[index + 1]?.name as string, figures };
      const full = index === 0 ? name : `${name}-${baseline.name}`;
      const limit = connections === CONNECTIONS.at(-1) ? LIMITS[full] : undefined;
      measurements.push(compared(full, product as Figures, baseline, connections, limit));
    }
  }
  return measurements;
}

/**
 * Returns the ratio at one connection, where no messages can be batched, as a measurement `<name>-alone` with its own
 * limit.
 */
export function atOneConnection(name: string, measurements: readonly Measurement[]): Measurement {
  const single = measurements.find(({ beside }) => beside['connections'] === 1) as Measurement;
  return { ...single, name: `${name}-alone`, limit: LIMITS[`${name}-alone`] };
}
