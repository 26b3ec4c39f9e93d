import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { CheckedSession } from './checked-session';

/** The check to which the running code belongs; null for code that a check calls and that takes effect. */
const currentCheck = new AsyncLocalStorage<CheckedSession | null>();
let runningChecks = 0;

/** Returns true while the running code belongs to a check, whose writes are rolled back. */
export function isChecking(): boolean {
  return currentCheck.getStore() != null;
}

/**
 * Runs `work` as a check: every statement that it sends through a {@link checkable} pool runs in one transaction, which
 * is rolled back at its end. Rules, unique indexes, deferred triggers and locks apply as in the write itself. Rows,
 * jobs, notifications and idempotency keys do not remain.
 */
export async function runCheck<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await outsideCheck(() => pool.connect());
  let isRolledBack = false;
  runningChecks += 1;
  try {
    await client.query('begin');
    const check = new CheckedSession(client);
    try {
      return await currentCheck.run(check, work);
    } finally {
      await check.end();
      isRolledBack = true;
    }
  } finally {
    client.release(!isRolledBack);
    runningChecks -= 1;
    // Tracking of asynchronous contexts slows down every promise of the process, so it is on during checks only.
    if (runningChecks === 0) currentCheck.disable();
  }
}

/** Returns the session of the check that is running, for reads that use no pool; undefined outside checks. */
export function sessionOfCheck(): PoolClient | undefined {
  return currentCheck.getStore()?.session();
}

/**
 * Runs `work` outside the check that calls it, so that it takes effect: counts of rate limits and lookups, and work that
 * several requests share.
 */
export function outsideCheck<Result>(work: () => Result): Result {
  return isChecking() ? currentCheck.run(null, work) : work();
}

type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Lets checks use their own session instead of one of the pool. `pool.query` takes its session from `connect`, too. */
export function checkable<P extends Pool>(pool: P): P {
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => Promise<PoolClient>;
  const connectOrCheck = (callback?: ConnectCallback): Promise<PoolClient> | void => {
    const check = currentCheck.getStore();
    if (check == null) return callback === undefined ? connect() : void connect(callback);
    const session = check.session();
    if (callback === undefined) return Promise.resolve(session);
    callback(undefined, session, () => undefined);
  };
  pool.connect = connectOrCheck as P['connect'];
  return pool;
}
