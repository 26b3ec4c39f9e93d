import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { REGISTRATION } from '../bare/registration-body';
import type { Bench, BenchContext } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { type CountingReceiver, EventSource, countingReceiver, idOf, percentile } from '../event-load';
import { LIMITS, ROUNDS } from '../limits';
import { progress } from '../progress';
import { median } from '../rounds';
import { startBare } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

/** Rate of events as a share of the product's maximum. */
const SHARE = 0.5;
/** Concurrent registrations while the maximum is measured. */
const WRITERS = 8;

/**
 * Webhooks: the time from the commit of a change to its first POST, against a bare LISTEN and POST (issue 16, point 4).
 */
export const events: Bench = async (context) => {
  const register = await context.register();
  const receiver = await countingReceiver();
  const source = await EventSource.open(register);
  try {
    return await commitToPost(register, source, receiver, context);
  } finally {
    await source.close();
    await receiver.close();
  }
};

/**
 * Measures the time from each commit to the arrival of its POST, at a steady rate: registrations with a consent that
 * expires soon, alternating with events for a bare listener. The rate is a share of the product's maximum, which is
 * measured first.
 */
async function commitToPost(
  register: BenchRegister,
  source: EventSource,
  receiver: CountingReceiver,
  { seconds }: BenchContext,
): Promise<Measurement[]> {
  await source.subscribe(`${receiver.url}/latency`);
  await source.settled();
  const registerNext = registrations(register);
  await capacity(registerNext, receiver, seconds); // warm-up
  const most = await capacity(registerNext, receiver, seconds);
  const rate = most * SHARE;
  progress(`the product registers and delivers ${rounded(most)} a second; from now on ${rounded(rate)} a second`);
  const bare = await startBareListener(register, receiver);
  const product: number[][] = [];
  const baseline: number[][] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      receiver.clear();
      await steadily(rate, seconds, registerNext, receiver);
      const mine = delays(receiver, await source.recorded('consent.expiring'));
      receiver.clear();
      await steadily(rate, seconds, bare.fireNext, receiver);
      const theirs = delays(receiver, await bare.recorded());
      const middles = [mine, theirs].map((each) => rounded(percentile(each, 50)));
      progress(
        `round ${round} of ${ROUNDS}, milliseconds from commit to POST: product ${middles[0]}, bare ${middles[1]}`,
      );
      if (round === 0) continue; // warm-up
      product.push(mine);
      baseline.push(theirs);
    }
  } finally {
    await bare.stop();
  }
  receiver.clear();
  return ([50, 99] as const).map((hundredth) => {
    const name = `events-p${hundredth}`;
    const [mine, theirs] = [product, baseline].map((rounds) =>
      median(rounds.map((each) => percentile(each, hundredth))),
    );
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

/**
 * Returns a function that registers access based on consent that expires in ten days, for one Identity Record after the
 * other.
 */
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
    if (status !== 201) throw new Error(`a registration received the response ${status}`);
  };
}

/** Measures the maximum number of registrations and deliveries per second. */
async function capacity(fireNext: () => Promise<void>, receiver: CountingReceiver, seconds: number): Promise<number> {
  receiver.clear();
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

/** Sends requests at a steady rate, independent of responses, and waits until all deliveries have arrived. */
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

/** Returns the milliseconds from each commit to its arrival. */
function delays({ arrivals }: CountingReceiver, recorded: ReadonlyMap<string, number>): number[] {
  return [...arrivals].map(([delivery, at]) => at - (recorded.get(idOf(delivery)) ?? Number.NaN));
}

async function startBareListener({ databaseUrl, logFile }: BenchRegister, receiver: CountingReceiver) {
  const pool = new Pool({ connectionString: databaseUrl, max: WRITERS });
  pool.on('error', () => undefined); // a stopped bench disconnects
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
