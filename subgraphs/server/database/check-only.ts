import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import { type FairLimit, MAX_WAIT_MS, fairLimit } from '../fair-limit';
import { CheckedSession } from './checked-session';

/** The check to which the running code belongs; null for code that a check calls and that takes effect. */
const currentCheck = new AsyncLocalStorage<CheckedSession | null>();
let runningChecks = 0;

/** Returns true while the running code belongs to a check, whose writes are rolled back. */
export function isChecking(): boolean {
  return currentCheck.getStore() != null;
}

/** Maximum checks of callers of a pool at the same time, and of services on their behalf. */
const MAX_CHECKS = 2;
/** Time after which a check ends, and longest wait of it for a lock: writes wait for its locks. */
const [MAX_CHECK_MS, LOCK_TIMEOUT_MS] = [3_000, 1_000];
const BEGIN = `begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = ${MAX_CHECK_MS}`;

/** Who checks. */
export interface CheckOrigin {
  /** Owner of the check: the checks of different owners take turns. */
  readonly owner: string;
  /**
   * True for a part of a check of another service. These parts have a limit of their own, so that checks of two services that call each
   * other do not wait for each other.
   */
  readonly isPart: boolean;
}

/** The limits of the checks of a pool. */
interface CheckLimits {
  readonly whole: FairLimit;
  readonly parts: FairLimit;
}

const limits = new WeakMap<Pool, CheckLimits>();

/** Returns the limits of a pool, which leave sessions for writes. */
function limitsOf(pool: Pool): CheckLimits {
  const max = Math.max(1, Math.min(MAX_CHECKS, Math.floor((pool.options.max - 1) / 2)));
  const bounds = { max, maxOfOwner: max, maxWaitMs: MAX_WAIT_MS };
  const ofPool = limits.get(pool) ?? { whole: fairLimit(bounds), parts: fairLimit(bounds) };
  limits.set(pool, ofPool);
  return ofPool;
}

/**
 * Runs `work` as a check: every statement that it sends through a {@link checkable} pool runs in one transaction, which
 * is rolled back at its end. Rules, unique indexes, deferred triggers and locks apply as in the write itself. Rows,
 * jobs, notifications and idempotency keys do not remain. Throws SYS002 if the check cannot start or end within its bounds.
 */
export function runCheck<Result>(
  pool: Pool,
  work: () => Promise<Result>,
  { owner, isPart }: CheckOrigin = { owner: '', isPart: false },
): Promise<Result> {
  const limited = limitsOf(pool)[isPart ? 'parts' : 'whole'];
  return limited(owner, () => outsideCheck(() => rolledBack(pool, work)));
}

/** Runs `work` in a transaction of a session of the pool, for a limited time. */
async function rolledBack<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let isRolledBack = false;
  try {
    await client.query(BEGIN);
    const check = new CheckedSession(client);
    runningChecks += 1;
    const running = currentCheck.run(check, work);
    try {
      return await withinTime(running);
    } finally {
      await check.end().finally(() => void running.then(endTracking, endTracking));
      isRolledBack = true;
    }
  } finally {
    client.release(!isRolledBack);
  }
}

/**
 * Called after a check and its work have ended; work that takes too long is tracked to its end, so that its further statements fail.
 * Tracking of asynchronous contexts slows down every promise of the process, so it is on during checks only.
 */
function endTracking(): void {
  runningChecks -= 1;
  if (runningChecks === 0) currentCheck.disable();
}

/** Returns the result of `work`. Throws SYS002 if it takes too long. */
async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RegisterError('SYS002')), MAX_CHECK_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
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
