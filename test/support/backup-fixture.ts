import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Customer } from './customers';
import type { Graph } from './graph';

/** Opens a session, and ends it after `work`. */
async function inSession<Result>(url: string, work: (session: Client) => Promise<Result>): Promise<Result> {
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

/** Returns the rows of a query. */
export function rowsOf<Row extends object>(url: string, query: string, values: unknown[] = []): Promise<Row[]> {
  return inSession(url, async (session) => (await session.query<Row>(query, values)).rows);
}

/** Returns a hash of the rows of every table in the backup. */
export function contents(url: string, tables: readonly string[]): Promise<Record<string, string>> {
  return inSession(url, async (session) => {
    const hashes: Record<string, string> = {};
    for (const table of tables) {
      const { rows } = await session.query<{ hash: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as hash from ${table} t`,
      );
      hashes[table] = rows[0]?.hash ?? '';
    }
    return hashes;
  });
}

/** Returns what a database stores about a customer: the person, and the access. */
export async function standing(url: string, { ir }: Customer) {
  const [row] = await rowsOf<Record<string, unknown>>(
    url,
    `select r.anonymised_at is not null as anonymised, r.mpxn_index is null and r.email_index is null as unfindable,
      not exists (select from identity_keys.data_key k where k.record_id = r.id) as unreadable,
      (select string_agg(state, ' ') from access.access_record a where a.identity_record_id = r.id) as access,
      (select bool_and(meter_point_id is null) from access.access_record a where a.identity_record_id = r.id) as unlinked,
      exists (select from access.closed_identity_link c where c.identity_record_id = r.id) as closed
     from identity.identity_record r where ref = $1`,
    [ir],
  );
  return row;
}
/** A customer with ACTIVE access. */
export const LIVE = {
  anonymised: false,
  unfindable: false,
  unreadable: false,
  access: 'ACTIVE',
  unlinked: false,
  closed: false,
};
/** An anonymised customer. */
export const GONE = {
  anonymised: true,
  unfindable: true,
  unreadable: true,
  access: 'REVOKED',
  unlinked: true,
  closed: true,
};

/** Returns every file below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return found.flat();
}

const EVENTS = `query ($after: String) {
  registerEvents(after: $after, first: 500) { nodes { id cursor type accessRecord { id } } } }`;

/** An event of the register, as a client reads it. */
export interface ReadEvent {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
}

/** Returns all events after a cursor. */
export async function followed(graph: Graph, after: string | null): Promise<ReadEvent[]> {
  const { nodes } = (await graph(EVENTS, { after })).data.registerEvents;
  return nodes.length === 0 ? [] : [...nodes, ...(await followed(graph, nodes.at(-1).cursor))];
}
