import { newIdentifier } from '../../schema/identifiers';
import { askSubgraph } from '../../subgraphs/server/service-question';
import type { SubgraphLink } from '../../subgraphs/server/subgraph-link';

/** An event of the log: what decides who is told of it. */
export interface LogEntry {
  readonly id: string;
  /** The place in the log after this event. */
  readonly cursor: string;
  readonly type: string;
  /** The Data User whom it concerns; null for none. */
  readonly duid: string | null;
}

/** A part of the log, oldest first. */
export interface LogPage {
  /** The place in the log after this part. */
  readonly cursor: string;
  readonly entries: readonly LogEntry[];
}

/** What `access` says of an account at this instant. */
export interface AccountStanding {
  readonly accountId: string;
  readonly active: boolean;
  readonly role: string;
  readonly duid: string | null;
  /** The register's clock. */
  readonly now: string;
}

/** The subgraph `access`, as the gateway asks it on its own account. */
export interface EventLog {
  /** Events after a place, without gaps; null asks for the place from which on everything is yet to come. */
  read(after: string | null, first: number): Promise<LogPage>;
  /** Accounts that do not exist are left out. */
  standings(accountIds: readonly string[]): Promise<readonly AccountStanding[]>;
}

const READ =
  'query EventLog($after: String, $first: Int!) { eventLog(after: $after, first: $first) { cursor entries { id cursor type duid } } }';
const STANDINGS =
  'query AccountStandings($accountIds: [String!]!) { accountStandings(accountIds: $accountIds) { accountId active role duid now } }';

/** The log over the link to `access`. */
export function eventLog(access: SubgraphLink): EventLog {
  const ask = async <Data>(query: string, variables: Record<string, unknown>) =>
    askSubgraph<Data>(access, 'gateway', query, variables, {
      transactionId: newIdentifier('tid'),
      clientAddress: '',
    });
  return {
    async read(after, first) {
      return (await ask<{ readonly eventLog: LogPage }>(READ, { after, first })).eventLog;
    },
    async standings(accountIds) {
      type Answer = { readonly accountStandings: readonly AccountStanding[] };
      return (await ask<Answer>(STANDINGS, { accountIds })).accountStandings;
    },
  };
}

/** The log of which nothing is known before it was checked, after it was read, who may still be told of it. */
export function checkedLog(log: EventLog, checkCallers: () => Promise<void>): EventLog {
  return {
    ...log,
    async read(after, first) {
      const page = await log.read(after, first);
      if (page.entries.length > 0) await checkCallers();
      return page;
    },
  };
}
