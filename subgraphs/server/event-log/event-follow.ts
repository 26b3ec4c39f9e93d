import { type Violation, throwViolations } from '../../../schema/register-error';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  rangeViolations,
  rejectCursor,
  requirePageSize,
  selectionViolations,
} from '../lists/connection';
import { type EventPosition, IS_FROM_FUTURE, eventCursor, eventPosition } from './event-cursor';
import type { NamedStatement, ShortReads } from '../database/short-reads';

/** Maximum entries of a page of an event log. */
const MAX_EVENT_PAGE_SIZE = 500;

/** Throws the violations of a page of events: of its size, and of its types at a path. */
export function requireEventPage(first: number, types: readonly string[] | null, typesPath: Violation['path']): void {
  throwViolations([...rangeViolations('first', first, MAX_EVENT_PAGE_SIZE), ...selectionViolations(types, typesPath)]);
}

/** Entries of a log, and the cursor of the next page. */
export interface EventPage<Entry> {
  readonly cursor: string;
  readonly entries: readonly (Entry & { readonly cursor: string })[];
}

/** Condition on the events of a log: the statement of the events that it selects, with its values. */
export interface SelectedEvents {
  /**
   * Selects at most `$4` events after the position in `$1` to `$3`, in the order of the log and without gaps
   * (`IS_STABLE`).
   */
  readonly statement: NamedStatement;
  /** Values of the parameters from `$5` on. */
  readonly values: readonly unknown[];
}

/** Reads an event log forwards, for all readers. */
export interface EventFollowing<Entry> {
  /**
   * Returns the selected entries after a cursor; from the start for the empty cursor. For null, returns no entries and
   * the cursor of the end.
   */
  follow(events: SelectedEvents, after: string | null, first: number): Promise<EventPage<Entry>>;
  /**
   * Returns the page of the rows after its cursor, of which one more than its size was read. Throws VAL001 for a cursor
   * beyond the end of this log, which was issued on a lost database timeline.
   */
  page<Row extends EventPosition, Event>(
    rows: readonly Row[],
    page: PageRequest,
    eventOf: (row: Row) => Event,
  ): Promise<Connection<Event>>;
}

const HEAD = { name: 'event_head', text: 'select event_era() as era, pg_snapshot_xmin(pg_current_snapshot()) as tx' };

const FROM_FUTURE = { name: 'cursor_from_future', text: `select ${IS_FROM_FUTURE} as "isFromFuture"` };

/**
 * Follows the table `event` of a subgraph.
 *
 * @param columns the columns of an entry, as a select list
 */
export function eventFollowing<Entry extends object>(
  reads: Pick<ShortReads, 'rows'>,
  columns: string,
): EventFollowing<Entry> {
  const requirePast = async (cursor: string): Promise<void> => {
    const [row] = await reads.rows<{ isFromFuture: boolean }>(FROM_FUTURE, [...eventPosition(cursor)]);
    if (row?.isFromFuture) rejectCursor();
  };
  return {
    async page(rows, page, eventOf) {
      if (rows.length === 0 && page.after !== null) await requirePast(page.after);
      return connectionOf(rows, { ...page, after: page.after || null }, eventCursor, eventOf);
    },
    async follow({ statement: { name, text }, values }, after, first) {
      requirePageSize(first, MAX_EVENT_PAGE_SIZE);
      if (after === null) {
        const [head] = await reads.rows<{ era: string; tx: string }>(HEAD, []);
        return { cursor: eventCursor({ ...(head as { era: string; tx: string }), position: '0' }), entries: [] };
      }
      const entries = {
        name: `entries_of_${name}`,
        text: `select ${columns}, era, tx, position from (${text}) event order by era, tx, position`,
      };
      const rows = await reads.rows<EventPosition & Entry>(entries, [...eventPosition(after), first, ...values]);
      if (rows.length === 0) await requirePast(after);
      const page = rows.map(({ era, tx, position, ...entry }) => ({
        ...(entry as unknown as Entry),
        cursor: eventCursor({ era, tx, position }),
      }));
      return { cursor: page.at(-1)?.cursor ?? after, entries: page };
    },
  };
}
