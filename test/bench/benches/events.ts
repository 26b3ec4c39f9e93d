import { setTimeout as pause } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { REGISTRATION } from '../bare/registration-body';
import type { Bench, BenchContext } from '../bench-context';
import type { BenchRegister } from '../bench-room';
import { type CountingReceiver, EventSource, countingReceiver, percentile } from '../event-load';
import { LIMITS, ROUNDS } from '../limits';
import { type ProcessorClock, processesClock } from '../processor-time';
import { progress, reached } from '../progress';
import { median } from '../rounds';
import { startBare } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

/** Share of what the product can do at which times are measured: far enough from a queue on any machine. */
const SHARE = 0.25;
/** Registrations at once while it is found what the product can do. */
const WRITERS = 8;
/** Subscriptions of the Data User: with eight slots each they keep all workers busy. */
const SUBSCRIPTIONS = 20;
const RECORDS_A_ROUND = 500;
const BACKLOG_RECORDS = 5_000;
const WITHDRAWALS = 100;
const A_THOUSAND = 1_000;

/** Webhooks: time from commit to first POST, deliveries against bare signed POSTs by the same worker library, withdrawals beside a backlog. */
export const events: Bench = async (context) => {
  const register = await context.register();
  const receiver = await countingReceiver();
  const source = await EventSource.open(register);
  try {
    const latency = await commitToPost(register, source, receiver, context);
    const webhooks: string[] = [];
    for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
      webhooks.push(await source.subscribe(`${receiver.url}/subscription-${index}`));
    }
    const { measurement, perSecond } = await againstBarePosts(register, source, receiver, webhooks, context);
    return [...latency, measurement, await withdrawalBesideBacklog(source, receiver, webhooks, perSecond, context)];
  } finally {
    await source.close();
    await receiver.close();
  }
};

/**
 * The time from each commit to the arrival of its POST, at a steady rate: registrations whose consent is about to expire, in turns with
 * events that a bare listener is notified of. The rate is a share of what the product can do, which is found first.
 */
async function commitToPost(
  register: BenchRegister,
  source: EventSource,
  receiver: CountingReceiver,
  { seconds }: BenchContext,
): Promise<Measurement[]> {
  await source.subscribe(`${receiver.url}/latency`);
  const registerNext = registrations(register);
  await capacity(registerNext, receiver, seconds); // warm
  const most = await capacity(registerNext, receiver, seconds);
  const rate = most * SHARE;
  progress(`the product registers and delivers ${rounded(most)} a second; from now on ${rounded(rate)} a second`);
  const bare = await startBareListener(register, receiver);
  const ours: number[][] = [];
  const baseline: number[][] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      receiver.forget();
      await steadily(rate, seconds, registerNext, receiver);
      const mine = delays(receiver, await source.recorded('consent.expiring'));
      receiver.forget();
      await steadily(rate, seconds, bare.fireNext, receiver);
      const theirs = delays(receiver, await bare.recorded());
      const middles = [mine, theirs].map((each) => rounded(percentile(each, 50)));
      progress(
        `round ${round} of ${ROUNDS}, milliseconds from commit to POST: product ${middles[0]}, bare ${middles[1]}`,
      );
      if (round === 0) continue; // warms both up
      ours.push(mine);
      baseline.push(theirs);
    }
  } finally {
    await bare.stop();
  }
  receiver.forget();
  return ([50, 99] as const).map((hundredth) => {
    const name = `events-p${hundredth}`;
    const [mine, theirs] = [ours, baseline].map((rounds) => median(rounds.map((each) => percentile(each, hundredth))));
    return {
      name,
      ratio: (theirs as number) / (mine as number),
      baseline: 'bare-listen-and-post',
      limit: LIMITS[name],
      beside: {
        milliseconds: `${rounded(mine as number)}:${rounded(theirs as number)}`,
        'events-per-second': rounded(rate),
        'of-at-most': rounded(most),
      },
    };
  });
}

