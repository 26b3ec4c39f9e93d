import DataLoader from 'dataloader';
import type { Database } from './database';
import type { NamedStatement, ShortReads } from './short-reads';

/** What statements are sent to. */
export type Reads = Pick<ShortReads, 'rows'>;

/** The pool, for lookups that read too much to go with the short reads. */
export function longReads({ pool }: Pick<Database, 'pool'>): Reads {
  return { rows: async ({ name, text }, values) => (await pool.query({ name, text, values })).rows };
}

/** A part of a key. */
type Part = string | number;

const LARGEST_BATCH = 500;

/**
 * A lookup that asks for the keys of all concurrent fields in one statement, in the next turn of the event loop: its parameters are
 * arrays, one for each part of the key. Nothing is cached.
 *
 * @param keyOf the key that a row belongs to
 */
export function rowsByKey<Key extends readonly Part[], Row extends object>(
  reads: Reads,
  statement: NamedStatement,
  keyOf: (row: Row) => Key,
): (...key: Key) => Promise<readonly Row[]> {
  const loader = new DataLoader<Key, readonly Row[], string>(
    async (asked) => {
      const keys = [...new Map(asked.map((key) => [textOf(key), key])).values()];
      const parts = (keys[0] ?? []).map((_, index) => keys.map((key) => key[index]));
      const found = new Map<string, Row[]>(keys.map((key) => [textOf(key), []]));
      for (const row of await reads.rows<Row>(statement, parts)) found.get(textOf(keyOf(row)))?.push(row);
      return asked.map((key) => found.get(textOf(key)) as Row[]);
    },
    { cache: false, maxBatchSize: LARGEST_BATCH, batchScheduleFn: (run) => void setImmediate(run) },
  );
  return (...key) => loader.load(key);
}

const textOf = (key: readonly Part[]) => key.join('\u0000');
