import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Bench, BenchContext } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { type CountingReceiver, EventSource, countingReceiver, idOf, percentile } from '../event-load';
import { LIMITS, ROUNDS } from '../limits';
import { type ProcessorClock, processesClock } from '../processor-time';
import { progress, reached } from '../progress';
import { median } from '../rounds';
import { startBare } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

/** Number of subscriptions of one Data User. */
const SUBSCRIPTIONS = 20;
const DELIVERIES_A_ROUND = 10_000;
const BACKLOG_RECORDS = 5_000;
const TWENTIETH = 20;
const WITHDRAWALS = 100;
/** Limit of the 99th percentile with the backlog. */
const LIMIT_MS = 1_000;
/** Rate of withdrawals as a share of the product's delivery rate. */
const SHARE = 0.25;
/** Number of completed rounds. Each round sets other expiries, because a record has one notice for each expiry. */
let rounds = 0;

/** Register, receiver and baseline of a measurement. */
interface DeliveryFixture {
  readonly register: BenchRegister;
  readonly source: EventSource;
  readonly receiver: CountingReceiver;
  readonly bare: Awaited<ReturnType<typeof startBareDeliveries>>;
}

/**
 * Deliveries to one and to twenty subscriptions against bare signed POSTs, and withdrawals during a backlog (issue 16,
 * points 3 and 4).
 */
export const deliveries: Bench = async (context) => {
  const register = await context.register();
  const receiver = await countingReceiver();
  const source = await EventSource.open(register);
  const bare = await startBareDeliveries(register, receiver);
  try {
    const fixture = { register, source, receiver, bare };
    const webhooks: string[] = [];
    for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
      webhooks.push(await source.subscribe(`${receiver.url}/subscription-${index}`));
    }
    await source.settled();
    const one = await againstBarePosts('deliveries-one', fixture, webhooks.slice(0, 1), context);
    const twenty = await againstBarePosts('deliveries-twenty', fixture, webhooks, context);
    const beside = await withdrawalBesideBacklog(fixture, webhooks, twenty.perSecond, context);
    return [one.measurement, twenty.measurement, beside];
  } finally {
    await bare.stop();
    await source.close();
    await receiver.close();
  }
};

interface Drain {
  readonly perSecond: number;
  /** Microseconds of processor time per delivery; undefined if it cannot be read. */
  readonly servers: number | undefined;
  readonly postgres: number | undefined;
}

/**
 * Compares product and baseline in alternating rounds: both send the same number of POSTs, which one transaction
 * orders. The clocks start at its commit.
 */
async function againstBarePosts(
  name: string,
  { register, source, receiver, bare }: DeliveryFixture,
  webhooks: readonly string[],
  { fixture, scaled }: BenchContext,
): Promise<{ readonly measurement: Measurement; readonly perSecond: number }> {
  const records = scaled(DELIVERIES_A_ROUND / webhooks.length);
  const count = records * webhooks.length;
  const productDrains: Drain[] = [];
  const baseline: Drain[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const fire = () => source.expiring(webhooks, records, (rounds += 1));
    const mine = await drained(fire, count, receiver, [register.product, fixture.postgres]);
    const theirs = await drained(() => bare.fire(count), count, receiver, [bare.clock, fixture.postgres]);
    const [product, bareJobs] = [mine, theirs].map(described);
    progress(`${name}, round ${round} of ${ROUNDS}: product ${product}; bare ${bareJobs}`);
    if (round === 0) continue; // warm-up
    productDrains.push(mine);
    baseline.push(theirs);
  }
  const of = (drains: readonly Drain[], value: (drain: Drain) => number | undefined) =>
    median(drains.map((drain) => value(drain) ?? Number.NaN));
  const cost = (drains: readonly Drain[]) =>
    of(drains, ({ servers = Number.NaN, postgres = Number.NaN }) => servers + postgres);
  const speed = of(productDrains, ({ perSecond }) => perSecond) / of(baseline, ({ perSecond }) => perSecond);
  const ratio = cost(baseline) / cost(productDrains);
  const cpuOf = (drains: readonly Drain[]) =>
    `${Math.round(of(drains, ({ servers }) => servers))}+${Math.round(of(drains, ({ postgres }) => postgres))}`;
  const perSecond = [productDrains, baseline].map((drains) => Math.round(of(drains, (drain) => drain.perSecond)));
  const measurement = {
    name,
    ratio: Number.isNaN(ratio) ? speed : ratio,
    baseline: 'bare-signed-posts-graphile-worker',
    limit: LIMITS[name],
    beside: {
      'deliveries-ratio': rounded(speed),
      'deliveries-per-second': perSecond.join(':'),
      'cpu-us': `${cpuOf(productDrains)}:${cpuOf(baseline)}`,
    },
  };
  return { measurement, perSecond: perSecond[0] as number };
}

