import { type BenchRegister, type BenchRoom, openBenchRoom } from './bench-room';
import type { Load } from './load';
import { type Figures, type Side, interleaved, warmUp } from './rounds';
import { type Measurement, compared } from './verdict';
import { CONNECTIONS, LIMITS, ROUNDS } from './limits';

/** What every bench is given; room and register are made when the first bench needs them, and shared. */
export interface BenchContext {
  room(): Promise<BenchRoom>;
  /** A register with ten thousand records. */
  register(): Promise<BenchRegister>;
  /** Seconds of each round. */
  readonly seconds: number;
  close(): Promise<void>;
}

/** A bench: some measurements of one path. */
export type Bench = (context: BenchContext) => Promise<Measurement[]>;

/** Records of the register that most benches share. */
export const SMALL = 10_000;

/** The context of one run. */
export function benchContext(seconds: number): BenchContext {
  let room: Promise<BenchRoom> | undefined;
  let register: Promise<BenchRegister> | undefined;
  const open = () => (room ??= openBenchRoom());
  return {
    seconds,
    room: open,
    register: () => (register ??= open().then((opened) => opened.register(SMALL))),
    close: async () => (await room)?.close(),
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
  await warmUp(sides);
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
  await warmUp(sides);
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
