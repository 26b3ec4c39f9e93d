import { Client, type Pool } from 'pg';
import { deliveryPool } from '../../../subgraphs/delivery/engine';
import { endpointTable } from '../../../subgraphs/delivery/endpoints.repository';
import { withdrawal } from '../../../subgraphs/access/customers/consent-withdrawal.sql';
import { trialDeliveries } from '../../support/trial-deliveries';
import type { Bench, BenchContext } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { EventSource, percentile } from '../event-load';
import { LIMITS } from '../limits';
import { progress } from '../progress';
import { type Measurement, rounded } from '../verdict';

const FEW = 1_000;
const MANY = 1_000_000;
const AT_ONCE = 50_000;
/** Number of endpoints that one statement claims; half of all pending deliveries belong to the first one. */
const ENDPOINTS = 32;
const WORKER = '00000000-0000-4000-8000-000000000001';
const REPEATS = 100;
const SUBSCRIPTIONS = 10_000;

/**
 * Costs that must not grow with the tables of deliveries: claims and reads with pending rows, a withdrawal with
 * subscriptions (issue 16, points 1 and 4).
 */
export const deliveryTables: Bench = async (context) => {
  const register = await context.register();
  return [...(await claimsAndReads(register, context)), await withdrawalTransaction(register, context)];
};

async function claimsAndReads({ databaseUrl }: BenchRegister, { scaled }: BenchContext): Promise<Measurement[]> {
  const { address, pool: owner } = await trialDeliveries(databaseUrl);
  const pool = deliveryPool({ address });
  try {
    const many = scaled(MANY);
    await fill(owner, 0, FEW);
    const few = await timesOf(pool);
    for (let from = FEW; from < many; from += AT_ONCE) {
      await fill(owner, from, Math.min(many, from + AT_ONCE));
      progress(`${Math.min(many, from + AT_ONCE)} deliveries are pending`);
    }
    const after = await timesOf(pool);
    return (['claim', 'read'] as const).map((statement) => {
      const name = `delivery-${statement}`;
      return {
        name,
        ratio: few[statement] / after[statement],
        baseline: `${FEW}-pending`,
        limit: LIMITS[name],
        beside: { milliseconds: `${rounded(after[statement])}:${rounded(few[statement])}`, pending: many },
      };
    });
  } finally {
    await pool.end();
    await owner.end();
  }
}

/** Adds pending deliveries, each in its own lane. The statistics of the table stay as old as autovacuum leaves them. */
async function fill(owner: Pool, from: number, to: number): Promise<void> {
  await owner.query(
    `insert into delivery (endpoint_id, event_id, subject, sequence, next_attempt_at)
     select case when n % 2 = 0 then rpad('00000000-0000-4000-a000-', 36, '0')::uuid
       else ('00000000-0000-4000-a000-' || lpad((n % ${ENDPOINTS})::text, 12, '0'))::uuid end,
       'event ' || n, 'subject ' || n, 1, register.register_now() from generate_series($1::int + 1, $2::int) n`,
    [from, to],
  );
  await owner.query(
    `insert into delivery_endpoint (id, due_at) select distinct endpoint_id, register.register_now() from delivery on conflict do nothing`,
  );
}

/** Returns the median milliseconds for claiming all endpoints and for reading one. */
async function timesOf(pool: Pool): Promise<{ readonly claim: number; readonly read: number }> {
  const endpoints = endpointTable(pool);
  const [claims, reads]: [number[], number[]] = [[], []];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const began = performance.now();
    const ids = await endpoints.claim(WORKER, ENDPOINTS, []);
    const claimed = performance.now();
    const found = await endpoints.readPending({ worker: WORKER, id: ids[0] as string });
    const readAt = performance.now();
    if (found?.deliveries.length === 0) throw new Error('a read found no delivery');
    await endpoints.releaseAll(WORKER);
    claims.push(claimed - began);
    reads.push(readAt - claimed);
  }
  return { claim: percentile(claims, 50), read: percentile(reads, 50) };
}

/**
 * Measures the transaction of a withdrawal, rolled back after its checks, with no subscription and with ten thousand.
 */
async function withdrawalTransaction(register: BenchRegister, { scaled }: BenchContext): Promise<Measurement> {
  const source = await EventSource.open(register);
  const client = new Client({ connectionString: register.databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path = access, register');
    const [id] = await source.activeRecords(1);
    const text = withdrawal('id = $1::uuid', { account: `'customer'`, reason: `'customer-request'` });
    const measure = async () => {
      const times: number[] = [];
      for (let repeat = 0; repeat < REPEATS; repeat += 1) {
        await client.query('begin');
        const began = performance.now();
        await client.query(text, [id]);
        await client.query('set constraints all immediate');
        times.push(performance.now() - began);
        await client.query('rollback');
      }
      return percentile(times, 50);
    };
    await measure(); // warm-up
    const none = await measure();
    const subscriptions = scaled(SUBSCRIPTIONS);
    await client.query('set session_replication_role = replica'); // disables the limit on subscriptions
    await client.query(
      `insert into webhook (wid, duid, callback_hash, callback_sealed, alert_email_sealed, event_types)
       select 'wid_' || lpad(n::text, 24, '0'), $1, sha256(n::text::bytea), '', '', array['consent.withdrawal']
       from generate_series(1, $2::int) n`,
      [register.owner.duid, subscriptions],
    );
    await client.query('reset session_replication_role');
    progress(`${subscriptions} subscriptions`);
    const many = await measure();
    const name = 'withdrawal-transaction';
    return {
      name,
      ratio: none / many,
      baseline: 'no-subscription',
      limit: LIMITS[name],
      beside: { milliseconds: `${rounded(many)}:${rounded(none)}`, subscriptions },
    };
  } finally {
    await client.end();
    await source.close();
  }
}
