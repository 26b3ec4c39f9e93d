import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { withdrawal } from '../../subgraphs/access/customers/consent-withdrawal.sql';
import type { BenchRegister } from './bench-fixture';
import { goesOn, progress, reached } from './progress';

/** Counts arrivals and their times; responds immediately. */
export interface CountingReceiver {
  readonly url: string;
  /** Milliseconds since 1970 of the first arrival of each event on each path. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Resolves when this many distinct deliveries have arrived since the last {@link CountingReceiver.forget}. */
  arrived(count: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** Starts a receiver in this process, which is not measured. */
export async function countingReceiver(): Promise<CountingReceiver> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const delivery = `${request.url} ${String(request.headers['webhook-id'])}`;
    if (!arrivals.has(delivery)) arrivals.set(delivery, performance.timeOrigin + performance.now());
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    arrived: (count) => reached('deliveries', count, () => arrivals.size),
    clear: () => arrivals.clear(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const QUIET_READS = 10;

/** The database of a register, with the login of its owner: inserts events by the statements of the product. */
export class EventSource {
  private constructor(
    private readonly client: Client,
    private readonly register: BenchRegister,
  ) {}

  static async open(register: BenchRegister): Promise<EventSource> {
    const client = new Client({ connectionString: register.databaseUrl });
    client.on('error', () => undefined); // a stopped bench disconnects
    await client.connect();
    await client.query('set search_path = access, register');
    return new EventSource(client, register);
  }

  /** Subscribes to all events; returns the internal id. */
  async subscribe(callbackUrl: string): Promise<string> {
    const { rest, token } = this.register;
    const response = await fetch(`${rest}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ 'callback-url': callbackUrl, 'alert-email': 'alerts@harbourlight.example' }),
    });
    const { webhook } = (await response.json()) as { webhook?: { wid: string } };
    if (!webhook) throw new Error(`the subscription received the response ${response.status}`);
    const { rows } = await this.client.query<{ id: string }>('select id from webhook where wid = $1', [webhook.wid]);
    return (rows[0] as { id: string }).id;
  }

  /**
   * Inserts `consent.expiring` for this many records, starting at `from`, for each of the subscriptions; the expiries
   * are those of the round. Returns the function that commits the events: nothing is planned or sent before.
   */
  async expiring(webhooks: readonly string[], records: number, round: number, from = 0): Promise<() => Promise<void>> {
    const { rows } = await this.client.query<{ id: string }>(
      `select id from access_record where duid = $1 and state = 'ACTIVE' order by id limit $2 offset $3`,
      [this.register.owner.duid, records, from],
    );
    const ids = rows.map(({ id }) => id);
    await this.client.query('begin; set local session_replication_role = replica');
    await this.client.query(
      `update access_record set expiry = register_now() + $2 * interval '1 minute', legal_basis = 'uk-consent' where id = any($1)`,
      [ids, 1_000 + round],
    );
    await this.client.query('commit');
    await this.client.query('analyze delivery, delivery_endpoint, event'); // as autovacuum does, but perhaps too late
    await this.client.query('begin');
    await this.client.query(
      `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
       select 'consent.expiring', duid, record.id, webhook_id, expiry, 10
       from access_record record cross join unnest($2::uuid[]) as subscribed (webhook_id)
       where record.id = any($1) order by record.id, webhook_id`,
      [ids, webhooks],
    );
    progress(`${records * webhooks.length} events are ready to be committed`);
    return async () => void (await this.client.query('commit'));
  }

  /** Returns ids of ACTIVE records, the last ones first; adds the history that a change of the rows requires. */
  async activeRecords(count: number): Promise<string[]> {
    const { rows } = await this.client.query<{ id: string }>(
      `select id from access_record where duid = $1 and state = 'ACTIVE' order by id desc limit $2`,
      [this.register.owner.duid, count],
    );
    const ids = rows.map(({ id }) => id);
    await this.client.query('begin; set local session_replication_role = replica');
    for (const history of HISTORY) await this.client.query(history, [ids]);
    await this.client.query('commit');
    return ids;
  }

  /** Withdraws a consent as its customer. */
  async withdraw(id: string): Promise<void> {
    const text = withdrawal('id = $1::uuid', { account: `'customer'`, reason: `'customer-request'` });
    await this.client.query(text, [id]);
  }

  /** Returns the milliseconds since 1970 at which events of a type were recorded, by id. */
  async recorded(type: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.client.query<{ id: string; at: number }>(
      'select id, extract(epoch from recorded_at)::float8 * 1000 as at from event where type = $1',
      [type],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  /** Resolves when the notices of all new subscriptions are delivered, which concern the records that expire soon. */
  async settled(): Promise<void> {
    let quiet = 0; // consecutive reads without pending deliveries: a scan continues between its batches
    await reached('quiet reads', QUIET_READS, async () => {
      await pause(100);
      const { rows } = await this.client.query<{ left: number }>(
        `select (select count(*) from fanout) + (select count(*) from delivery where state = 'pending')
           + (select count(*) from webhook where deleted_at is null and expiring_through is null) as left`,
      );
      if (Number(rows[0]?.left) > 0) goesOn(`${rows[0]?.left} notices of new subscriptions`);
      quiet = Number(rows[0]?.left) === 0 ? quiet + 1 : 0;
      return quiet;
    });
  }

  /** Returns the number of pending deliveries. */
  async pending(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>(
      `select count(*)::int as count from delivery where state = 'pending'`,
    );
    return (rows[0] as { count: number }).count;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

const HISTORY = [
  `insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
   select id, version, 'bench', legal_basis, registered_at, expiry, document from access_record where id = any($1)
   on conflict do nothing`,
  `insert into access_record_transition (record_id, number, to_state, cause, account_id)
   select id, 1, 'ACTIVE', 'registered', 'bench' from access_record where id = any($1) on conflict do nothing`,
];

/** Returns the id of the event of an arrival. */
export const idOf = (delivery: string): string => delivery.slice(delivery.indexOf(' ') + 1);

/** Returns a percentile of the values. */
export function percentile(values: readonly number[], hundredth: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredth) / 100) - 1)] ?? Number.NaN;
}
