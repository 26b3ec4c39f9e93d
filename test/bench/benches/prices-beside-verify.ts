import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Bench, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-room';
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

const QUERY = `query Year($id: String!) { tariff(tariffId: $id) {
  prices(from: "2027-01-01T00:00:00Z", to: "2028-01-01T00:00:00Z") { from to unitPriceExcludingVat unitPriceIncludingVat } } }`;

/** The p99 of verifying a record, with and without one client that reads two years of prices a second; in one run, in turns. */
export const pricesBesideVerify: Bench = async (context) => {
  const { room, seconds } = context;
  const register = await context.register();
  const tariffId = await tariffOfYear(register);
  const side = productSide(room, register, verifyLoad(register));
  const connections = CONNECTIONS.at(-1) as number;
  await warmUp([side], seconds);
  await readYear(register, tariffId);
  const measured = async () => (await interleaved([side], { connections, rounds: 1, seconds }))[0] as Figures;
  const [alone, beside]: [Figures[], Figures[]] = [[], []];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) {
    alone.push(await measured());
    const reader = new PriceReader(register, tariffId);
    beside.push(await measured());
    times.push(...(await reader.stop()));
    progress(`round ${round + 1}: p99 alone ${alone.at(-1)?.p99} ms, beside prices ${beside.at(-1)?.p99} ms`);
  }
  return [verdict(alone, beside, times)];
};

function verdict(alone: readonly Figures[], beside: readonly Figures[], times: readonly number[]): Measurement {
  const of = (figures: readonly Figures[], value: (each: Figures) => number) => median(figures.map(value));
  const p99 = (figures: readonly Figures[]) => of(figures, (each) => each.p99);
  const perSecond = (figures: readonly Figures[]) => Math.round(of(figures, (each) => each.perSecond));
  return {
    name: 'prices-beside-verify',
    ratio: p99(alone) / p99(beside),
    baseline: 'verify-alone',
    limit: LIMITS['prices-beside-verify'],
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

  constructor(register: BenchRegister, tariffId: string) {
    this.running = this.read(register, tariffId);
  }

  /** Returns the milliseconds that each request took. */
  stop(): Promise<number[]> {
    this.stopping.abort();
    return this.running;
  }

  private async read(register: BenchRegister, tariffId: string): Promise<number[]> {
    const requests: Promise<number>[] = [];
    while (!this.stopping.signal.aborted) {
      requests.push(readYear(register, tariffId));
      await pause(1_000 / REQUESTS_PER_SECOND, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    return Promise.all(requests);
  }
}

async function readYear({ gateway }: BenchRegister, id: string): Promise<number> {
  const begin = performance.now();
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { id } }),
  });
  const bytes = await response.arrayBuffer();
  if (!response.ok || bytes.byteLength < HALF_HOURS * 100)
    throw new Error(`a year of prices: ${response.status}, ${bytes.byteLength} bytes`);
  return performance.now() - begin;
}

/** Gives a tariff a price of its own for each half-hour of the year. */
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
