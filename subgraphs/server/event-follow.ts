import { refuseCursor, requirePageSize } from './connection';
import {
  AFTER_POSITION,
  type EventPosition,
  IS_FROM_FUTURE,
  IS_SETTLED,
  eventCursor,
  eventPosition,
} from './event-cursor';
import type { ShortReads } from './short-reads';

/** Entries of a page of an event log at most. */
export const LARGEST_EVENT_PAGE = 500;

/** Entries of a log, and the cursor after which the next ones come. */
export interface EventPage<Entry> {
  readonly cursor: string;
  readonly entries: readonly (Entry & { readonly cursor: string })[];
}

/** Reads on in an event log, whoever its events are for. */
export interface EventFollowing<Entry> {
  /** What followed a cursor; without a cursor nothing but the cursor from now on; everything after the empty one. */
  follow(after: string | null, first: number): Promise<EventPage<Entry>>;
  /** VAL001 for a cursor after which nothing can come for long: what it was given for is not in this log. */
  requirePast(cursor: string): Promise<void>;
}

const HEAD = { name: 'event_head', text: 'select event_era() as era, pg_snapshot_xmin(pg_current_snapshot()) as tx' };

const FROM_FUTURE = { name: 'cursor_from_future', text: `select ${IS_FROM_FUTURE} as "isFromFuture"` };

/**
 * Follows the table `event` of a subgraph, without gaps ({@link IS_SETTLED}).
 *
 * @param columns of an entry, as a list of a select
 */
export function eventFollowing<Entry extends object>(
  reads: Pick<ShortReads, 'rows'>,
  columns: string,
): EventFollowing<Entry> {
  const entries = {
    name: 'event_entries',
    text: `select ${columns}, era, tx, position from event where ${AFTER_POSITION} and ${IS_SETTLED}
    order by era, tx, position limit $4`,
  };
  const requirePast = async (cursor: string): Promise<void> => {
    const [told] = await reads.rows<{ isFromFuture: boolean }>(FROM_FUTURE, [...eventPosition(cursor)]);
    if (told?.isFromFuture) refuseCursor();
  };
  return {
    requirePast,
    async follow(after, first) {
      requirePageSize(first, LARGEST_EVENT_PAGE);
      if (after === null) {
        const [head] = await reads.rows<{ era: string; tx: string }>(HEAD, []);
        return { cursor: eventCursor({ ...(head as { era: string; tx: string }), position: '0' }), entries: [] };
      }
      const rows = await reads.rows<EventPosition & Entry>(entries, [...eventPosition(after), first]);
      if (rows.length === 0) await requirePast(after);
      const told = rows.map(({ era, tx, position, ...entry }) => ({
        ...(entry as unknown as Entry),
        cursor: eventCursor({ era, tx, position }),
      }));
      return { cursor: told.at(-1)?.cursor ?? after, entries: told };
    },
  };
}
