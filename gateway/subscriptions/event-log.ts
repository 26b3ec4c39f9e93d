import type { EventLogQueryVariables } from '../../schema/generated/service-queries-to-access';
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

/** Query of a subgraph for the events after a cursor, with the page at `log`. */
export type LogQuery = ServiceQuery<{ readonly log: LogPage }, EventLogQueryVariables>;

/** An event log, read as the service `gateway`, without a caller. */
export interface EventLog {
  /** Returns the events after a cursor, without gaps. For null, returns the cursor of the log's current end. */
  read(after: string | null, first: number): Promise<LogPage>;
}

/** Reads a log from the subgraph that stores it. */
export function eventLog(subgraph: SubgraphLink, serviceQuery: LogQuery): EventLog {
  return {
    async read(after, first) {
      return (await querySubgraph(subgraph, 'gateway', serviceQuery, { after, first }, ofThisService())).log;
    },
  };
}

/**
 * Returns the log with a check of all callers after each read, so that no event reaches a caller whose access ended
 * before it.
 */
export function revalidatingLog(log: EventLog, checkCallers: () => Promise<unknown>): EventLog {
  return {
    async read(after, first) {
      const page = await log.read(after, first);
      if (page.entries.length > 0) await checkCallers();
      return page;
    },
  };
}
