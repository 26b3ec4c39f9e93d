import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Bench, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { CONNECTIONS, LIMITS, ROUNDS } from '../limits';
import { progress } from '../progress';
import { type Figures, interleaved, median, warmUp } from '../rounds';
import { fillTariffs } from '../tariff-rows';
import { type Measurement, rounded } from '../verdict';
import { yearOfStoredRates } from '../../support/year-of-rates';
import { verifyLoad } from './verify';

/** Requests a second, each for a year of half-hourly prices. */
const REQUESTS_PER_SECOND = 2;
const HALF_HOURS = 17_520;

const QUERY = `query Year($id: String!, $from: DateTime!, $to: DateTime!) { tariff(tariffId: $id) {
  prices(from: $from, to: $to) { from to unitPriceExcludingVat unitPriceIncludingVat } } }`;

/** Returns the half-hours between the start of 2027 and that of the next year that is read. */
type NextYear = () => number;

/** Part of the measured maximum of verifications a second at which their times are measured: at the maximum they would be those of its queue. */
const LOAD = 0.5;

/**
 * The p99 of verifying a record at half of the maximum, with and without one client that reads two years of prices a second; alternating
 * within one run. First the same year, whose prices are cached; then years that start at different half-hours, so that
 * the prices of each are computed.
 */
export const pricesBesideVerify: Bench = async (context) => {
  const { fixture, seconds } = context;
  const register = await context.register();
  const tariffId = await tariffOfYear(register);
  const side = productSide(fixture, register, verifyLoad(register));
  const connections = CONNECTIONS.at(-1) as number;
  await warmUp([side], seconds);
  await readYear(register, tariffId, 0);
  const measured = async (pauseMs?: number) =>
    (await interleaved([side], { connections, rounds: 1, seconds, ...(pauseMs && { pauseMs }) }))[0] as Figures;
  const pauseMs = (connections * 1_000) / ((await measured()).perSecond * LOAD);
  const compared = async (name: string, next: NextYear): Promise<Measurement> => {
    const [alone, beside]: [Figures[], Figures[]] = [[], []];
    const times: number[] = [];
    for (let round = 0; round < ROUNDS * 3; round += 1) {
      alone.push(await measured(pauseMs));
      const reader = new PriceReader(register, tariffId, next);
      beside.push(await measured(pauseMs));
      times.push(...(await reader.stop()));
      progress(`round ${round + 1}: p99 alone ${alone.at(-1)?.p99} ms, beside prices ${beside.at(-1)?.p99} ms`);
    }
    return verdict(name, alone, beside, times);
  };
  let years = 0;
  return [
    await compared('prices-beside-verify', () => 0),
    await compared('new-prices-beside-verify', () => (years += 1)),
  ];
};

function verdict(
  name: string,
  alone: readonly Figures[],
  beside: readonly Figures[],
  times: readonly number[],
): Measurement {
  const of = (figures: readonly Figures[], value: (each: Figures) => number) => median(figures.map(value));
  const p99 = (figures: readonly Figures[]) => of(figures, (each) => each.p99);
  const perSecond = (figures: readonly Figures[]) => Math.round(of(figures, (each) => each.perSecond));
  return {
    name,
    ratio: p99(alone) / p99(beside),
    baseline: 'verify-alone',
    limit: LIMITS[name],
    beside: {
      'p99-ms': `${rounded(p99(beside))}:${rounded(p99(alone))}`,
      'requests-per-second': `${perSecond(beside)}:${perSecond(alone)}`,
      years: times.length,
      'year-p50-ms': rounded(median(times)),
    },
  };
}

/** Reads a year of prices twice a second, whether or not earlier requests have a response. */
class PriceReader {
  private readonly stopping = new AbortController();
  private readonly running: Promise<number[]>;

  constructor(register: BenchRegister, tariffId: string, next: NextYear) {
    this.running = this.read(register, tariffId, next);
  }

  /** Returns the milliseconds that each request took. */
  stop(): Promise<number[]> {
    this.stopping.abort();
    return this.running;
  }

  private async read(register: BenchRegister, tariffId: string, next: NextYear): Promise<number[]> {
    const requests: Promise<number>[] = [];
    while (!this.stopping.signal.aborted) {
      requests.push(readYear(register, tariffId, next()));
      await pause(1_000 / REQUESTS_PER_SECOND, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    return Promise.all(requests);
  }
}

/** Reads a year of prices; only counts the bytes of the response, because reader and register share the machine's processors. */
async function readYear({ gateway }: BenchRegister, id: string, halfHours: number): Promise<number> {
  const [from, to] = [2027, 2028].map((year) => new Date(Date.UTC(year, 0, 1, 0, halfHours * 30)));
  const begin = performance.now();
  const request = httpRequest(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  }).end(JSON.stringify({ query: QUERY, variables: { id, from, to } }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(response, 'end');
  if (response.statusCode !== 200 || bytes < HALF_HOURS * 100)
    throw new Error(`a year of prices: ${response.statusCode}, ${bytes} bytes`);
  return performance.now() - begin;
}

/** Appends a separate price to a tariff for each half-hour of the year. */
async function tariffOfYear({ databaseUrl }: BenchRegister): Promise<string> {
  await fillTariffs(databaseUrl, 100);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path = tariffs, register; set session_replication_role = replica');
    const { rows } = await client.query<{ tariff_id: string }>(
      'update tariff_rates set rates = $1::jsonb where tariff_id = (select min(tariff_id) from tariff_rates) returning tariff_id',
      [JSON.stringify(yearOfStoredRates())],
    );
    return rows[0]?.tariff_id as string;
  } finally {
    await client.end();
  }
}
