import { callbackify } from 'node:util';
import type { PoolClient, QueryResult } from 'pg';

type Query = (...parameters: unknown[]) => Promise<QueryResult>;
type QueryCallback = (error: NodeJS.ErrnoException | null, result: QueryResult) => void;

const BEGIN = /^\s*(begin|start transaction)\b/i;
const COMMIT = /^\s*commit\b/i;
const ROLLBACK = /^\s*rollback\s*;?\s*$/i;
/** Statements that a savepoint must not enclose, because its release would end what they set. */
const SAVEPOINT = /^\s*(savepoint|release|rollback to)\b/i;

/** Fires deferred constraints and triggers as a commit does, and defers later ones again. */
const CHECK_CONSTRAINTS = 'set constraints all immediate; set constraints all deferred';
const STATEMENT = 'check_statement';

/**
 * The session of a check: one transaction, in which each transaction of the checked work is a savepoint. A failed
 * statement undoes only itself, so that concurrent reads of the same check do not fail with it.
 */
export class CheckedSession {
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private transactions = 0;

  constructor(private readonly client: PoolClient) {}

  /** Returns a client for the checked work, as the pool does. It must not be released. */
  session(): PoolClient {
    const sent = (query: Query) => this.inOrder(query);
    const scope = new TransactionScope(this.client.query.bind(this.client) as Query, () => (this.transactions += 1));
    const query = (...parameters: unknown[]) => {
      const callback = parameters.at(-1);
      if (typeof callback !== 'function') return sent(() => scope.run(parameters));
      callbackify(() => sent(() => scope.run(parameters.slice(0, -1))))(callback as QueryCallback);
    };
    return new Proxy(this.client, {
      get(client, name) {
        if (name === 'query') return query;
        if (name === 'release') return () => undefined;
        const value: unknown = Reflect.get(client, name);
        return typeof value === 'function' ? (value.bind(client) as unknown) : value;
      },
    });
  }

  /** Rolls everything back, after the statements that are still running. Later statements fail. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.last;
    await this.client.query('rollback');
    await this.client.query('select pg_advisory_unlock_all()'); // locks of a session outlive its transaction
  }

  /** Sends statements one after another: each one is several messages with its savepoint. */
  private inOrder(query: Query): Promise<QueryResult> {
    if (this.isOver) return Promise.reject(new Error('the check has ended'));
    const result = this.last.then(() => query());
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** Runs the statements of one user of the session, with savepoints for its transactions. */
class TransactionScope {
  private savepoint: string | undefined;

  constructor(
    private readonly query: Query,
    private readonly nextNumber: () => number,
  ) {}

  run(parameters: readonly unknown[]): Promise<QueryResult> {
    const text = textOf(parameters[0]);
    if (BEGIN.test(text)) return this.begin();
    if (COMMIT.test(text)) return this.commit();
    if (ROLLBACK.test(text)) return this.rollback();
    if (SAVEPOINT.test(text)) return this.query(...parameters);
    return this.statement(parameters);
  }

  private begin(): Promise<QueryResult> {
    this.savepoint = `check_transaction_${this.nextNumber()}`;
    return this.query(`savepoint ${this.savepoint}`);
  }

  /** The savepoint remains: a concurrent transaction of the same check may have set its own after it. */
  private async commit(): Promise<QueryResult> {
    try {
      return firstOf(await this.query(CHECK_CONSTRAINTS));
    } catch (error) {
      await this.rollback();
      throw error;
    } finally {
      this.savepoint = undefined;
    }
  }

  private rollback(): Promise<QueryResult> {
    const { savepoint } = this;
    this.savepoint = undefined;
    return this.query(savepoint === undefined ? 'select' : `rollback to savepoint ${savepoint}`);
  }

  /** A statement outside a transaction is its own transaction, so its deferred constraints are checked at its end. */
  private async statement(parameters: readonly unknown[]): Promise<QueryResult> {
    await this.query(`savepoint ${STATEMENT}`);
    try {
      const result = await this.query(...parameters);
      const check = this.savepoint === undefined ? `${CHECK_CONSTRAINTS}; ` : '';
      await this.query(`${check}release savepoint ${STATEMENT}`);
      return result;
    } catch (error) {
      await this.query(`rollback to savepoint ${STATEMENT}; release savepoint ${STATEMENT}`);
      throw error;
    }
  }
}

/** Several statements in one message have one result each. */
function firstOf(result: QueryResult | QueryResult[]): QueryResult {
  return Array.isArray(result) ? (result[0] as QueryResult) : result;
}

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : String((query as { readonly text?: unknown }).text);
}
