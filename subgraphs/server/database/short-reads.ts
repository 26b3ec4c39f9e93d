import DataLoader from 'dataloader';
import { Client, type ClientConfig, type QueryResultRow } from 'pg';
import { isChecking, sessionOfCheck } from './check-only';
import { separatedByKey } from './separated-by-key';

/** A statement that PostgreSQL prepares once per connection. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** Connections of the short reads of a subgraph. */
export const SHORT_READ_CONNECTIONS = 2;
const MAX_BATCH_SIZE = 100;
/** Limits how often connections are replaced while every write of a busy service meets a read-only server. */
const RENEWAL_DELAY_MS = 1_000;
const ANY_KEY = /= any\(\$1(?:::\w+\[\])?\)/;

/**
 * Two connections with `pipeline: true` for short autocommit reads. They send a statement before the results of earlier
 * ones arrive, which halves the cost of a read. A transaction or a slow statement would delay all reads behind it, so
 * they must not carry one.
 */
export class ShortReads {
  private readonly connections: PipelinedConnection[];
  private renewal: NodeJS.Timeout | undefined;

  constructor(session: ClientConfig) {
    this.connections = Array.from({ length: SHORT_READ_CONNECTIONS }, () => new PipelinedConnection(session));
  }

  /**
   * Runs a read on the connection with the fewest pending reads; prefers the first one, whose statements are most
   * likely prepared. A check reads what it has written, in its own session.
   */
  async rows<Row extends QueryResultRow>(statement: NamedStatement, values: unknown[]): Promise<Row[]> {
    const check = sessionOfCheck();
    if (check) return (await check.query<Row>({ name: statement.name, text: statement.text, values })).rows;
    const connection = this.connections.reduce((best, each) => (each.pending < best.pending ? each : best));
    connection.pending += 1;
    try {
      const client = await connection.client();
      return (await client.query<Row>({ name: statement.name, text: statement.text, values })).rows;
    } finally {
      connection.pending -= 1;
    }
  }

  /**
   * Batches lookups: keys requested in one event-loop tick share a statement (`= any($1)`, at most 100 keys); a single
   * key uses `= $1`, which is cheaper. Nothing is cached: each row is read after its request arrived. Authorise after
   * loading, per request.
   */
  byKey<Key, Row extends QueryResultRow>(
    statement: NamedStatement,
    keyOf: (row: Row) => string,
    textOf: (key: Key) => string,
  ) {
    const single = { name: `${statement.name}_single`, text: statement.text.replace(ANY_KEY, '= $1') };
    const readOne = async (key: Key | undefined) => (await this.rows<Row>(single, [key]))[0];
    const loader = new DataLoader<Key, Row | undefined>(
      (keys) =>
        separatedByKey(keys, async (read) => {
          if (read.length === 1) return [await readOne(read[0])];
          const rows = await this.rows<Row>(statement, [read]);
          const found = new Map(rows.map((row) => [keyOf(row), row]));
          return read.map((key) => found.get(textOf(key)));
        }),
      { cache: false, maxBatchSize: MAX_BATCH_SIZE, batchScheduleFn: (run) => void setImmediate(run) },
    );
    return (key: Key): Promise<Row | undefined> => (isChecking() ? readOne(key) : loader.load(key));
  }

  /**
   * Makes reads use new connections a second later: a server that has become read-only may have been replaced by another one. Calls
   * within that second have one effect, so that the former connections have ended before the next renewal.
   */
  renew(): void {
    this.renewal ??= setTimeout(() => {
      this.renewal = undefined;
      for (const connection of this.connections) connection.renew();
    }, RENEWAL_DELAY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.renewal);
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** Parameters that PostgreSQL reports when a session starts. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** SQLSTATE of a server that cannot write. */
export const READ_ONLY = '25006';

/** A connection that is opened on demand and reopened after it was lost. Never leads to a standby, which may return rows of the past. */
class PipelinedConnection {
  /** Reads that were sent and whose results have not arrived. */
  pending = 0;
  private current: Promise<Client> | undefined;

  constructor(private readonly session: ClientConfig) {}

  client(): Promise<Client> {
    if (this.current) return this.current;
    const connection: Promise<Client> = this.connect(() => {
      if (this.current === connection) this.current = undefined; // a later connection may have replaced this one
    });
    this.current = connection;
    return connection;
  }

  /** Ends the connection after its pending reads; the next read opens another one. */
  renew(): void {
    const former = this.current;
    this.current = undefined;
    const end = async (client: Client) => {
      await client.query('select').catch(() => undefined);
      await client.end();
    };
    former?.then(end).catch(() => undefined);
  }

  async close(): Promise<void> {
    const client = await this.current?.catch(() => undefined);
    this.current = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Connects. Calls `onLost` when the connection is lost, possibly more than once. */
  private async connect(onLost: () => void): Promise<Client> {
    const client = new Client({ ...this.session, pipeline: true } as ClientConfig);
    client.on('error', onLost);
    client.on('end', onLost);
    let isStandby = false;
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on';
    });
    try {
      await client.connect();
      if (!isStandby) return client;
      await client.end();
      throw Object.assign(new Error('the server is a standby'), { code: READ_ONLY });
    } catch (error) {
      onLost();
      throw error;
    }
  }
}
