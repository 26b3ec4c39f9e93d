import { Pool, type PoolConfig, defaults } from 'pg';
import { checkable } from './check-only';
import { type DatabaseAddress, KEEPALIVES, sessionUrl } from './database-login';
import { READ_ONLY, SHORT_READ_CONNECTIONS, ShortReads } from './short-reads';

/** The database of a running subgraph. */
export interface Database {
  /** Pool of sessions: statements that write, and transactions. */
  readonly pool: Pool;
  /** Pipelined clients for short autocommit reads only. */
  readonly reads: ShortReads;
  close(): Promise<void>;
}

// Sends instants in UTC. In the process's time zone an instant before 1847 would lose the seconds of London's local
// mean time.
defaults.parseInputDatesAsUTC = true;

/** Below the ten seconds within which every request receives a response. */
const STATEMENT_TIMEOUT_MS = 6_000;
const CONNECTION_TIMEOUT_MS = 3_000;

/**
 * Plans each short read once per connection (PostgreSQL manual, plan_cache_mode). For `= any($1)` PostgreSQL estimates
 * that the generic plan costs more than a plan for the given keys, and would plan every execution, at three times the
 * cost of the read.
 */
const GENERIC_PLAN = '-c plan_cache_mode=force_generic_plan';

/** Options of every session: login and search path of the subgraph, and timeouts. */
export function sessionOptions(address: DatabaseAddress, ...more: string[]): PoolConfig {
  const options = [
    `-c search_path=${address.schema},register`,
    `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    `-c idle_in_transaction_session_timeout=${STATEMENT_TIMEOUT_MS}`,
    KEEPALIVES,
    ...more,
  ];
  return {
    connectionString: sessionUrl(address.url, options.join(' '), address.login === 'derived' ? address : undefined),
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 500,
    keepAlive: true,
  };
}

/** Opens a pool of sessions that survives lost connections and serves checks. Calls `onReadOnly` when a server rejects a write as read-only. */
export function openPool(config: PoolConfig, onReadOnly?: () => void): Pool {
  return checkable(guarded(new Pool(config), onReadOnly));
}

/** Internals of a pg client (8.23) that show whether it is still usable. */
interface ClientInternals {
  readonly _activeQuery?: unknown;
  readonly connection: NodeJS.EventEmitter;
  end(): Promise<void>;
}

/**
 * Ignores errors of idle connections: the pool replaces them, and a lost connection of a transaction fails the next
 * statement. Ends two kinds of connections when they return to the pool:
 *
 * - one with an unfinished query, whose server is lost or frozen: every further statement would wait too;
 * - one to a server that is read-only: the next connection leads to the server that has taken over.
 */
function guarded(pool: Pool, onReadOnly?: () => void): Pool {
  const readOnly = new WeakSet<object>();
  return pool
    .on('error', () => undefined)
    .on('connect', (client) => {
      client.on('error', () => undefined);
      const { connection } = client as unknown as ClientInternals;
      connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code !== READ_ONLY) return;
        readOnly.add(client);
        onReadOnly?.();
      });
    })
    .on('release', (_, client) => {
      const released = client as unknown as ClientInternals;
      if (released._activeQuery != null || readOnly.has(client)) void released.end();
    });
}

/**
 * Opens the pool and the short reads. The database may start later: a statement fails until it has.
 *
 * @param atConnect the first statement of every session that may write
 */
export function openDatabase(address: DatabaseAddress, atConnect?: string): Database {
  const { connections } = address;
  const max = connections.reserve(connections.poolSize);
  connections.reserve(SHORT_READ_CONNECTIONS);
  const reads = new ShortReads(sessionOptions(address, GENERIC_PLAN));
  const pool = openPool({ ...writingSession(address, atConnect), max }, () => reads.renew());
  return {
    pool,
    reads,
    close: async () => {
      await Promise.all([pool.end(), reads.close()]);
    },
  };
}

/** Options of a session that may write. `atConnect` is its first statement, `more` are further options. */
export function writingSession(address: DatabaseAddress, atConnect: string | undefined, ...more: string[]): PoolConfig {
  const onConnect =
    atConnect === undefined ? {} : { onConnect: async (client: Client) => void (await client.query(atConnect)) };
  return { ...sessionOptions(address, ...more), ...onConnect };
}

type Client = Parameters<NonNullable<PoolConfig['onConnect']>>[0];
