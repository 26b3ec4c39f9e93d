import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { errorFields } from './observability/failures';
import { logError } from './observability/error-log';
import { clocksAgree, isAhead, requireEqualClocks } from './database/register-clock';
import { onlyRow } from './database/transaction';
import { repeat } from './jobs/repeat';

/** Maximum rows that one statement deletes. */
const MAX_ROWS_PER_STATEMENT = 5_000;
/** A statement that takes longer is followed by one with half as many rows, so that each stays below a second. */
const SLOW_STATEMENT_MS = 500;
/** A statement that takes less is followed by one with twice as many rows, up to the maximum. */
const FAST_STATEMENT_MS = 100;
/** SQLSTATE of a statement that exceeded the statement timeout; it deleted nothing. */
const QUERY_CANCELED = '57014';

/** Deletes the next expired rows; returns their number, 0 at the end of a run. */
export type Purge = () => Promise<number>;

/** Rows of a table that expire in the order of a column. */
interface ExpiringRows {
  readonly table: string;
  /** Column of the expiry, which has an index. */
  readonly column: string;
  /** SQL: the last value of the column at which a row has expired. */
  readonly through: string;
}

/** What a statement deleted: how many rows, and the value of the column in the last one. */
interface Deleted {
  readonly count: number;
  readonly last: string | null;
}

/** Deletes up to `limit` rows, in the order of their column from a value on; from the first row for null. */
type DeleteBatch = (limit: number, from: string | null) => Promise<Deleted>;

/**
 * Returns a function that deletes expired rows of a table, in one short statement per call. Each statement starts where
 * the last one ended: index entries of deleted rows remain until a vacuum, and until the oldest transaction ends, and no
 * statement reads those of the statements before it. A row that a concurrent transaction renews is not deleted. A
 * statement deletes nothing once a clock has jumped.
 */
export function expiredRows(pool: Pick<Pool, 'query'>, { table, column, through }: ExpiringRows): Purge {
  const isExpired = `${column} <= ${through}`;
  const text = (from: string) => `with expired as materialized (
      select ctid as row_id, ${column} from ${table} where ${isExpired} and ${clocksAgree('$2')} ${from} order by ${column} limit $1),
    deleted as (
      delete from ${table} where ctid = any (array(select row_id from expired)) and ${isExpired} returning 1)
    select (select count(*) from deleted)::int as count, (select max(${column}) from expired)::text as last`;
  const [first, next] = [text(''), text(`and ${column} >= $3`)];
  return inBatches(async (limit, from) => {
    const values = [limit, new Date()];
    const statement = from === null ? { text: first, values } : { text: next, values: [...values, from] };
    return onlyRow(await pool.query<Deleted>(statement));
  });
}

/** Rows of a table that exist for at most a lifetime. */
interface BoundedRows extends Pick<ExpiringRows, 'table' | 'column'> {
  /** The longest lifetime, an SQL interval. */
  readonly lifetime: string;
}

/**
 * Returns a function that deletes rows whose expiry is further ahead than their lifetime: the clock was ahead when they were added. They are
 * invalid once the clock is set back, and would be valid again when it shows their time.
 */
export function rowsAhead(pool: Pick<Pool, 'query'>, { table, column, lifetime }: BoundedRows): Purge {
  const which = `${isAhead(column, lifetime)} and ${clocksAgree('$2')}`;
  const text = `delete from ${table} where ctid = any (array(select ctid from ${table} where ${which} limit $1)) and ${which}`;
  return inBatches(async (limit) => ({
    count: (await pool.query(text, [limit, new Date()])).rowCount ?? 0,
    last: null,
  }));
}

/**
 * Returns a function that deletes expired rows of a table without an index on the expiry. One short statement per call
 * selects keys and deletes all rows with these keys, except those that a concurrent transaction renews: it does not wait.
 *
 * @param which the text after `from` that selects the rows: the table, its joins and the condition
 */
export function matchingRows(pool: Pick<Pool, 'query'>, table: string, key: string, which: string): Purge {
  const text = `delete from ${table} where ${key} = any (array(
    select ${table}.${key} from ${which} limit $1 for update of ${table} skip locked))`;
  return inBatches(async (limit) => ({ count: (await pool.query(text, [limit])).rowCount ?? 0, last: null }));
}

/**
 * Returns a function that deletes one batch per call. A batch that exceeds the statement timeout is repeated with
 * fewer rows: it is never too large to be deleted at all.
 */
function inBatches(deleteBatch: DeleteBatch): Purge {
  let limit = MAX_ROWS_PER_STATEMENT;
  let from: string | null = null;
  const deleteNext = async (): Promise<number> => {
    const start = performance.now();
    try {
      const { count, last } = await deleteBatch(limit, from);
      from = count === 0 ? null : last;
      limit = nextLimit(limit, performance.now() - start);
      return count;
    } catch (error) {
      if ((error as { code?: unknown }).code === QUERY_CANCELED && limit > 1) {
        limit = Math.ceil(limit / 2);
        return deleteNext();
      }
      from = null;
      throw error;
    }
  };
  return deleteNext;
}

function nextLimit(limit: number, tookMs: number): number {
  if (tookMs > SLOW_STATEMENT_MS) return Math.ceil(limit / 2);
  return tookMs < FAST_STATEMENT_MS ? Math.min(MAX_ROWS_PER_STATEMENT, limit * 2) : limit;
}

/**
 * Deletes expired rows periodically: kind after kind, in short statements until no expired row is left. All replicas
 * may run it at the same time. Deletes nothing while the clock of the database or of this process has jumped. Returns a
 * function that stops it and waits for the running statement.
 */
export function purgePeriodically(
  pool: Pool,
  kinds: readonly Purge[],
  everySeconds: number,
  logger: Logger,
): () => Promise<void> {
  const deleteAll = async (kind: Purge, isToStop: () => boolean) => {
    while ((await kind()) > 0 && !isToStop());
  };
  const deleteEveryKind = async (isToStop: () => boolean) => {
    await requireEqualClocks(pool);
    for (const kind of kinds) {
      await deleteAll(kind, isToStop).catch((error: unknown) =>
        logError(logger, 'error', error, { failure: errorFields(error) }, 'deleting expired rows failed'),
      );
    }
  };
  return repeat(everySeconds, deleteEveryKind, logger);
}
