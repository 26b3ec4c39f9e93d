import type { ServiceQuery } from '../../schema/service-query';
import { ofThisService, querySubgraph } from '../../subgraphs/server/graph/service-query';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';

/** An event of the log, with the fields that decide who receives it. */
export interface LogEntry {
  readonly id: string;
  /** Cursor after this event. */
  readonly cursor: string;
  readonly type: string;
  /** Data User or supplier that the event concerns; null for none. */
  readonly owner: string | null;
}

/** A page of the log, oldest first. */
interface LogPage {
  /** Cursor after this page. */
  readonly cursor: string;
  readonly entries: readonly LogEntry[];
}

/** Conditions on the events that a subscription receives; null omits a condition. */
export interface LogFilter {
  /** Data User or supplier that the event concerns. */
  readonly owner: string | null;
  readonly types: readonly string[] | null;
}

/** Selects all events. */
export const ALL_EVENTS: LogFilter = { owner: null, types: null };

/** Returns the function that decides whether a filter selects an event, as the log itself decides. */
export function isSelectedBy({ owner, types }: LogFilter): (entry: LogEntry) => boolean {
  const ofTypes = types && new Set(types);
  return (entry) => (owner === null || entry.owner === owner) && (!ofTypes || ofTypes.has(entry.type));
}

/** Query of a subgraph for the selected events after a cursor, with the page at `log`. */
export type LogQuery = ServiceQuery<
  { readonly log: LogPage },
  LogFilter & { readonly after: string | null; readonly first: number }
>;

/** An event log, read as the service `gateway`, without a caller. */
export interface EventLog {
  /**
   * Returns the selected events after a cursor, without gaps; fewer than `first` only at the end of the log. For null,
   * returns the cursor of the log's current end.
   */
  read(after: string | null, first: number, filter: LogFilter): Promise<LogPage>;
}

/** Reads a log from the subgraph that stores it. */
export function eventLog(subgraph: SubgraphLink, serviceQuery: LogQuery): EventLog {
  return {
    async read(after, first, filter) {
      const variables = { after, first, ...filter };
      return (await querySubgraph(subgraph, 'gateway', serviceQuery, variables, ofThisService())).log;
    },
  };
}

/**
 * Returns the log with a check of all callers after each read, so that no event reaches a caller whose access ended
 * before it.
 */
export function revalidatingLog(log: EventLog, checkCallers: () => Promise<unknown>): EventLog {
  return {
    async read(after, first, filter) {
      const page = await log.read(after, first, filter);
      if (page.entries.length > 0) await checkCallers();
      return page;
    },
  };
}
