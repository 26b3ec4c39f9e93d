import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';

const RETRY_DELAY_MS = 500;

/** Selects the session that holds a lock in this database. */
const HOLDER = `select pid from pg_locks where locktype = 'advisory' and granted and objid = $1 and classid = 0
  and database = (select oid from pg_database where datname = current_database())`;

/** Acquires a lock until the session ends or releases it; returns false if another session holds it. */
export async function tryLock(session: Client, lock: number): Promise<boolean> {
  const { rows } = await session.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [lock]);
  return rows[0]?.isMine === true;
}

/**
 * Acquires the lock with which one process extends a list, or throws after `maxWaitMs`, with the session that holds it. Tries
 * again and again: a statement that waits for the lock would hold a snapshot meanwhile.
 */
export async function acquireListLock(session: Client, maxWaitMs: number): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!(await tryLock(session, ADVISORY_LOCKS.anonymisedList))) {
    if (performance.now() > deadline) {
      const { rows } = await session.query<{ pid: number }>(HOLDER, [ADVISORY_LOCKS.anonymisedList]);
      throw new Error(
        `another process has not completed the list of anonymised records (session ${rows[0]?.pid} of PostgreSQL): nothing was backed up`,
      );
    }
    await wait(RETRY_DELAY_MS);
  }
}

/** Acquires the lock that admits one migrating process. The logger receives a line if another one migrates. */
export async function acquireMigrationLock(session: Client, logger?: Logger): Promise<void> {
  if (await tryLock(session, ADVISORY_LOCKS.migration)) return;
  logger?.warn('a restore waits for a migration of this database');
  await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
}

/** Releases a lock. The end of a session does so, too. */
export async function releaseLock(session: Client, lock: number): Promise<void> {
  await session.query('select pg_advisory_unlock($1)', [lock]).catch(() => undefined);
}
