import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

/** A session that holds advisory locks for as long as it lives: a free lock tells everybody else that its holder is gone. */
export interface LockSession {
  /** Takes the lock of a name; fails when the server does not answer in time. */
  hold(name: string): Promise<void>;
  /** Resolves when the session has ended, whatever ended it. */
  readonly over: Promise<void>;
  /** Ends the session; resolves after a second at the latest. */
  end(): Promise<void>;
}

/** Milliseconds between two questions whether the server is still there. */
const ASK_EVERY = 2_000;
/**
 * Option of a session for locks: the server ends one that has asked nothing for ten seconds. Its process is frozen, or its machine gone,
 * which closes no connection either.
 */
export const ENDS_WHEN_SILENT = '-c idle_session_timeout=10000';
/** Milliseconds after which a server that does not confirm the end is cut off. */
const ENDS_WITHIN = 1_000;

/**
 * Opens a session for locks. A server that was frozen, or cut off, closes no connection: the session asks it every two seconds, and
 * destroys the connection when no answer comes within the time of a statement.
 */
export async function openLockSession(config: ClientConfig): Promise<LockSession> {
  const client = new Client(config);
  const over = new Promise<void>((resolve) => void client.on('error', () => resolve()).on('end', () => resolve()));
  const { connection } = client as unknown as { readonly connection: { readonly stream: Duplex } };
  const cut = () => void connection.stream.destroy();
  await client.connect();
  let isAsking = false;
  const ask = () => {
    if (isAsking) return;
    isAsking = true;
    client.query('select').then(() => (isAsking = false), cut);
  };
  const asking = setInterval(ask, ASK_EVERY).unref();
  const stopAsking = () => clearInterval(asking);
  void over.then(stopAsking);
  const end = async () => {
    stopAsking();
    const late = setTimeout(cut, ENDS_WITHIN);
    await client.end().catch(() => undefined);
    clearTimeout(late);
  };
  return {
    over,
    end,
    async hold(name) {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    },
  };
}