const described = ({ perSecond, servers, postgres }: Drain): string =>
  `${Math.round(perSecond)} a second, ${Math.round(servers ?? Number.NaN)}+${Math.round(postgres ?? Number.NaN)} us`;

async function drained(
  fire: () => Promise<() => Promise<void>>,
  count: number,
  receiver: CountingReceiver,
  clocks: readonly [ProcessorClock, ProcessorClock],
): Promise<Drain> {
  receiver.clear();
  const commit = await fire();
  const [before, begin] = [clocks.map((clock) => clock()), performance.now()];
  await commit();
  await receiver.arrived(count);
  const seconds = (performance.now() - begin) / 1000;
  const used = clocks.map((clock, index) => {
    const [from, to] = [before[index], clock()];
    return from === undefined || to === undefined ? undefined : ((to - from) * 1e6) / count;
  });
  return { perSecond: count / seconds, servers: used[0], postgres: used[1] };
}

async function startBareDeliveries({ databaseUrl, logFile }: BenchRegister, receiver: CountingReceiver) {
  const environment = { DATABASE_URL: databaseUrl, RECEIVER: `${receiver.url}/bare` };
  const server = await startBare('deliveries', environment, logFile('deliveries'));
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // a stopped bench disconnects
  await client.connect();
  let number = 0;
  return {
    clock: processesClock([server.pid]),
    /** Adds jobs; returns the function that commits them. */
    async fire(count: number): Promise<() => Promise<void>> {
      await client.query('begin');
      await client.query(
        `select bare_jobs.add_jobs(array(select row('post', json_build_object('number', n), null, null, null, null, null, null)::bare_jobs.job_spec
           from generate_series($1::int, $2::int) n))`,
        [number, number + count - 1],
      );
      await client.query('analyze bare_jobs._private_jobs'); // the baseline never depends on when autovacuum runs
      number += count;
      return async () => void (await client.query('commit'));
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

/**
 * Withdraws consents, at a share of the product's delivery rate, while a hundred thousand deliveries are pending. The
 * 99th percentile of the times from commit to arrival is at most one second.
 */
async function withdrawalBesideBacklog(
  { source, receiver }: DeliveryFixture,
  webhooks: readonly string[],
  perSecond: number,
  { scaled }: BenchContext,
): Promise<Measurement> {
  receiver.clear();
  const records = await source.activeRecords(scaled(WITHDRAWALS));
  const [all, part] = [scaled(BACKLOG_RECORDS), scaled(BACKLOG_RECORDS / 10)];
  rounds += 1;
  for (let from = 0; from < all; from += part) await (await source.expiring(webhooks, part, rounds, from))();
  const backlog = await source.pending();
  const every = (webhooks.length * 1000) / (perSecond * SHARE);
  for (const id of records) {
    await Promise.all([source.withdraw(id), pause(every)]);
  }
  const left = await source.pending();
  const recorded = await source.recorded('consent.withdrawal');
  const withdrawals = () => [...receiver.arrivals].filter(([delivery]) => recorded.has(idOf(delivery)));
  await reached('deliveries of withdrawals', recorded.size * webhooks.length, async () => {
    await pause(100); // the query counts a hundred thousand rows
    return withdrawals().length;
  });
  const milliseconds = withdrawals().map(([delivery, at]) => at - Number(recorded.get(idOf(delivery))));
  const [p50, p99] = [percentile(milliseconds, 50), percentile(milliseconds, 99)];
  const name = 'withdrawals-beside-backlog';
  return {
    name,
    ratio: LIMIT_MS / p99,
    baseline: 'one-second',
    limit: LIMITS[name],
    beside: {
      'p50-ms': rounded(p50),
      'p99-ms': rounded(p99),
      'twentieth-of-the-backlog-ms': rounded(((all * webhooks.length) / TWENTIETH / perSecond) * 1000),
      ...{ backlog, 'left-at-the-end': left },
      'withdrawals-per-second': rounded(1000 / every),
    },
  };
}
