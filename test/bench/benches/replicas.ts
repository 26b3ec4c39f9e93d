import { type Bench, productSide } from '../bench-context';
import { CONNECTIONS, LIMITS, ROUNDS } from '../limits';
import { type Figures, type Side, interleaved, warmUp } from '../rounds';
import { compared } from '../verdict';
import { verifyLoad } from './verify';

/** Numbers of replicas on one PostgreSQL; each has as many connections as a single one. */
const REPLICAS = [1, 2, 4] as const;
const SERVICES = 'identity,access,grid-models,tariffs,gateway,rest-adapter';

/**
 * Verifies records at 1, 2 and 4 replicas, each under the load of one: processor time per request, of servers and
 * database together. A ratio of 1 means that a replica adds no cost to its own work.
 */
export const replicas: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = verifyLoad(register);
  const started: Awaited<ReturnType<typeof register.startServices>>[] = [];
  try {
    for (let count = 0; count < Math.max(...REPLICAS); count += 1)
      started.push(await register.startServices([SERVICES]));
    const sides = REPLICAS.map((count): Side => {
      const [first, ...others] = started.slice(0, count) as [(typeof started)[number], ...typeof started];
      return {
        ...productSide(fixture, register, load, first.rest),
        name: `${count} replicas`,
        replicas: others.map(({ rest }) => rest),
        servers: () => sumOf([first, ...others].map(({ servers }) => servers())),
      };
    });
    await warmUp(sides, context.seconds);
    const connections = CONNECTIONS.at(-1) as number;
    const [alone, ...several] = await interleaved(sides, { connections, rounds: ROUNDS, seconds: context.seconds });
    const baseline = { name: 'one-replica', figures: alone as Figures };
    return several.map((figures, index) => {
      const name = `replicas-${REPLICAS[index + 1]}`;
      return compared(name, figures, baseline, connections, LIMITS[name]);
    });
  } finally {
    await Promise.all(started.map((each) => each.stop()));
  }
};

/** Undefined if the processor time of one process cannot be read. */
function sumOf(times: readonly (number | undefined)[]): number | undefined {
  return times.some((time) => time === undefined)
    ? undefined
    : times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
}
