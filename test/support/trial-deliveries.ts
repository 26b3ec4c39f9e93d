import { Pool } from 'pg';
import pino from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { WEBHOOK_SCHEDULE } from '../../subgraphs/access/webhooks/retry-schedule';
import { sessionOptions } from '../../subgraphs/server/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database-login';
import { migrate } from '../../subgraphs/server/migrate';
import type { Session } from '../../subgraphs/server/transaction';
import type { DeliverySource } from '../../subgraphs/delivery/delivery';
import { type Deliveries, type DeliveryParts, startDeliveries } from '../../subgraphs/delivery/engine';
import { callbackSender } from '../../subgraphs/delivery/sender';
import { CREATE_DELIVERIES, deliveryRights } from '../../subgraphs/delivery/tables';

/** Schema of the jobs of the trial. */
export const TRIAL_DELIVERY_JOBS = 'trial_delivery_jobs';

/** A key that processes of one test share, so that all of them log in as the same subgraph. */
const TRIAL_KEY = Buffer.alloc(32, 9);

class TrialDeliveries1790000000001 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = trial, register');
    await session.query(CREATE_DELIVERIES(TRIAL_DELIVERY_JOBS));
    await session.query(
      `create table endpoint (id uuid primary key default gen_random_uuid(), url text not null, suspended boolean not null default false,
         owner text not null default 'owner')`,
    );
    await session.query(
      'create table alert (endpoint_id uuid not null, at timestamptz not null default register_now())',
    );
  }

  async down(): Promise<void> {
    throw new Error('trials go forward');
  }
}

/** Where the trial subgraph keeps its deliveries. */
export function trialDeliveryAddress(url: string): DatabaseAddress {
  return databaseAddress(url, 'trial', TRIAL_KEY);
}

/** A subgraph that has endpoints, alerts and deliveries, and nothing else. */
export async function trialDeliveries(url: string): Promise<{ address: DatabaseAddress; pool: Pool }> {
  const address = trialDeliveryAddress(url);
  const rights = (role: string) =>
    `${deliveryRights(role)}; grant select, insert, update, delete on endpoint, alert to ${role}`;
  await migrate(address, { migrations: [TrialDeliveries1790000000001], rights, jobs: TRIAL_DELIVERY_JOBS }, true, {});
  const pool = new Pool({ ...sessionOptions(address), max: 10 });
  pool.on('error', () => undefined);
  return { address, pool };
}

/** Sends the event's id and sequence to the endpoint's URL; an endpoint that is suspended waits, one that is gone is dropped. */
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

/** An engine on the trial's tables, with connections of its own. */
export async function trialEngine(
  { address, pool }: { address: DatabaseAddress; pool: Pool },
  more: Partial<DeliveryParts> = {},
): Promise<Deliveries> {
  const sender = callbackSender({ allowLoopback: true });
  const parts = {
    address,
    jobsSchema: TRIAL_DELIVERY_JOBS,
    source: trialSource(pool),
    schedule: WEBHOOK_SCHEDULE,
    sender,
  };
  const engine = await startDeliveries({ ...parts, logger: pino({ level: 'silent' }), ...more });
  return {
    async stop() {
      await engine.stop();
      sender.close();
    },
  };
}

/** Makes an endpoint. */
export async function trialEndpoint(pool: Pool, url: string, owner = 'owner'): Promise<string> {
  const insert = 'insert into endpoint (url, owner) values ($1, $2) returning id';
  const { rows } = await pool.query<{ id: string }>(insert, [url, owner]);
  return rows[0]?.id as string;
}

/** Plans a delivery in a transaction of its own. */
export async function plan(
  session: Session,
  endpoint: string,
  event: string,
  subject = event,
  urgent = false,
): Promise<void> {
  await session.query('select plan_delivery($1, $2, $3, $4)', [endpoint, event, subject, urgent]);
}

/** Moves the register's clock to so many seconds ahead of real time. */
export async function moveClock(pool: Pool, seconds: number): Promise<void> {
  await pool.query('select register.set_clock_offset($1)', [seconds]);
}
