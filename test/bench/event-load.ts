import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { withdrawal } from '../../subgraphs/access/database/consent-withdrawal';
import type { BenchRegister } from './bench-room';
import { progress, reached } from './progress';

/** Counts what arrives, and when; it answers at once. */
export interface CountingReceiver {
  readonly url: string;
  /** Milliseconds since 1970 of the first arrival of each event at each path. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Resolves when so many different deliveries have arrived since the last {@link CountingReceiver.forget}. */
  arrived(count: number): Promise<void>;
  forget(): void;
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
    forget: () => arrivals.clear(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The database of a register, as its owner: events are made in it by the very statements of the product. */
export class EventSource {
  private constructor(
    private readonly client: Client,
    private readonly register: BenchRegister,
  ) {}

  static async open(register: BenchRegister): Promise<EventSource> {
    const client = new Client({ connectionString: register.databaseUrl });
    client.on('error', () => undefined); // a bench that was stopped has left it
    await client.connect();
    await client.query('set search_path = access, register');
    return new EventSource(client, register);
  }

  /** Subscribes for all events, and answers the internal id. */
  async subscribe(callbackUrl: string): Promise<string> {
    const { rest, token } = this.register;
    const response = await fetch(`${rest}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ 'callback-url': callbackUrl, 'alert-email': 'alerts@harbourlight.example' }),
    });
    const { webhook } = (await response.json()) as { webhook?: { wid: string } };
    if (!webhook) throw new Error(`the subscription was answered ${response.status}`);
    const { rows } = await this.client.query<{ id: string }>('select id from webhook where wid = $1', [webhook.wid]);
    return (rows[0] as { id: string }).id;
  }

  /** Fires `consent.expiring` of so many records, from one on, at each of some subscriptions, in one transaction; the expiries are those of a round. */
  async expiring(webhooks: readonly string[], records: number, round: number, from = 0): Promise<void> {
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
    await this.client.query(
      `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
       select 'consent.expiring', duid, record.id, webhook_id, expiry, 10
       from access_record record cross join unnest($2::uuid[]) as subscribed (webhook_id)
       where record.id = any($1) order by record.id, webhook_id`,
      [ids, webhooks],
    );
    await this.client.query('analyze delivery, delivery_lane, event'); // as autovacuum does, whose turn may come later
    progress(`${records * webhooks.length} deliveries are planned`);
  }

  /** Ids of records that are ACTIVE, the last ones first; the rows of the bench get the history that a change of them demands. */
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

  /** The customer withdraws consent. */
  async withdraw(id: string): Promise<void> {
    const text = withdrawal('id = $1::uuid', { account: `'customer'`, reason: `'customer-request'` });
    await this.client.query(text, [id]);
  }

  /** Milliseconds since 1970 at which events of a type were recorded, by their ids. */
  async recorded(type: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.client.query<{ id: string; at: number }>(
      'select id, extract(epoch from recorded_at)::float8 * 1000 as at from event where type = $1',
      [type],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  /** Deliveries that wait. */
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

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], hundredth: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredth) / 100) - 1)] ?? Number.NaN;
}
