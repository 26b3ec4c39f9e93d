import { type Bench, bareSide, comparisons, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-room';
import { LIMITS, ROUNDS } from '../limits';
import type { Load } from '../load';
import { type Figures, type Side, interleaved } from '../rounds';
import { demandSameAnswer } from '../same-answer';
import { type Measurement, compared } from '../verdict';

/** GET /v1/access-records/{ak}, of a random record. */
export function verifyLoad({ rows }: BenchRegister): Load {
  return { method: 'GET', path: '/v1/access-records/{key}', keys: rows.accessKeys };
}

/** Verifying a record, everything in one process, against the bare server. */
export const verify: Bench = async (context) => {
  const [room, register] = [await context.room(), await context.register()];
  const load = verifyLoad(register);
  const sides = [productSide(room, register, load), bareSide(room, register, load)] as const;
  await demandSameAnswer(...sides);
  const measurements = await comparisons('verify', [...sides], context.seconds);
  return [...measurements, await latency(sides, context.seconds)];
};

/** The p50 at one connection, measured by itself. */
async function latency(sides: readonly Side[], seconds: number): Promise<Measurement> {
  const [ours, bare] = (await interleaved(sides, { connections: 1, rounds: ROUNDS, seconds })) as [Figures, Figures];
  return {
    ...compared('verify-p50', ours, { name: 'bare-fastify-pg', figures: bare }, 1, LIMITS['verify-p50']),
    ratio: bare.p50 / ours.p50,
  };
}

/** How the services are spread over processes. */
const WIRINGS = {
  'verify-two-processes': ['access,identity', 'gateway,rest-adapter'],
  'verify-a-process-each': ['identity', 'access', 'gateway', 'rest-adapter'],
} as const;

/** Verifying a record over HTTP between services, against the bare server; reported only. */
export const verifyBetweenProcesses: Bench = async (context) => {
  const [room, register] = [await context.room(), await context.register()];
  const load = verifyLoad(register);
  const bare = bareSide(room, register, load);
  const measurements: Measurement[] = [];
  for (const [name, processes] of Object.entries(WIRINGS)) {
    const services = await register.startServices(processes);
    try {
      const ours: Side = { ...productSide(room, register, load, services.rest), servers: services.servers };
      await demandSameAnswer(ours, bare);
      const [figures, figuresOfBare] = (await interleaved([ours, bare], {
        connections: 32,
        rounds: ROUNDS,
        seconds: context.seconds,
      })) as [Figures, Figures];
      measurements.push(compared(name, figures, { name: bare.name, figures: figuresOfBare }, 32));
    } finally {
      await services.stop();
    }
  }
  return measurements;
};
