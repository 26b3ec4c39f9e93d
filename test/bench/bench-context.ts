import type { BenchRegister, BenchRoom } from './bench-room';
import type { Load } from './load';
import { type Figures, type Side, interleaved, warmUp } from './rounds';
import { type Measurement, compared } from './verdict';
import { CONNECTIONS, LIMITS, ROUNDS } from './limits';

/** What a bench is given. */
export interface BenchContext {
  readonly room: BenchRoom;
  /** A register with ten thousand records that no other bench uses; it is closed after the bench. */
  register(): Promise<BenchRegister>;
  /** Seconds of each round. */
  readonly seconds: number;
  /** A number of rows or events, less for shorter rounds than the usual. */
  scaled(count: number): number;
  close(): Promise<void>;
}

/** A bench: some measurements of one path. */
export type Bench = (context: BenchContext) => Promise<Measurement[]>;

/** Records of the register of most benches. */
export const SMALL = 10_000;

const USUAL_SECONDS = 3;

/** The context of one bench. */
export function benchContext(room: BenchRoom, seconds: number): BenchContext {
  const opened: BenchRegister[] = [];
  const stop = new AbortController();
  return {
    seconds,
    scaled: (count) => Math.ceil(count * Math.min(1, seconds / USUAL_SECONDS)),
    room: {
      ...room,
      register: async (records) => {
        const register = await room.register(records, stop.signal);
        if (stop.signal.aborted) await register.close();
        stop.signal.throwIfAborted();
        opened.push(register);
        return register;
      },
    },
    register() {
      return this.room.register(SMALL);
    },
    close: async () => {
      stop.abort();
      for (const register of opened) await register.close();
    },
  };
}

/** The product as a side of a comparison. */
export function productSide({ postgres }: BenchRoom, register: BenchRegister, load: Load, url = register.rest): Side {
  return { name: 'product', url, load, servers: register.product, postgres };
}

/** The bare server as a side of a comparison. */
export function bareSide({ postgres }: BenchRoom, register: BenchRegister, load: Load): Side {
  return { name: 'bare-fastify-pg', url: register.bare, load, servers: register.bareServer, postgres };
}

/** The product against one other side at 32 connections. */
export async function comparison(name: string, sides: readonly [Side, Side], seconds: number): Promise<Measurement> {
  const connections = CONNECTIONS.at(-1) as number;
  await warmUp(sides, seconds);
  const [ours, figures] = await interleaved(sides, { connections, rounds: ROUNDS, seconds });
  const baseline = { name: sides[1].name, figures: figures as Figures };
  return compared(name, ours as Figures, baseline, connections, LIMITS[name]);
}

/** The product, which is the first side, against each of the others at every number of connections; the limit is that at the most. */
export async function comparisons(
  name: string,
  sides: readonly [Side, ...Side[]],
  seconds: number,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  await warmUp(sides, seconds);
  for (const connections of CONNECTIONS) {
    const [ours, ...others] = await interleaved(sides, { connections, rounds: ROUNDS, seconds });
    for (const [index, figures] of others.entries()) {
      const baseline = { name: sides[index + 1]?.name as string, figures };
      const limit = connections === CONNECTIONS.at(-1) && index === 0 ? LIMITS[name] : undefined;
      measurements.push(compared(name, ours as Figures, baseline, connections, limit));
    }
  }
  return measurements;
}
