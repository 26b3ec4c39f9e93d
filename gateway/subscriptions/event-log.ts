import { newIdentifier } from '../../schema/identifiers';
import { askSubgraph } from '../../subgraphs/server/service-question';
import type { SubgraphLink } from '../../subgraphs/server/subgraph-link';

/** An event of the log: what decides who is told of it. */
export interface LogEntry {
  readonly id: string;
  /** The place in the log after this event. */
  readonly cursor: string;
  readonly type: string;
  /** The Data User or supplier whom it concerns; null for none. */
  readonly owner: string | null;
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

/** A log of events, as the gateway asks its subgraph for it on its own account. */
export interface EventLog {
  /** Events after a place, without gaps; null asks for the place from which on everything is yet to come. */
  read(after: string | null, first: number): Promise<LogPage>;
}

/** The accounts of `access`, as the gateway asks for them on its own account. */
export interface AccountStandings {
  /** Accounts that do not exist are left out. */
  standings(accountIds: readonly string[]): Promise<readonly AccountStanding[]>;
  /** Which of these API keys of suppliers have not been replaced, by their ids. */
  liveSupplierKeys(keyIds: readonly string[]): Promise<readonly string[]>;
}

/** The suppliers of `tariffs`, as the gateway asks for them on its own account. */
export interface SupplierStandings {
  /** Which of these are active in the register at this instant. */
  active(mpids: readonly string[]): Promise<readonly string[]>;
}

const ACTIVE_SUPPLIERS = 'query ActiveSuppliers($mpids: [String!]!) { activeSuppliers(mpids: $mpids) }';
const LIVE_SUPPLIER_KEYS = 'query LiveSupplierKeys($keyIds: [ID!]!) { liveSupplierKeys(keyIds: $keyIds) }';
const STANDINGS =
  'query AccountStandings($accountIds: [String!]!) { accountStandings(accountIds: $accountIds) { accountId active role duid now } }';

/** A log over the link to the subgraph that keeps it. */
export function eventLog(keeper: SubgraphLink, reading: string): EventLog {
  return {
    async read(after, first) {
      return (await ask<{ readonly log: LogPage }>(keeper, reading, { after, first })).log;
    },
  };
}

/** Accounts over the link to `access`. */
export function accountStandings(access: SubgraphLink): AccountStandings {
  return {
    async standings(accountIds) {
      type Answer = { readonly accountStandings: readonly AccountStanding[] };
      return (await ask<Answer>(access, STANDINGS, { accountIds })).accountStandings;
    },
    async liveSupplierKeys(keyIds) {
      type Answer = { readonly liveSupplierKeys: readonly string[] };
      return (await ask<Answer>(access, LIVE_SUPPLIER_KEYS, { keyIds })).liveSupplierKeys;
    },
  };
}

/** Suppliers over the link to `tariffs`; none is active where there is no such subgraph. */
export function supplierStandings(tariffs: SubgraphLink | undefined): SupplierStandings {
  return {
    async active(mpids) {
      if (!tariffs) return [];
      type Answer = { readonly activeSuppliers: readonly string[] };
      return (await ask<Answer>(tariffs, ACTIVE_SUPPLIERS, { mpids })).activeSuppliers;
    },
  };
}

function ask<Data>(link: SubgraphLink, query: string, variables: Record<string, unknown>): Promise<Data> {
  const origin = { transactionId: newIdentifier('tid'), clientAddress: '' };
  return askSubgraph<Data>(link, 'gateway', query, variables, origin);
}

/** The log of which nothing is known before it was checked, after it was read, who may still be told of it. */
export function checkedLog(log: EventLog, checkCallers: () => Promise<unknown>): EventLog {
  return {
    async read(after, first) {
      const page = await log.read(after, first);
      if (page.entries.length > 0) await checkCallers();
      return page;
    },
  };
}
