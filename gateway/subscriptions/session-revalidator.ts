import { type TokenClaims, validityError } from '../../subgraphs/server/callers/bearer-token';
import type { Caller } from '../../subgraphs/server/callers/caller';
import type { ConnectionEnd } from './connection-end';
import type { AccountState, AccountQueries, SupplierQueries } from './session-queries';

/** A connection that outlives its first request. */
interface RevalidatedConnection {
  readonly caller: Caller;
  /** Its bearer token; null for an API key. */
  readonly token: Pick<TokenClaims, 'validFrom' | 'expiresAt' | 'series'> | null;
  /** Id of the API key that authenticated it; null for a token. */
  readonly supplierKeyId: string | null;
  /** Supplier whose events it receives; `onInactive` is called when the supplier is not active in the register. */
  readonly supplier?: { readonly mpid: string; onInactive(): void };
  /**
   * Ends the connection: AUT001 when the account changed, the token was revoked or is not valid yet (it was issued while the clock was ahead), AUT002 when the
   * token expired, AUT003 when the key was replaced.
   */
  end(reason: ConnectionEnd): void;
}

/** Revalidates the callers of open connections: the status of an account is never cached (decisions A/B, 2). */
export interface SessionRevalidator {
  /** Returns the function that stops revalidating the connection. */
  add(connection: RevalidatedConnection): () => void;
  /**
   * Reads all accounts and keys after this call and ends the connections that lost access. Throws if `access` is
   * unavailable.
   */
  check(): Promise<void>;
  /**
   * Reads all suppliers after this call and reports the inactive ones. Separate from {@link check}, so that an outage
   * of `tariffs` does not delay events of accounts.
   */
  checkSuppliers(): Promise<void>;
  close(): void;
}

/** Interval between checks while no events arrive. Each read of events triggers an additional check. */
const CHECK_INTERVAL_MS = 1_000;
/** Maximum number of accounts or keys per query. */
const MAX_BATCH_SIZE = 500;

/** Revalidates the connections of this gateway; sends no queries while there are none. */
export function sessionRevalidator(
  accounts: AccountQueries,
  suppliers: SupplierQueries,
  onFailure: (error: unknown) => void,
): SessionRevalidator {
  const connections = new Set<RevalidatedConnection>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const check = coalesced(() => endRejectedConnections(connections, accounts));
  const checkSuppliers = coalesced(() => reportInactiveSuppliers(connections, suppliers));
  const checkAll = () => {
    for (const each of [check, checkSuppliers]) void each().catch(onFailure);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(connection) {
      if (isClosed) return () => undefined; // the shutdown ends the connection
      connections.add(connection);
      timer ??= setInterval(checkAll, CHECK_INTERVAL_MS);
      return () => {
        connections.delete(connection);
        if (connections.size === 0) stop();
      };
    },
    check,
    checkSuppliers,
    close() {
      isClosed = true;
      stop();
    },
  };
}

/** Reads all accounts and keys, and ends the connections that lost access. */
async function endRejectedConnections(
  connections: ReadonlySet<RevalidatedConnection>,
  accounts: AccountQueries,
): Promise<void> {
  const accountIds = [...new Set([...connections].map(({ caller }) => caller.accountId))];
  const keyIds = [...new Set([...connections].flatMap(({ supplierKeyId }) => supplierKeyId ?? []))];
  const [states, replaced] = await Promise.all([statesOf(accountIds, accounts), replacedKeys(keyIds, accounts)]);
  for (const connection of connections) {
    const { caller, supplierKeyId } = connection;
    // Undefined for a connection that was added during the query: it was just admitted.
    const state = states.get(caller.accountId);
    const reason = state === undefined ? undefined : endReason(connection, state);
    if (supplierKeyId !== null && replaced.has(supplierKeyId)) connection.end('AUT003');
    else if (reason) connection.end(reason);
  }
}

/** Reads all suppliers with subscriptions and reports the inactive ones. */
async function reportInactiveSuppliers(
  connections: ReadonlySet<RevalidatedConnection>,
  suppliers: SupplierQueries,
): Promise<void> {
  const following = [...connections].flatMap(({ supplier }) => supplier ?? []);
  if (following.length === 0) return;
  const active = new Set(await suppliers.active([...new Set(following.map(({ mpid }) => mpid))]));
  for (const { mpid, onInactive } of following) if (!active.has(mpid)) onInactive();
}

/** Coalesces calls: those made while a check is running share one further check, which starts when it ends. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const check = work().finally(() => {
      if (running === check) running = undefined;
    });
    running = check;
    return check;
  };
  return () => {
    if (!running) return start();
    return (next ??= running.then(start, start));
  };
}

/** Returns the state of each account; null for one that does not exist. */
async function statesOf(
  accountIds: readonly string[],
  accounts: AccountQueries,
): Promise<ReadonlyMap<string, AccountState | null>> {
  const found = await inBatches(accountIds, (batch) => accounts.states(batch));
  const states = new Map<string, AccountState | null>(accountIds.map((accountId) => [accountId, null]));
  for (const state of found) states.set(state.accountId, state);
  return states;
}

async function replacedKeys(keyIds: readonly string[], accounts: AccountQueries): Promise<ReadonlySet<string>> {
  const live = new Set(await inBatches(keyIds, (batch) => accounts.liveSupplierKeys(batch)));
  return new Set(keyIds.filter((keyId) => !live.has(keyId)));
}

async function inBatches<Found>(
  ids: readonly string[],
  query: (batch: readonly string[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < ids.length; from += MAX_BATCH_SIZE)
    found.push(...(await query(ids.slice(from, from + MAX_BATCH_SIZE))));
  return found;
}

function endReason({ caller, token }: RevalidatedConnection, state: AccountState | null): ConnectionEnd | undefined {
  const isSame = state?.active === true && state.role.toLowerCase() === caller.role && state.duid === caller.duid;
  if (!isSame) return 'AUT001';
  if (token === null) return undefined;
  if (token.series !== state.tokenSeries) return 'AUT001';
  return validityError(token, Date.parse(state.now));
}
