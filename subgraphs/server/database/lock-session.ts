import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

/**
 * A session that holds advisory locks until it ends. Other processes conclude from a free lock that its owner has
 * ended.
 */
export interface LockSession {
  /** Acquires the lock of a name; fails if the server does not respond in time. */
  hold(name: string): Promise<void>;
  /** Calls `heard` with the payload of each notification of a channel. */
  listen(channel: string, heard: (payload: string) => void): Promise<void>;
  /**
   * Start of the latest query to which the server responded (`performance.now()`). The locks were held at that time.
   */
  confirmedAt(): number;
  /** Resolves when the session has ended for any reason. */
  readonly over: Promise<void>;
  /** Ends the session; resolves within one second. */
  end(): Promise<void>;
}

/** Interval of the queries that check that the server responds. */
const PING_INTERVAL_MS = 2_000;
/**
 * Option of a lock session: the server ends the session after 10 s without a query. Then the process is frozen or its
 * machine is lost, and neither closes the connection.
 */
export const ENDS_WHEN_SILENT = '-c idle_session_timeout=10000';
/** Time after which the connection is destroyed if the server does not confirm the end of the session. */
const END_TIMEOUT_MS = 1_000;

/**
 * Option of a session that receives notifications: the server ends it after 20 s in which it could send nothing to a full
 * connection, because its process is frozen. It sends in a transaction, whose snapshot holds back the vacuum of all tables.
 */
export const ENDS_WHEN_UNREAD = '-c tcp_user_timeout=20000';

/**
 * Opens a session for locks. A frozen or unreachable server does not close connections, so the session queries it every
 * two seconds and destroys the connection if the query fails or exceeds the query timeout.
 */
export async function openLockSession(config: ClientConfig): Promise<LockSession> {
  const client = new Client(config);
  const over = new Promise<void>((resolve) => void client.on('error', () => resolve()).on('end', () => resolve()));
  const { connection } = client as unknown as { readonly connection: { readonly stream: Duplex } };
  const destroy = () => void connection.stream.destroy();
  await client.connect();
  let isPinging = false;
  let confirmedAt = performance.now();
  const ping = () => {
    if (isPinging) return;
    isPinging = true;
    const startedAt = performance.now();
    const confirm = () => {
      isPinging = false;
      confirmedAt = startedAt;
    };
    client.query('select').then(confirm, destroy);
  };
  const pings = setInterval(ping, PING_INTERVAL_MS).unref();
  const stopPings = () => clearInterval(pings);
  void over.then(stopPings);
  const end = async () => {
    stopPings();
    const timeout = setTimeout(destroy, END_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timeout);
  };
  return {
    over,
    end,
    confirmedAt: () => confirmedAt,
    async listen(channel, heard) {
      client.on('notification', ({ payload = '' }) => heard(payload));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    },
    async hold(name) {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    },
  };
}
