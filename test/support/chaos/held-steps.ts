import { Client } from 'pg';
import { until } from '../until';
import type { KillsFixture } from './kills-fixture';

/**
 * Locks in sessions of the test: a request that needs one stops at an exact step and waits there until its process is
 * killed.
 */
export interface HeldSteps {
  /** Acquires a lock with a statement, such as `lock table … in share mode`. */
  hold(statement: string, values?: unknown[]): Promise<HeldStep>;
  /** Releases all locks. */
  release(): Promise<void>;
}

/** One lock. */
export interface HeldStep {
  /** Resolves when a number of sessions wait for the lock, with a statement of this form. */
  waiting(count?: number, statement?: string): Promise<void>;
  release(): Promise<void>;
}

/** Holds requests at their steps in a fixture's database. */
export function heldSteps({ owner, place }: Pick<KillsFixture, 'owner' | 'place'>): HeldSteps {
  const sessions = new Set<Client>();
  return {
    async hold(statement, values) {
      const session = new Client({ connectionString: place.databaseUrl });
      await session.connect();
      sessions.add(session);
      await session.query('begin');
      await session.query(statement, values);
      const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pid = rows[0]?.pid;
      return {
        waiting: async (count = 1, form = '') => {
          await until(async () => {
            const found = await owner.query(
              `select from pg_stat_activity where datname = current_database() and $1 = any(pg_blocking_pids(pid)) and query ~* $2`,
              [pid, form],
            );
            return found.rows.length >= count ? true : undefined;
          });
        },
        async release() {
          sessions.delete(session);
          await session.end();
        },
      };
    },
    async release() {
      await Promise.all([...sessions].map((session) => session.end()));
      sessions.clear();
    },
  };
}
