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

/** Opens pool, short reads and TypeORM; the database may come up later, each statement says so by itself. */
export async function openDatabase(
  address: DatabaseAddress,
  entities: MixedList<Function | string | EntitySchema>,
  poolSize = 10,
): Promise<Database> {
  const session = sessionOptions(address);
  const pool = new Pool({ ...session, max: poolSize });
  // A connection that broke while idle is replaced by the next statement; one that broke in a transaction fails its next statement.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const reads = new ShortReads(sessionOptions(address, ONE_PLAN));
  const { connectionString, ...extra } = session;
  const source = new DataSource({
    type: 'postgres',
    url: connectionString as string,
    schema: address.schema,
    entities,
    installExtensions: false,
    poolSize,
    poolErrorHandler: () => undefined,
    extra,
  });
  await source.initialize();
  return {
    source,
    pool,
    reads,
    close: async () => {
      await Promise.all([source.destroy(), pool.end(), reads.close()]);
    },
  };
}
