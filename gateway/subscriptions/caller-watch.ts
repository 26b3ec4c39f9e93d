import type { Caller } from '../../subgraphs/server/caller';
import type { ConnectionEnd } from './connection-end';
import type { AccountStanding, AccountStandings, SupplierStandings } from './event-log';

/** A connection that outlives the request it began with: whose it is, and how it is ended. */
export interface WatchedConnection {
  readonly caller: Caller;
  /** When its token expires, by the register's clock; null for one without end. */
  readonly expiresAt: Date | null;
  /** The API key that let it in, by its id; null when a token did. */
  readonly supplierKeyId: string | null;
  /** A supplier that is told of nothing more, once it is not active in the register. */
  readonly supplier?: { readonly mpid: string; notActive(): void };
  /** AUT001 when the account is no longer what it was, AUT002 when the token has expired, AUT003 when the key was replaced. */
  end(reason: ConnectionEnd): void;
}

/** Watches whether callers may still be told anything: an account's status is never cached (2-decisions-a-b.md, section 2). */
export interface CallerWatch {
  /** Answers how to stop watching it. */
  add(connection: WatchedConnection): () => void;
  /** Asks for all accounts, after this call, and ends the connections of those who may not go on. Throws when `access` does not answer. */
  check(): Promise<void>;
  /** The same for suppliers, whom `tariffs` knows: what is told of accounts does not depend on it. */
  checkSuppliers(): Promise<void>;
  close(): void;
}

/** Milliseconds between checks when nothing happens; every event is preceded by a check besides. */
const INTERVAL = 1_000;
/** Accounts asked for at once. */
const BATCH = 500;

/** A watch over the connections of this gateway; it asks nothing while there are none. */
export function callerWatch(
  accounts: AccountStandings,
  suppliers: SupplierStandings,
  onFailure: (error: unknown) => void,
): CallerWatch {
  const connections = new Set<WatchedConnection>();
  let timer: NodeJS.Timeout | undefined;
  const check = joined(() => endAccounts(connections, accounts));
  const checkSuppliers = joined(() => endSuppliers(connections, suppliers));
  const checkAll = () => {
    for (const each of [check, checkSuppliers]) void each().catch(onFailure);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(connection) {
      connections.add(connection);
      timer ??= setInterval(checkAll, INTERVAL);
      return () => {
        connections.delete(connection);
        if (connections.size === 0) stop();
      };
    },
    check,
    checkSuppliers,
    close: stop,
  };
}

/** Asks for all accounts and keys, and ends the connections of those that may not go on. */
async function endAccounts(connections: ReadonlySet<WatchedConnection>, accounts: AccountStandings): Promise<void> {
  const accountIds = [...new Set([...connections].map(({ caller }) => caller.accountId))];
  const keyIds = [...new Set([...connections].flatMap(({ supplierKeyId }) => supplierKeyId ?? []))];
  const [standings, replaced] = await Promise.all([standingsOf(accountIds, accounts), replacedKeys(keyIds, accounts)]);
  for (const connection of connections) {
    const { caller, supplierKeyId } = connection;
    // One that came while the answer was under way was admitted just now.
    const standing = standings.get(caller.accountId);
    const reason = standing === undefined ? undefined : endOf(connection, standing);
    if (supplierKeyId !== null && replaced.has(supplierKeyId)) connection.end('AUT003');
    else if (reason) connection.end(reason);
  }
}

/** Asks for all suppliers that are told of something, and ends that for those that are not active. */
async function endSuppliers(connections: ReadonlySet<WatchedConnection>, suppliers: SupplierStandings): Promise<void> {
  const asked = [...connections].flatMap(({ supplier }) => supplier ?? []);
  if (asked.length === 0) return;
  const active = new Set(await suppliers.active([...new Set(asked.map(({ mpid }) => mpid))]));
  for (const { mpid, notActive } of asked) if (!active.has(mpid)) notActive();
}

/** Whoever asks while an answer is under way waits for the next one, which is the same for all of them. */
function joined(ask: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    const asked = ask().finally(() => {
      if (underWay === asked) underWay = undefined;
    });
    underWay = asked;
    return asked;
  };
  return () => {
    if (!underWay) return begin();
    return (next ??= underWay.then(begin, begin));
  };
}

async function standingsOf(
  accountIds: readonly string[],
  accounts: AccountStandings,
): Promise<ReadonlyMap<string, AccountStanding | null>> {
  const standings = new Map<string, AccountStanding | null>();
  for (let from = 0; from < accountIds.length; from += BATCH) {
    const asked = accountIds.slice(from, from + BATCH);
    for (const accountId of asked) standings.set(accountId, null);
    for (const standing of await accounts.standings(asked)) standings.set(standing.accountId, standing);
  }
  return standings;
}

async function replacedKeys(keyIds: readonly string[], accounts: AccountStandings): Promise<ReadonlySet<string>> {
  const replaced = new Set(keyIds);
  for (let from = 0; from < keyIds.length; from += BATCH) {
    for (const live of await accounts.liveSupplierKeys(keyIds.slice(from, from + BATCH))) replaced.delete(live);
  }
  return replaced;
}

function endOf({ caller, expiresAt }: WatchedConnection, standing: AccountStanding | null): ConnectionEnd | undefined {
  const isSame =
    standing?.active === true && standing.role.toLowerCase() === caller.role && standing.duid === caller.duid;
  if (!isSame) return 'AUT001';
  return expiresAt !== null && expiresAt.getTime() <= Date.parse(standing.now) ? 'AUT002' : undefined;
}
