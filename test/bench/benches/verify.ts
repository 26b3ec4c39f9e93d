import { type Bench, atOneConnection, bareSide, comparisons, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { LIMITS } from '../limits';
import type { Load } from '../load';
import type { Side } from '../rounds';
import { expectSameResponse } from '../same-response';
import type { Measurement } from '../verdict';

/** GET /v1/access-records/{ak} of a random record. */
export function verifyLoad({ rows }: BenchRegister): Load {
  return { method: 'GET', path: '/v1/access-records/{key}', keys: rows.accessKeys };
}

/** Verifies a record, with all services in one process, against the bare server. */
export const verify: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = verifyLoad(register);
  const sides = [productSide(fixture, register, load), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  const measurements = await comparisons('verify', [...sides], context.seconds);
  return [...measurements, latency(measurements), atOneConnection('verify', measurements)];
};

/** Returns the p50 at one connection: the response time for a Data Provider that sends one request at a time. */
function latency(measurements: readonly Measurement[]): Measurement {
  const alone = measurements.find(({ beside }) => beside['connections'] === 1) as Measurement;
  const { connections, 'p50-ms': milliseconds, 'p50-ratio': ratio } = alone.beside;
  const beside = { connections: connections as number, 'p50-ms': milliseconds as string };
  return { ...alone, name: 'verify-p50', ratio: ratio as number, limit: LIMITS['verify-p50'], beside };
}

/** Divisions of the services into processes. */
const WIRINGS = {
  'verify-two-processes': ['access,identity', 'gateway,rest-adapter'],
  'verify-a-process-each': ['identity', 'access', 'gateway', 'rest-adapter'],
} as const;

/** Verifies a record over links between services, against the bare server, at every number of connections. */
export const verifyBetweenProcesses: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = verifyLoad(register);
  const bare = bareSide(fixture, register, load);
  const measurements: Measurement[] = [];
  for (const [name, processes] of Object.entries(WIRINGS)) {
    const services = await register.startServices(processes);
    try {
      const product: Side = { ...productSide(fixture, register, load, services.rest), servers: services.servers };
      await expectSameResponse(product, bare);
      const compared = await comparisons(name, [product, bare], context.seconds);
      measurements.push(...compared, atOneConnection(name, compared));
    } finally {
      await services.stop();
    }
  }
  return measurements;
};
