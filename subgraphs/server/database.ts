import { Pool, type PoolConfig, defaults } from 'pg';
import { DataSource, type EntitySchema, type MixedList } from 'typeorm';
import { type DatabaseAddress, sessionUrl } from './database-login';
import { ShortReads } from './short-reads';

/** The database of a running subgraph. */
export interface Database {
  /** TypeORM over a pool: transactions and everything that is not hot. */
  readonly source: DataSource;
  /** Plain pool with named statements: hot single statements that write. */
  readonly pool: Pool;
  /** Pipelined clients for short autocommit reads only. */
  readonly reads: ShortReads;
  close(): Promise<void>;
}

// By the time zone of this process an instant before 1847 would lose the seconds of London's local mean time.
defaults.parseInputDatesAsUTC = true;

/** Milliseconds after which a statement is given up, below the ten seconds in which every request is answered. */
const STATEMENT_TIMEOUT = 6_000;
const CONNECTION_TIMEOUT = 3_000;

/**
 * Short reads are planned once per connection: for `= any($1)` PostgreSQL would take a plan for unknown keys to be worse than one
 * for those given, and plan every time, at three times the cost of the read itself.
 */
const ONE_PLAN = '-c plan_cache_mode=force_generic_plan';

/** Options of every session: the subgraph's login and search path, and limits so that nothing hangs. */
export function sessionOptions(address: DatabaseAddress, ...more: string[]): PoolConfig {
  const options = [
    `-c search_path=${address.schema},register`,
    `-c statement_timeout=${STATEMENT_TIMEOUT}`,
    `-c idle_in_transaction_session_timeout=${STATEMENT_TIMEOUT}`,
    ...more,
  ];
  return {
    connectionString: sessionUrl(address.url, options.join(' '), address),
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    query_timeout: STATEMENT_TIMEOUT + 500,
    keepAlive: true,
  };
}

/** Opens a pool of sessions. */
export function openPool(config: PoolConfig): Pool {
  return guarded(new Pool(config));
}

/** What of a client tells that it is of no more use. */
interface ClientParts {
  readonly _activeQuery?: unknown;
  readonly connection: NodeJS.EventEmitter;
  end(): Promise<void>;
}

/**
 * A connection that broke while idle is replaced by the next statement; one that broke in a transaction fails its next statement. Ended
 * when it is given back is one that still owes an answer, whose server is gone or frozen: every further statement would wait, too; and
 * one to a server that can only be read: the next one leads to the server that has taken over.
 */
function guarded(pool: Pool): Pool {
  const onlyRead = new WeakSet<object>();
  return pool
    .on('error', () => undefined)
    .on('connect', (client) => {
      client.on('error', () => undefined);
      const { connection } = client as unknown as ClientParts;
      connection.on('errorMessage', ({ code }: { code?: string }) => void (code === '25006' && onlyRead.add(client)));
    })
    .on('release', (_, client) => {
      const used = client as unknown as ClientParts;
      if (used._activeQuery != null || onlyRead.has(client)) void used.end();
    });
}

/** Sessions of the pool, and as many of TypeORM. */
const POOL_SIZE = 10;

/**
 * Opens pool, short reads and TypeORM; the database may come up later, each statement says so by itself.
 *
 * @param atConnect the first statement of every session that may write
 */
export async function openDatabase(
  address: DatabaseAddress,
  entities: MixedList<Function | string | EntitySchema>,
  atConnect?: string,
): Promise<Database> {
  const session: PoolConfig = {
    ...sessionOptions(address),
    ...(atConnect !== undefined && { onConnect: async (client) => void (await client.query(atConnect)) }),
  };
  const pool = openPool({ ...session, max: POOL_SIZE });
  const reads = new ShortReads(sessionOptions(address, ONE_PLAN));
  const { connectionString, ...extra } = session;
  const source = new DataSource({
    type: 'postgres',
    url: connectionString as string,
    schema: address.schema,
    entities,
    installExtensions: false,
    poolSize: POOL_SIZE,
    poolErrorHandler: () => undefined,
    extra,
  });
  await source.initialize();
  guarded((source.driver as unknown as { readonly master: Pool }).master);
  return {
    source,
    pool,
    reads,
    close: async () => {
      await Promise.all([source.destroy(), pool.end(), reads.close()]);
    },
  };
}
