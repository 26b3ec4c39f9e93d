import DataLoader from 'dataloader';
import { Client, type ClientConfig, type QueryResultRow } from 'pg';

/** A statement that PostgreSQL prepares once per connection. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

const CONNECTIONS = 2;
const LARGEST_BATCH = 100;
const ANY_KEY = /= any\(\$1(?:::\w+\[\])?\)/;

/**
 * A few clients with `pipeline: true` for short autocommit reads: they send without waiting for earlier answers, which
 * halves the cost of a read, and must therefore never carry a transaction or a slow statement.
 */
export class ShortReads {
  private readonly lines: Line[];

  constructor(session: ClientConfig) {
    this.lines = Array.from({ length: CONNECTIONS }, () => new Line(session));
  }

  /** Runs one read on the connection with the fewest reads under way: of idle ones the first, which is the warmest. */
  async rows<Row extends QueryResultRow>(statement: NamedStatement, values: unknown[]): Promise<Row[]> {
    const line = this.lines.reduce((best, each) => (each.underWay < best.underWay ? each : best));
    line.underWay += 1;
    try {
      const client = await line.connected();
      return (await client.query<Row>({ name: statement.name, text: statement.text, values })).rows;
    } finally {
      line.underWay -= 1;
    }
  }

  /**
   * A lookup by key that asks for the keys of all concurrent requests in one statement (`= any($1)`), in the next turn of the
   * event loop. A key that is alone is asked for by `= $1`, which costs PostgreSQL less. Nothing is cached: each row is read after its
   * request came in. Authorise after loading, per request.
   */
  byKey<Key, Row extends QueryResultRow>(
    statement: NamedStatement,
    keyOf: (row: Row) => string,
    textOf: (key: Key) => string,
  ) {
    const single = { name: `${statement.name}_alone`, text: statement.text.replace(ANY_KEY, '= $1') };
    const loader = new DataLoader<Key, Row | undefined>(
      async (keys) => {
        if (keys.length === 1) return [(await this.rows<Row>(single, [keys[0]]))[0]];
        const rows = await this.rows<Row>(statement, [keys]);
        const found = new Map(rows.map((row) => [keyOf(row), row]));
        return keys.map((key) => found.get(textOf(key)));
      },
      { cache: false, maxBatchSize: LARGEST_BATCH, batchScheduleFn: (run) => void setImmediate(run) },
    );
    return (key: Key): Promise<Row | undefined> => loader.load(key);
  }

  async close(): Promise<void> {
    await Promise.all(this.lines.map((line) => line.close()));
  }
}

/** One connection that is made on demand and made anew after it broke. */
class Line {
  /** Reads that were sent and not yet answered. */
  underWay = 0;
  private current: Promise<Client> | undefined;

  constructor(private readonly session: ClientConfig) {}

  connected(): Promise<Client> {
    if (this.current) return this.current;
    const connection: Promise<Client> = this.connect(() => {
      if (this.current === connection) this.current = undefined; // not the one that has taken its place
    });
    this.current = connection;
    return connection;
  }

  async close(): Promise<void> {
    const client = await this.current?.catch(() => undefined);
    this.current = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Connects; `forget` is told when the connection breaks, which a client may tell more than once. */
  private async connect(forget: () => void): Promise<Client> {
    const client = new Client({ ...this.session, pipeline: true } as ClientConfig);
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
