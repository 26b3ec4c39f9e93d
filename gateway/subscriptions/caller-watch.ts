import type { Caller } from '../../subgraphs/server/caller';
import type { ConnectionEnd } from './connection-end';
import type { AccountStanding, EventLog } from './event-log';

/** A connection that outlives the request it began with: whose it is, and how it is ended. */
export interface WatchedConnection {
  readonly caller: Caller;
  /** When its token expires, by the register's clock. */
  readonly expiresAt: Date;
  /** AUT001 when the account is no longer what it was, AUT002 when the token has expired. */
  end(reason: ConnectionEnd): void;
}

/** Watches whether callers may still be told anything: an account's status is never cached (2-decisions-a-b.md, section 2). */
export interface CallerWatch {
  /** Answers how to stop watching it. */
  add(connection: WatchedConnection): () => void;
  /** Asks for all accounts, after this call, and ends the connections of those who may not go on. Throws when `access` does not answer. */
  check(): Promise<void>;
  close(): void;
}

/** Milliseconds between checks when nothing happens; every event is preceded by a check besides. */
const INTERVAL = 1_000;
/** Accounts asked for at once. */
const BATCH = 500;

/** A watch over the connections of this gateway; it asks nothing while there are none. */
export function callerWatch(log: EventLog, onFailure: (error: unknown) => void): CallerWatch {
  const connections = new Set<WatchedConnection>();
  let timer: NodeJS.Timeout | undefined;
  const askForAll = async (): Promise<void> => {
    const accountIds = [...new Set([...connections].map(({ caller }) => caller.accountId))];
    const standings = await standingsOf(accountIds, log);
    for (const connection of connections) {
      const { accountId } = connection.caller;
      // One that came while the answer was under way was admitted just now.
      const reason = standings.has(accountId) ? endOf(connection, standings.get(accountId) ?? null) : undefined;
      if (reason) connection.end(reason);
    }
  };
  const check = joined(askForAll);
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(connection) {
      connections.add(connection);
      timer ??= setInterval(() => void check().catch(onFailure), INTERVAL);
      return () => {
        connections.delete(connection);
        if (connections.size === 0) stop();
      };
    },
    check,
    close: stop,
  };
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
  log: EventLog,
): Promise<ReadonlyMap<string, AccountStanding | null>> {
  const standings = new Map<string, AccountStanding | null>();
  for (let from = 0; from < accountIds.length; from += BATCH) {
    const asked = accountIds.slice(from, from + BATCH);
    for (const accountId of asked) standings.set(accountId, null);
    for (const standing of await log.standings(asked)) standings.set(standing.accountId, standing);
  }
  return standings;
}

function endOf({ caller, expiresAt }: WatchedConnection, standing: AccountStanding | null): ConnectionEnd | undefined {
  const isSame =
    standing?.active === true && standing.role.toLowerCase() === caller.role && standing.duid === caller.duid;
  if (!isSame) return 'AUT001';
  return expiresAt.getTime() <= Date.parse(standing.now) ? 'AUT002' : undefined;
}
