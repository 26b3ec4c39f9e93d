import {
  AccountStandings,
  type AccountStandingsQuery,
  type EventLogQueryVariables,
  LiveSupplierKeys,
} from '../../schema/generated/service-queries-to-access';
import { ActiveSuppliers } from '../../schema/generated/service-queries-to-tariffs';
import { newIdentifier } from '../../schema/identifiers';
import type { ServiceQuery } from '../../schema/service-query';
import { querySubgraph } from '../../subgraphs/server/graph/service-query';
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

/** Current state of an account in `access`, with the register's clock. */
export type AccountState = AccountStandingsQuery['accountStandings'][number];

/** An event log, read as the service `gateway`, without a caller. */
export interface EventLog {
  /** Returns the events after a cursor, without gaps. For null, returns the cursor of the log's current end. */
  read(after: string | null, first: number): Promise<LogPage>;
}

/** Accounts of `access`, read as the service `gateway`, without a caller. */
export interface AccountQueries {
  /** Omits accounts that do not exist. */
  states(accountIds: readonly string[]): Promise<readonly AccountState[]>;
  /** Returns the ids of the given API keys that are still current. */
  liveSupplierKeys(keyIds: readonly string[]): Promise<readonly string[]>;
}

/** Suppliers of `tariffs`, read as the service `gateway`, without a caller. */
export interface SupplierQueries {
  /** Returns the given suppliers that are active in the register now. */
  active(mpids: readonly string[]): Promise<readonly string[]>;
}

/** Reads a log from the subgraph that stores it. */
export function eventLog(subgraph: SubgraphLink, serviceQuery: LogQuery): EventLog {
  return {
    async read(after, first) {
      return (await queryAsGateway(subgraph, serviceQuery, { after, first })).log;
    },
  };
}

/** Reads accounts from `access`. */
export function accountQueries(access: SubgraphLink): AccountQueries {
  return {
    async states(accountIds) {
      return (await queryAsGateway(access, AccountStandings, { accountIds })).accountStandings;
    },
    async liveSupplierKeys(keyIds) {
      return (await queryAsGateway(access, LiveSupplierKeys, { keyIds })).liveSupplierKeys;
    },
  };
}

/** Reads suppliers from `tariffs`; without this subgraph no supplier is active. */
export function supplierQueries(tariffs: SubgraphLink | undefined): SupplierQueries {
  return {
    async active(mpids) {
      if (!tariffs) return [];
      return (await queryAsGateway(tariffs, ActiveSuppliers, { mpids })).activeSuppliers;
    },
  };
}

function queryAsGateway<Result, Variables extends Record<string, unknown>>(
  link: SubgraphLink,
  serviceQuery: ServiceQuery<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  return querySubgraph(link, 'gateway', serviceQuery, variables, {
    transactionId: newIdentifier('tid'),
    clientAddress: '',
  });
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
