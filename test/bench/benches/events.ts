import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { REGISTRATION } from '../bare/registration-body';
import type { Bench } from '../bench-context';
import type { BenchRegister, BenchRoom } from '../bench-room';
import { type CountingReceiver, EventSource, countingReceiver, percentile } from '../event-load';
import { LIMITS, ROUNDS } from '../limits';
import { type ProcessorClock, processesClock } from '../processor-time';
import { median } from '../rounds';
import { startServerProcess } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

const EVENTS_PER_SECOND = 200;
const SECONDS = 10;
/** Subscriptions of the Data User: with eight slots each they keep all workers busy. */
const SUBSCRIPTIONS = 20;
const RECORDS_A_ROUND = 500;
const BACKLOG_RECORDS = 5_000;
const WITHDRAWALS = 100;
/** Milliseconds between two withdrawals. */
const WITHDRAWAL_EVERY = 50;

/** Webhooks: time from commit to first POST, deliveries against bare signed POSTs by the same worker library, withdrawals beside a backlog. */
export const events: Bench = async (context) => {
  const [room, register] = [await context.room(), await context.register()];
  const receiver = await countingReceiver();
  const source = await EventSource.open(register);
  try {
    const latency = await commitToPost(register, source, receiver);
    const webhooks: string[] = [];
    for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
      webhooks.push(await source.subscribe(`${receiver.url}/subscription-${index}`));
    }
    return [
      ...latency,
      await againstBarePosts(room, register, source, receiver, webhooks),
      await withdrawalBesideBacklog(source, receiver, webhooks),
    ];
  } finally {
    await source.close();
    await receiver.close();
  }
};

/** Registrations at a steady rate whose consent is about to expire: the time from each commit to the arrival of its notice. */
async function commitToPost(
  { rest, token, rows }: BenchRegister,
  source: EventSource,
  receiver: CountingReceiver,
): Promise<Measurement[]> {
  await source.subscribe(`${receiver.url}/latency`);
  const count = EVENTS_PER_SECOND * SECONDS;
  const expiry = new Date(Date.now() + 10 * 86_400_000).toISOString();
  const register = async (index: number) => {
    const ref = rows.identityRecords[index % rows.identityRecords.length];
    const record = {
      ...REGISTRATION,
      'record-metadata': { ...REGISTRATION['record-metadata'], 'identity-record-ref': ref },
      'access-event': { ...REGISTRATION['access-event'], expiry },
    };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${rest}/v1/access-records`, {
      method: 'POST',
      headers,
      body: JSON.stringify(record),
    });
    if (status !== 201) throw new Error(`a registration was answered ${status}`);
  };
  for (let index = 0; index < EVENTS_PER_SECOND; index += 1) await register(index); // warm
  await receiver.arrived(EVENTS_PER_SECOND);
  receiver.forget();
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, begin + (index * 1000) / EVENTS_PER_SECOND - performance.now()));
    sent.push(register(index));
  }
  await Promise.all(sent);
  await receiver.arrived(count);
  const recorded = await source.recorded('consent.expiring');
  const milliseconds = [...receiver.arrivals].map(([delivery, at]) => at - Number(recorded.get(idOf(delivery))));
  receiver.forget();
  return [
    withinMilliseconds('events-p50', percentile(milliseconds, 50), 50, { 'events-per-second': EVENTS_PER_SECOND }),
    withinMilliseconds('events-p99', percentile(milliseconds, 99), 250, { 'events-per-second': EVENTS_PER_SECOND }),
  ];
}

const idOf = (delivery: string): string => delivery.slice(delivery.indexOf(' ') + 1);

function withinMilliseconds(
  name: string,
  milliseconds: number,
  most: number,
  beside: Measurement['beside'],
): Measurement {
  const facts = { milliseconds: rounded(milliseconds), most, ...beside };
  return { name, ratio: most / Math.max(1, milliseconds), baseline: `${most}-ms`, limit: LIMITS[name], beside: facts };
}

interface Drain {
  readonly perSecond: number;
  /** Microseconds of processor time a delivery took; undefined where it cannot be read. */
  readonly servers: number | undefined;
  readonly postgres: number | undefined;
}

/** The same number of POSTs by both, all of them committed before the first is sent, in interleaved rounds. */
async function againstBarePosts(
  room: BenchRoom,
  register: BenchRegister,
  source: EventSource,
  receiver: CountingReceiver,
  webhooks: readonly string[],
): Promise<Measurement> {
  const count = RECORDS_A_ROUND * webhooks.length;
  const bare = await startBareDeliveries(register, receiver);
  const ours: Drain[] = [];
  const baseline: Drain[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const fire = () => source.expiring(webhooks, RECORDS_A_ROUND, round);
      const mine = await drained(fire, count, receiver, [register.product, room.postgres]);
      const theirs = await drained(() => bare.fire(count), count, receiver, [bare.clock, room.postgres]);
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
  const told = (drains: readonly Drain[]) =>
    `${Math.round(of(drains, ({ servers }) => servers))}+${Math.round(of(drains, ({ postgres }) => postgres))}`;
  const perSecond = [ours, baseline].map((drains) => Math.round(of(drains, (drain) => drain.perSecond)));
  return {
    name: 'deliveries',
    ratio: Number.isNaN(ratio) ? speed : ratio,
    baseline: 'bare-signed-posts-graphile-worker',
    limit: LIMITS['deliveries'],
    beside: {
      'deliveries-ratio': rounded(speed),
      'deliveries-per-second': perSecond.join(':'),
      'cpu-us': `${told(ours)}:${told(baseline)}`,
    },
  };
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

async function startBareDeliveries({ databaseUrl }: BenchRegister, receiver: CountingReceiver) {
  const folder = mkdtempSync(join(tmpdir(), 'register-bare-deliveries-'));
  const loader = join(__dirname, '..', '..', 'support', 'swc-register.js');
  const script = join(__dirname, '..', 'bare', 'deliveries.ts');
  const environment = { DATABASE_URL: databaseUrl, RECEIVER: `${receiver.url}/bare` };
  const server = await startServerProcess(['-r', loader, script], environment, join(folder, 'log'));
  const client = new Client({ connectionString: databaseUrl });
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
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With a hundred thousand deliveries waiting, customers withdraw: the time from each commit to each arrival. */
async function withdrawalBesideBacklog(
  source: EventSource,
  receiver: CountingReceiver,
  webhooks: readonly string[],
): Promise<Measurement> {
  receiver.forget();
  const records = await source.activeRecords(WITHDRAWALS);
  await source.expiring(webhooks, BACKLOG_RECORDS, ROUNDS + 1);
  const backlog = await source.pending();
  for (const id of records) {
    await Promise.all([source.withdraw(id), pause(WITHDRAWAL_EVERY)]);
  }
  const left = await source.pending();
  const recorded = await source.recorded('consent.withdrawal');
  const expected = recorded.size * webhooks.length;
  const withdrawals = () =>
    [...receiver.arrivals].filter(([delivery]) => recorded.has(idOf(delivery)) && !delivery.startsWith('/latency'));
  while (withdrawals().length < expected) await pause(100);
  const milliseconds = withdrawals().map(([delivery, at]) => at - Number(recorded.get(idOf(delivery))));
  const beside = { 'p50-ms': percentile(milliseconds, 50), backlog, 'left-at-the-end': left };
  return withinMilliseconds('withdrawals-beside-backlog', percentile(milliseconds, 99), 1_000, beside);
}
