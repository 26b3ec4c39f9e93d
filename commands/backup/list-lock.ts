import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';

const RETRY_DELAY_MS = 500;

/** Selects the session that holds the lock in this database. */
const HOLDER = `select pid from pg_locks where locktype = 'advisory' and granted and objid = $1 and classid = 0
  and database = (select oid from pg_database where datname = current_database())`;

/** Acquires the lock with which one process extends a list; returns false if another one holds it. */
export async function tryListLock(session: Client): Promise<boolean> {
  const { rows } = await session.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [
    ADVISORY_LOCKS.anonymisedList,
  ]);
  return rows[0]?.isMine === true;
}

/**
 * Acquires the lock, or throws after `maxWaitMs`, with the session that holds it. Tries again and again: a statement that
 * waits for the lock would hold a snapshot meanwhile.
 */
export async function acquireListLock(session: Client, maxWaitMs: number): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!(await tryListLock(session))) {
    if (performance.now() > deadline) {
      const { rows } = await session.query<{ pid: number }>(HOLDER, [ADVISORY_LOCKS.anonymisedList]);
      throw new Error(
        `another process has not completed the list of anonymised records (session ${rows[0]?.pid} of PostgreSQL): nothing was backed up`,
      );
    }
    await wait(RETRY_DELAY_MS);
  }
}

/** Releases the lock. The end of a session does so, too. */
export async function releaseListLock(session: Client): Promise<void> {
  await session.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.anonymisedList]).catch(() => undefined);
}
