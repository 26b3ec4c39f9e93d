import { Pool } from 'pg';
import pino from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { WEBHOOK_SCHEDULE } from '../../subgraphs/access/webhooks/webhook';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database/database-login';
import { migrate } from '../../subgraphs/server/database/migrate';
import type { Session } from '../../subgraphs/server/database/transaction';
import type { DeliverySource } from '../../subgraphs/delivery/delivery';
import { type Deliveries, type DeliveryDependencies, startDeliveries } from '../../subgraphs/delivery/engine';
import { callbackSender } from '../../subgraphs/delivery/requests/sender';
import { until } from './until';
import { CREATE_DELIVERIES } from '../../subgraphs/delivery/released-sql';
import { COMPARE_CLOCKS_IN_FAN_OUT, REPLACE_FAN_OUT } from '../../subgraphs/delivery/fan-out-versions.sql';
import { REPLACE_DELIVERIES, deliveryRights } from '../../subgraphs/delivery/tables.sql';

/** Schema of the job queue, which the tables of the first release require. */
const TRIAL_DELIVERY_JOBS = 'trial_delivery_jobs';

/** Login key, shared by the processes of a test. */
const TRIAL_KEY = Buffer.alloc(32, 9);

class TrialDeliveries1790000000001 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = trial, register');
    await session.query(CREATE_DELIVERIES(TRIAL_DELIVERY_JOBS));
    await session.query(REPLACE_DELIVERIES());
    await session.query(REPLACE_FAN_OUT());
    await session.query(COMPARE_CLOCKS_IN_FAN_OUT(''));
    await session.query(OUTBOX);
    await session.query(
      `create table endpoint (id uuid primary key default gen_random_uuid(), url text not null, suspended boolean not null default false,
         owner text not null default 'owner')`,
    );
    await session.query('create table webhook_secret (replaced_at timestamptz)');
    await session.query(
      'create table alert (endpoint_id uuid not null, at timestamptz not null default register_now())',
    );
  }

  async down(): Promise<void> {
    throw new Error('trials go forward');
  }
}

/** Each event of the trial subgraph has one endpoint. */
const OUTBOX = `
  create function receivers_of(event text, only_endpoint uuid) returns setof uuid language sql stable as $$ select $2 $$;
  create function plan_delivery(endpoint uuid, event text, about text, is_urgent boolean) returns void
  language plpgsql set search_path from current as $$
    begin
      insert into fanout (event_id, subject, urgent, endpoint_id) values (event, about, is_urgent, endpoint);
      perform pg_notify('trial_deliveries', '');
    end $$`;

/** Login and schema of the trial subgraph. */
export function trialDeliveryAddress(url: string): DatabaseAddress {
  return databaseAddress(url, 'trial', TRIAL_KEY);
}

/** Migrates a subgraph with only endpoints, alerts and deliveries. */
export async function trialDeliveries(url: string): Promise<{ address: DatabaseAddress; pool: Pool }> {
  const address = trialDeliveryAddress(url);
  const rights = (role: string) =>
    `${deliveryRights(role)}; grant select, insert, update, delete on endpoint, alert, webhook_secret to ${role}`;
  await migrate(address, { migrations: [TrialDeliveries1790000000001], rights, jobs: TRIAL_DELIVERY_JOBS }, true, {});
  const pool = new Pool({ ...sessionOptions(address), max: 10 });
  pool.on('error', () => undefined);
  return { address, pool };
}

/** Sends the event's id and sequence to the endpoint's URL; waits if the endpoint is suspended, drops if it is removed. */
export function trialSource(pool: Pool): DeliverySource {
  return {
    async assemble({ endpointId, eventId, sequence, redeliveredAt }) {
      const { rows } = await pool.query<{ url: string; suspended: boolean; owner: string }>({
        name: 'trial_endpoint',
        text: 'select url, suspended, owner from endpoint where id = $1',
        values: [endpointId],
      });
      const [endpoint] = rows;
      if (endpoint === undefined) return { kind: 'drop' };
      if (endpoint.suspended) return { kind: 'suspended' };
      const headers = { 'content-type': 'application/json', 'webhook-id': eventId };
      return {
        kind: 'send',
        owner: endpoint.owner,
        dispatch: {
          url: endpoint.url,
          headers,
          body: JSON.stringify({ eventId, sequence, isRedelivery: redeliveredAt !== null }),
        },
      };
    },
    async undelivered(session, endpointId) {
      await session.query('insert into alert (endpoint_id) values ($1)', [endpointId]);
    },
  };
}

/** Starts an engine on the tables of the trial subgraph, with its own connections. `exchangeMs` is the timeout of a request. */
export async function trialEngine(
  { address, pool }: { address: DatabaseAddress; pool: Pool },
  { exchangeMs, ...more }: Partial<DeliveryDependencies> & { readonly exchangeMs?: number } = {},
): Promise<Deliveries> {
  const sender = callbackSender({ allowLoopback: true, ...(exchangeMs && { exchangeMs }) });
  const engine = await startDeliveries({
    address,
    source: trialSource(pool),
    schedule: WEBHOOK_SCHEDULE,
    sender,
    logger: pino({ level: 'silent' }),
    ...more,
  });
  return {
    async stop() {
      await engine.stop();
      sender.close();
    },
  };
}

/** Creates an endpoint; returns its id. */
export async function trialEndpoint(pool: Pool, url: string, owner = 'owner'): Promise<string> {
  const insert = 'insert into endpoint (url, owner) values ($1, $2) returning id';
  const { rows } = await pool.query<{ id: string }>(insert, [url, owner]);
  return rows[0]?.id as string;
}

/** Writes an event for an endpoint to the outbox. */
export async function plan(
  session: Session,
  endpoint: string,
  event: string,
  subject = event,
  urgent = false,
): Promise<void> {
  await session.query('select plan_delivery($1, $2, $3, $4)', [endpoint, event, subject, urgent]);
}

/** Plans the deliveries of all events in the outbox. */
export async function fanOutAll(pool: Pool): Promise<void> {
  await until(async () => {
    const { rows } = await pool.query<{ events: number }>('select events from fan_out(250)');
    return rows[0]?.events === 0 ? true : undefined;
  });
}

/** Sets the register's clock ahead of real time, in seconds. */
export async function moveClock(pool: Pool, seconds: number): Promise<void> {
  await pool.query('select register.set_clock_offset($1)', [seconds]);
}