/** Registers access, one identity record after the other, on consent that ends in ten days. */
function registrations({ rest, token, rows }: BenchRegister): () => Promise<void> {
  const expiry = new Date(Date.now() + 10 * 86_400_000).toISOString();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let next = 0;
  return async () => {
    const ref = rows.identityRecords[(next += 1) % rows.identityRecords.length];
    const record = {
      ...REGISTRATION,
      'record-metadata': { ...REGISTRATION['record-metadata'], 'identity-record-ref': ref },
      'access-event': { ...REGISTRATION['access-event'], expiry },
    };
    const body = JSON.stringify(record);
    const { status } = await fetch(`${rest}/v1/access-records`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`a registration was answered ${status}`);
  };
}

/** How many a second are registered and delivered at most. */
async function capacity(fireNext: () => Promise<void>, receiver: CountingReceiver, seconds: number): Promise<number> {
  receiver.forget();
  const begin = performance.now();
  let count = 0;
  const write = async () => {
    while (performance.now() - begin < seconds * 1000) {
      count += 1;
      await fireNext();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await receiver.arrived(count);
  return (count * 1000) / (performance.now() - begin);
}

/** Fires at a steady rate, whether answers have come or not, and waits until all of it has arrived. */
async function steadily(
  rate: number,
  seconds: number,
  fireNext: () => Promise<void>,
  receiver: CountingReceiver,
): Promise<void> {
  const count = Math.ceil(rate * seconds);
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, begin + (index * 1000) / rate - performance.now()));
    sent.push(fireNext());
  }
  await Promise.all(sent);
  await receiver.arrived(count);
}

/** Milliseconds from each record to its arrival. */
function delays({ arrivals }: CountingReceiver, recorded: ReadonlyMap<string, number>): number[] {
  return [...arrivals].map(([delivery, at]) => at - (recorded.get(idOf(delivery)) ?? Number.NaN));
}

const idOf = (delivery: string): string => delivery.slice(delivery.indexOf(' ') + 1);

async function startBareListener({ databaseUrl, logFile }: BenchRegister, receiver: CountingReceiver) {
  const pool = new Pool({ connectionString: databaseUrl, max: WRITERS });
  pool.on('error', () => undefined); // a bench that was stopped has left it
  await pool.query(
    'create table public.bare_event (number bigint primary key, recorded_at timestamptz not null default clock_timestamp())',
  );
  const environment = { DATABASE_URL: databaseUrl, RECEIVER: `${receiver.url}/bare-listener` };
  const server = await startBare('listener', environment, logFile('listener'));
  let number = 0;
  return {
    async fireNext() {
      await pool.query({
        name: 'fire',
        text: `with fired as (insert into public.bare_event (number) values ($1) returning number)
          select pg_notify('bare_event', number::text) from fired`,
        values: [(number += 1)],
      });
    },
    async recorded(): Promise<ReadonlyMap<string, number>> {
      const { rows } = await pool.query<{ id: string; at: number }>(
        `select 'evt_' || lpad(number::text, 24, '0') as id, extract(epoch from recorded_at)::float8 * 1000 as at from public.bare_event`,
      );
      return new Map(rows.map(({ id, at }) => [id, at]));
    },
    async stop() {
      await pool.end();
      await server.stop();
    },
  };
}

interface Drain {
  readonly perSecond: number;
  /** Microseconds of processor time a delivery took; undefined where it cannot be read. */
  readonly servers: number | undefined;
  readonly postgres: number | undefined;
}

