import DataLoader from 'dataloader';
import { isChecking } from './check-only';
import type { Database } from './database';
import { separatedByKey } from './separated-by-key';
import type { NamedStatement, ShortReads } from './short-reads';

/** Runs named reads. */
type Reads = Pick<ShortReads, 'rows'>;

/** Returns reads that use the pool, for statements that are too slow for the short reads. */
export function longReads({ pool }: Pick<Database, 'pool'>): Reads {
  return { rows: async ({ name, text }, values) => (await pool.query({ name, text, values })).rows };
}

/** One column of a key. */
type Part = string | number;

const MAX_BATCH_SIZE = 500;

/**
 * Batches lookups: the keys requested in one event-loop tick share a statement, at most 500 keys. The statement's
 * parameters are arrays, one for each column of the key. Nothing is cached.
 *
 * @param keyOf returns the key of a row
 */
export function rowsByKey<Key extends readonly Part[], Row extends object>(
  reads: Reads,
  statement: NamedStatement,
  keyOf: (row: Row) => Key,
): (...key: Key) => Promise<readonly Row[]> {
  const read = async (requested: readonly Key[]): Promise<Row[][]> => {
    const keys = [...new Map(requested.map((key) => [textOf(key), key])).values()];
    const columns = (keys[0] ?? []).map((_, index) => keys.map((key) => key[index]));
    const found = new Map<string, Row[]>(keys.map((key) => [textOf(key), []]));
    for (const row of await reads.rows<Row>(statement, columns)) found.get(textOf(keyOf(row)))?.push(row);
    return requested.map((key) => found.get(textOf(key)) as Row[]);
  };
  const loader = new DataLoader<Key, readonly Row[], string>((keys) => separatedByKey(keys, read), {
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
    batchScheduleFn: (run) => void setImmediate(run),
  });
  return async (...key) => (isChecking() ? ((await read([key]))[0] as Row[]) : loader.load(key));
}

const textOf = (key: readonly Part[]) => key.join('\u0000');
