import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { sessionOptions } from '../server/database/database';
import type { DatabaseAddress } from '../server/database/database-login';
import { ENDS_WHEN_SILENT, ENDS_WHEN_UNREAD, type LockSession, openLockSession } from '../server/database/lock-session';

/**
 * This process as the owner of leases. One session holds an advisory lock on its id, another one receives notifications. Other
 * processes release the leases of an id whose lock is free.
 */
interface Worker {
  /**
   * Opens the sessions, and others with a new id whenever one is lost. Calls `onNotification` with each payload, and
   * with `urgent` whenever the sessions are open: notifications may have been missed before.
   */
  start(onNotification: (payload: string) => void): Promise<void>;
  /** Returns the id; undefined while a session is lost, or that of the lock has not responded for too long. */
  id(): string | undefined;
  end(): Promise<void>;
}

const RETRY_MS = 250;
/**
 * Age of the last response above which the session may be lost. Shorter than the time after which the server ends a silent
 * session, so that a process that resumes after a stop sends nothing that another process has taken over.
 */
const MAX_CONFIRMATION_AGE_MS = 8_000;

/** Name of a worker's advisory lock, before its id. */
const LOCK_NAME = 'delivery worker ';

/** Also releases the lease of a claim that was committed after its worker ended; the next call those of endpoints that are locked. */
const TAKE_OVER = `
  with worker as materialized (select distinct leased_by as id from delivery_endpoint where leased_by is not null),
  ended as materialized (
    select id from worker where pg_try_advisory_xact_lock(hashtextextended('${LOCK_NAME}' || id, 0))),
  leased as materialized (
    select e.id from delivery_endpoint e join ended on e.leased_by = ended.id for update of e skip locked),
  released as (
    update delivery_endpoint e set leased_by = null, due_at = least(e.due_at, register_now())
    from leased where e.id = leased.id returning e.id)
  select count(*)::int as count from released`;

/** The sessions of a worker. */
interface WorkerSessions {
  readonly lock: LockSession;
  /** Resolves when one has ended for any reason. */
  readonly over: Promise<unknown>;
  end(): Promise<void>;
}

/**
 * Opens the sessions of a worker. The server cannot end a session while it waits to write to it, so the session of the lock receives no
 * notifications: those for a frozen process fill its connection, and its lock would never be free.
 */
async function openSessions(
  address: DatabaseAddress,
  lockName: string,
  onNotification: (payload: string) => void,
): Promise<WorkerSessions> {
  const open = (...more: string[]) => openLockSession(sessionOptions(address, ENDS_WHEN_SILENT, ...more));
  const lock = await open();
  let listener: LockSession | undefined;
  const end = async () => void (await Promise.all([lock.end(), listener?.end()]));
  try {
    await lock.hold(lockName);
    listener = await open(ENDS_WHEN_UNREAD);
    await listener.listen(`${address.schema}_deliveries`, onNotification);
  } catch (error) {
    await end();
    throw error;
  }
  return { lock, end, over: Promise.race([lock.over, listener.over]) };
}

/** Releases the leases of workers whose lock is free; returns the number of endpoints. */
export async function takeOver(pool: Pool): Promise<number> {
  return (await pool.query<{ count: number }>(TAKE_OVER)).rows[0]?.count ?? 0;
}

/** Returns the worker of this process for the deliveries of a subgraph. */
export function deliveryWorker(address: DatabaseAddress): Worker {
  let current: { readonly id: string; readonly sessions: WorkerSessions } | undefined;
  let isStopping = false;
  const open: Worker['start'] = async (onNotification) => {
    const id = randomUUID();
    const sessions = await openSessions(address, LOCK_NAME + id, onNotification);
    if (isStopping) return sessions.end(); // `end` was called while the sessions opened
    current = { id, sessions };
    onNotification('urgent');
    void sessions.over.then(async () => {
      current = undefined;
      await sessions.end();
      while (!isStopping && current === undefined) await open(onNotification).catch(() => wait(RETRY_MS));
    });
  };
  return {
    start: open,
    id() {
      if (current === undefined) return undefined;
      return performance.now() - current.sessions.lock.confirmedAt() < MAX_CONFIRMATION_AGE_MS ? current.id : undefined;
    },
    async end() {
      isStopping = true;
      const last = current;
      current = undefined;
      await last?.sessions.end();
    },
  };
}