/** The same number of POSTs by both, all of them committed before the first is sent, in interleaved rounds. */
async function againstBarePosts(
  register: BenchRegister,
  source: EventSource,
  receiver: CountingReceiver,
  webhooks: readonly string[],
  { room, scaled }: BenchContext,
): Promise<{ readonly measurement: Measurement; readonly perSecond: number }> {
  const records = scaled(RECORDS_A_ROUND);
  const count = records * webhooks.length;
  const bare = await startBareDeliveries(register, receiver);
  const ours: Drain[] = [];
  const baseline: Drain[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const fire = () => source.expiring(webhooks, records, round);
      const mine = await drained(fire, count, receiver, [register.product, room.postgres]);
      const theirs = await drained(() => bare.fire(count), count, receiver, [bare.clock, room.postgres]);
      const speeds = [mine, theirs].map((each) => Math.round(each.perSecond));
      progress(`round ${round} of ${ROUNDS}, deliveries per second: product ${speeds[0]}, bare ${speeds[1]}`);
      if (round === 0) continue; // warms both up
      ours.push(mine);
      baseline.push(theirs);
    }
  } finally {
    await bare.stop();
  }
  const of = (drains: readonly Drain[], value: (drain: Drain) => number | undefined) =>
    median(drains.map((drain) => value(drain) ?? Number.NaN));
  const cost = (drains: readonly Drain[]) =>
    of(drains, ({ servers = Number.NaN, postgres = Number.NaN }) => servers + postgres);
  const speed = of(ours, ({ perSecond }) => perSecond) / of(baseline, ({ perSecond }) => perSecond);
  const ratio = cost(baseline) / cost(ours);
  const cpuOf = (drains: readonly Drain[]) =>
    `${Math.round(of(drains, ({ servers }) => servers))}+${Math.round(of(drains, ({ postgres }) => postgres))}`;
  const perSecond = [ours, baseline].map((drains) => Math.round(of(drains, (drain) => drain.perSecond)));
  const measurement = {
    name: 'deliveries',
    ratio: Number.isNaN(ratio) ? speed : ratio,
    baseline: 'bare-signed-posts-graphile-worker',
    limit: LIMITS['deliveries'],
    beside: {
      'deliveries-ratio': rounded(speed),
      'deliveries-per-second': perSecond.join(':'),
      'cpu-us': `${cpuOf(ours)}:${cpuOf(baseline)}`,
    },
  };
  return { measurement, perSecond: perSecond[0] as number };
}

async function drained(
  fire: () => Promise<void>,
  count: number,
  receiver: CountingReceiver,
  clocks: readonly [ProcessorClock, ProcessorClock],
): Promise<Drain> {
  receiver.forget();
  await fire();
  const [before, begin] = [clocks.map((clock) => clock()), performance.now()];
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
  client.on('error', () => undefined); // a bench that was stopped has left it
  await client.connect();
  let number = 0;
  return {
    clock: processesClock([server.pid]),
    async fire(count: number): Promise<void> {
      await client.query(
        `select bare_jobs.add_jobs(array(select row('post', json_build_object('number', n), null, null, null, null, null, null)::bare_jobs.job_spec
           from generate_series($1::int, $2::int) n))`,
        [number, number + count - 1],
      );
      number += count;
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

/**
 * With a hundred thousand deliveries waiting, customers withdraw, at a share of what the product delivers: the time from each commit to
 * each arrival, against the time that a thousand deliveries of the backlog take.
 */
async function withdrawalBesideBacklog(
  source: EventSource,
  receiver: CountingReceiver,
  webhooks: readonly string[],
  perSecond: number,
  { scaled }: BenchContext,
): Promise<Measurement> {
  receiver.forget();
  const records = await source.activeRecords(scaled(WITHDRAWALS));
  const [all, part] = [scaled(BACKLOG_RECORDS), scaled(RECORDS_A_ROUND)];
  for (let from = 0; from < all; from += part) await source.expiring(webhooks, part, ROUNDS + 1, from);
  const backlog = await source.pending();
  const every = (webhooks.length * 1000) / (perSecond * SHARE);
  for (const id of records) {
    await Promise.all([source.withdraw(id), pause(every)]);
  }
  const left = await source.pending();
  const recorded = await source.recorded('consent.withdrawal');
  const withdrawals = () =>
    [...receiver.arrivals].filter(([delivery]) => recorded.has(idOf(delivery)) && !delivery.startsWith('/latency'));
  await reached('deliveries of withdrawals', recorded.size * webhooks.length, async () => {
    await pause(100); // a count of a hundred thousand
    return withdrawals().length;
  });
  const milliseconds = withdrawals().map(([delivery, at]) => at - Number(recorded.get(idOf(delivery))));
  const [p50, p99] = [percentile(milliseconds, 50), percentile(milliseconds, 99)];
  const name = 'withdrawals-beside-backlog';
  return {
    name,
    ratio: (A_THOUSAND / perSecond) * (1000 / p99),
    baseline: 'a-thousand-deliveries',
    limit: LIMITS[name],
    beside: {
      'p50-ms': rounded(p50),
      'p99-ms': rounded(p99),
      ...{ backlog, 'left-at-the-end': left },
      'withdrawals-per-second': rounded(1000 / every),
    },
  };
}
