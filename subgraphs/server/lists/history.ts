import DataLoader from 'dataloader';
import { isChecking } from '../database/check-only';
import type { Database } from '../database/database';
import type { NamedStatement } from '../database/short-reads';
import { type Connection, type PageRequest, connectionOf, rejectCursor, requirePageSize } from './connection';

/** Maximum entries of a page of history. */
const MAX_HISTORY_PAGE_SIZE = 100;
/** Maximum pages that one statement reads. */
const MAX_PAGES = 100;

/** Requests a page of a history. `since` excludes entries that a statement defines as former. */
export interface HistoryRequest extends PageRequest {
  readonly since?: Date | null;
}

/** Requests versions; `newestFirst` starts with the present one. */
export interface VersionRequest extends HistoryRequest {
  readonly newestFirst: boolean;
}

/** Reads a page of the history of the row with an id. */
export type HistoryReader<Entry> = (id: string, page: HistoryRequest) => Promise<Connection<Entry>>;

/** Reads a page of the versions of the row with an id, oldest first by default. */
export type VersionReader<Entry> = (id: string, page: VersionRequest) => Promise<Connection<Entry>>;

type Numbered<Entry> = Entry & { readonly number: number };
type RequestOfRow = HistoryRequest & { readonly id: string };

/**
 * Returns a statement for the histories of several rows: parameters are four arrays with one element per history, and column `n` of a row is
 * the index of its history, from 1.
 *
 * @param entries SQL that selects the entries of `requested.id` from `requested.after` on, each with its `number`; `requested.after` is 0 for
 *   the first page
 */
export function ofEachHistory(
  entries: string,
  order: 'asc' | 'desc' = 'asc',
  idType: 'uuid' | 'text' = 'uuid',
): string {
  return `
  select requested.n::int, entry.* from unnest($1::${idType}[], $2::int[], $3::int[], $4::timestamptz[]) with ordinality as requested (id, after, max, since, n)
  cross join lateral (${entries} order by number ${order} limit requested.max) entry order by requested.n, entry.number ${order}`;
}

/** Returns a reader of the pages of histories; histories that are requested in one event-loop tick share a statement of {@link ofEachHistory}. */
export function historyReader<Entry>(
  database: Pick<Database, 'pool'>,
  statement: NamedStatement,
): HistoryReader<Entry> {
  const loader = new DataLoader<RequestOfRow, Numbered<Entry>[]>(
    (requested) => readHistories<Entry>(database, statement, requested),
    {
      cache: false,
      maxBatchSize: MAX_PAGES,
      batchScheduleFn: (run) => void setImmediate(run),
    },
  );
  return async (id, page) => {
    requirePageSize(page.first, MAX_HISTORY_PAGE_SIZE);
    const requested = { id, ...page, after: page.after === null ? null : numberOf(page.after) };
    const rows = isChecking()
      ? ((await readHistories<Entry>(database, statement, [requested]))[0] ?? [])
      : await loader.load(requested);
    return connectionOf(rows, page, ({ number }) => String(number));
  };
}

/** Returns a reader of versions from a statement of {@link ofEachHistory} for each order. */
export function versionReader<Entry>(
  database: Pick<Database, 'pool'>,
  statements: { readonly oldestFirst: NamedStatement; readonly newestFirst: NamedStatement },
): VersionReader<Entry> {
  const oldest = historyReader<Entry>(database, statements.oldestFirst);
  const newest = historyReader<Entry>(database, statements.newestFirst);
  return (id, page) => (page.newestFirst ? newest : oldest)(id, page);
}

async function readHistories<Entry>(
  { pool }: Pick<Database, 'pool'>,
  statement: NamedStatement,
  requested: readonly RequestOfRow[],
): Promise<Numbered<Entry>[][]> {
  const { rows } = await pool.query<Numbered<Entry> & { readonly n: number }>({
    ...statement,
    values: [
      requested.map(({ id }) => id),
      requested.map(({ after }) => after ?? 0),
      requested.map(({ first }) => first + 1),
      requested.map(({ since }) => since ?? null),
    ],
  });
  const entries = requested.map((): Numbered<Entry>[] => []);
  for (const row of rows) entries[row.n - 1]?.push(row);
  return entries;
}

/** Returns the number of the entry after which a page starts. Throws VAL001 at `after` for an invalid cursor. */
function numberOf(cursor: string): string {
  return /^[1-9]\d{0,8}$/.test(cursor) ? cursor : rejectCursor();
}
