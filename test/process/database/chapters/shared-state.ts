import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSession } from '../../../../commands/backup/session';
import { ADVISORY_LOCKS } from '../../../../subgraphs/server/database/advisory-locks';
import { openDatabase } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { openLockSession } from '../../../../subgraphs/server/database/lock-session';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { migrate } from '../../../../subgraphs/server/database/migrate';
import { expiredRateLimits, rateLimit } from '../../../../subgraphs/server/callers/rate-limits';
import { sparing } from '../../../../subgraphs/server/callers/sparing-limit';
import { repositoryFiles, textOf } from '../../../structure/source-files';
import { type FreshDatabase, freshDatabase } from '../../../support/postgres';
import { spawnRegisterProcess } from '../../../support/register';
import { silencedProxy } from '../../../support/silenced-proxy';
import { until } from '../../../support/until';
import { CREATE_RATE_LIMIT } from '../../../../subgraphs/server/database/released-sql';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

class TrialTables1790000000001 implements MigrationInterface {
  readonly name = 'TrialTables1790000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`set local search_path = trial; ${CREATE_RATE_LIMIT}; create table busy (id integer)`);
  }
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forwards'));
  }
}

class ChangedTable1790000000002 implements MigrationInterface {
  readonly name = 'ChangedTable1790000000002';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trial.busy add column more integer');
  }
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forwards'));
  }
}

/** Limits of the server on a session whose client is frozen or lost, in milliseconds and seconds. */
const LIMITS = `select array[current_setting('idle_in_transaction_session_timeout'), current_setting('tcp_keepalives_idle'),
  current_setting('tcp_keepalives_interval'), current_setting('tcp_keepalives_count')] as limits`;
const KEEPALIVES = ['30', '10', '3'];

/** Stores the limits of its session. */
class StoredLimits1790000000004 implements MigrationInterface {
  readonly name = 'StoredLimits1790000000004';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table trial.stored_limits as ${LIMITS}`);
  }
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forwards'));
  }
}

/** Waits while a test has the advisory lock 7, between two locks of the same table. */
class TwoLocks1790000000003 implements MigrationInterface {
  readonly name = 'TwoLocks1790000000003';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('lock table trial.busy in share mode');
    await runner.query('select pg_advisory_xact_lock(7)');
    await runner.query('alter table trial.busy add column last integer');
  }
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forwards'));
  }
}

/** Tests of the state that all processes of an installation share in the database: limits, locks, clock, migrations. */
export function sharedState(): void {
  let database: FreshDatabase;
  let owner: Pool;
  const migrateTrial = (...migrations: (new () => MigrationInterface)[]) =>
    migrate(
      databaseAddress(database.url, 'trial', Buffer.alloc(32, 7)),
      { migrations, rights: () => 'select' },
      false,
      {},
    );
  beforeAll(async () => {
    database = await freshDatabase();
    await migrateTrial(TrialTables1790000000001);
    owner = new Pool({ connectionString: database.url, max: 4 });
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  describe('A read', () => {
    it('has a new connection after a write met a read-only server, and those under way are finished', async () => {
      const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 7), { login: 'owner' });
      const { pool, reads, close } = openDatabase(address);
      const read = async (from = '') => {
        const text = `select pg_backend_pid() as pid ${from}`;
        return (await reads.rows<{ pid: number }>({ name: text, text }, []))[0]?.pid;
      };
      try {
        const before = await read();
        const underWay = read('from pg_sleep(0.5)');
        const write = pool.query('begin read only; insert into busy values (1)');
        await expect(write).rejects.toMatchObject({ code: '25006' });
        expect(await underWay).toBe(before);
        await until(async () => ((await read()) === before ? undefined : true));
      } finally {
        await close();
      }
    });
  });

  describe('Reads of a service whose writes are rejected as read-only', () => {
    it('open a new connection once a second, not for each rejection', async () => {
      const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 7), { login: 'owner' });
      const { pool, reads, close } = openDatabase(address);
      const connections = new Set<unknown>();
      const begin = performance.now();
      try {
        for (let n = 0; n < 200; n++) {
          const write = pool.query('begin read only; insert into busy values (1)');
          await expect(write).rejects.toMatchObject({ code: '25006' });
          const [row] = await reads.rows({ name: 'pid', text: 'select pg_backend_pid() as pid' }, []);
          connections.add(row?.['pid']);
        }
      } finally {
        await close();
      }
      expect(connections.size).toBeLessThanOrEqual(2 + (performance.now() - begin) / 1_000);
    });
  });

  describe('A rate limit', () => {
    afterEach(() => jest.restoreAllMocks());
    const limitOf = (name: string, points: number, seconds: number) => {
      const hash = keyedHash(randomBytes(32), 'rate-limit');
      return rateLimit({ pool: owner, schema: 'trial', hash, off: false }, name, points, seconds);
    };

    /** Deletes expired counts in sessions whose search path is that of the service. */
    const deleteExpired = async () => {
      const pool = new Pool({ connectionString: database.url, max: 1, options: '-c search_path=trial' });
      await expiredRateLimits(pool)().finally(() => pool.end());
    };

    it('counts by the clock of the database, not by that of a process', async () => {
      const limit = limitOf('skewed', 2, 60);
      expect([await limit.count('a'), await limit.count('a'), await limit.passed('a')]).toEqual([null, null, null]);
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
      const wait = await limit.count('a');
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
      expect([await limit.passed('a'), await limit.count('b')]).toEqual([wait, null]);
    });

    it('may cost one statement a second for a key that is above it', async () => {
      const limit = sparing(limitOf('flooded', 20, 60));
      const begin = performance.now();
      const waits = [];
      for (let count = 0; count < 300; count += 1) waits.push(await limit.count('a'));
      expect(waits.slice(0, 20)).toEqual(Array(20).fill(null));
      expect(waits.slice(20).filter((wait) => wait === null)).toEqual([]);
      const { rows } = await owner.query(`select points from trial.rate_limit where key like 'flooded:%'`);
      expect(rows[0].points).toBeLessThanOrEqual(21 + (performance.now() - begin) / 1_000);
      expect(await limit.count('b')).toBeNull();
      await owner.query(`update trial.rate_limit set expire = 0 where key like 'flooded:%'`);
      expect(await until(async () => ((await limit.count('a')) === null ? true : undefined))).toBe(true);
    });

    it('ends a period that a backward step of the clock of the database has prolonged', async () => {
      const limit = limitOf('set-back', 2, 60);
      for (const _ of [1, 2, 3]) await limit.count('a');
      expect(await limit.passed('a')).toBeGreaterThan(0);
      await owner.query(`update trial.rate_limit set expire = expire + 3600000 where key like 'set-back:%'`);
      expect(await limit.passed('a')).toBeNull();
      expect([await limit.count('a'), await limit.count('a')]).toEqual([null, null]);
      const wait = await limit.count('a');
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
    });

    it('counts concurrent requests, starts again after its period, and its row is then deleted', async () => {
      const limit = limitOf('short', 5, 60);
      const waits = await Promise.all(Array.from({ length: 12 }, () => limit.count('a')));
      expect(waits.filter((wait) => wait === null)).toHaveLength(5);
      expect(await limit.passed('a')).toBeGreaterThan(0);
      await owner.query(`update trial.rate_limit set expire = expire - 60000 where key like 'short:%'`);
      expect(await limit.passed('a')).toBeNull();
      const rows = () => owner.query(`select from trial.rate_limit where key like 'short:%'`);
      expect((await rows()).rowCount).toBe(1);
      await deleteExpired();
      expect((await rows()).rowCount).toBe(0);
    });

    it('keeps the count of a period that starts while ended ones are deleted', async () => {
      const limit = limitOf('renewed', 2, 60);
      await limit.count('a');
      await owner.query(`update trial.rate_limit set expire = 0 where key like 'renewed:%'`);
      const session = await owner.connect();
      await session.query('begin');
      await limit.count('a', session);
      await deleteExpired().finally(() => session.query('commit'));
      session.release();
      expect([await limit.count('a'), await limit.count('a')]).toEqual([null, expect.any(Number)]);
    });
  });

  describe('An advisory lock', () => {
    it('has a unique number in one list, and no other file contains a number', () => {
      const numbers = Object.values(ADVISORY_LOCKS);
      expect(new Set(numbers).size).toBe(numbers.length);
      const production = repositoryFiles().filter((file) => file.endsWith('.ts') && !file.startsWith('test/'));
      const files = production.filter((file) =>
        /advisory_(xact_)?lock(_shared)?\(\s*\d|7_?423_?0\d\d/.test(textOf(file)),
      );
      expect(files).toEqual(['subgraphs/server/database/advisory-locks.ts']);
    });

    it('is released when its server no longer responds, and can be acquired at the server that takes over', async () => {
      const proxy = await silencedProxy(database.url);
      const config = { connectionString: proxy.url, connectionTimeoutMillis: 3_000, query_timeout: 2_000 };
      try {
        const session = await openLockSession(config);
        await session.hold('silent');
        const confirmedAt = session.confirmedAt();
        await until(() => (session.confirmedAt() > confirmedAt ? true : undefined));
        proxy.silence();
        let isOver = false;
        void session.over.then(() => (isOver = true));
        await until(() => isOver || undefined);
        const another = await openLockSession(config);
        await another.hold('silent');
        const idle = await openLockSession({ ...config, query_timeout: 60_000 });
        proxy.silence();
        await idle.end(); // resolves although the server does not respond
        await Promise.all([session.end(), another.end()]);
      } finally {
        await proxy.close();
      }
    });
  });

  describe("The register's clock", () => {
    const isMovable = async () =>
      (await owner.query(`select to_regprocedure('register.set_clock_offset(integer)') is not null as yes`)).rows[0]
        .yes;

    it('can be moved only after a start that permits it; a command does not change that', async () => {
      const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 7));
      const tables = { migrations: [TrialTables1790000000001], rights: () => 'select' };
      const movability: boolean[] = [];
      for (const movable of [true, undefined, false, undefined]) {
        await migrate(address, tables, movable, {});
        movability.push(await isMovable());
        if (movable === true) await owner.query('select register.set_clock_offset(3600)');
      }
      expect(movability).toEqual([true, true, false, false]);
      const { rows } = await owner.query('select register.register_now() - statement_timestamp() as ahead');
      expect(rows[0].ahead).toEqual({});
    });
  });

  describe('A migration', () => {
    it('that waits for a lock lets other sessions run first, and completes when the lock is free', async () => {
      const [busy, reader] = [
        new Client({ connectionString: database.url }),
        new Client({ connectionString: database.url, statement_timeout: 20_000 }),
      ];
      await Promise.all([busy.connect(), reader.connect()]);
      try {
        await busy.query('begin; select from trial.busy');
        let isDone = false;
        const migrating = migrateTrial(TrialTables1790000000001, ChangedTable1790000000002).then(() => (isDone = true));
        const waits = `select from pg_locks where relation = 'trial.busy'::regclass and not granted and ${OF_THIS_DATABASE}`;
        await until(async () => ((await owner.query(waits)).rowCount === 1 ? true : undefined));
        await reader.query('select from trial.busy'); // queued behind the migration, which stops waiting
        await until(async () => ((await owner.query(waits)).rowCount === 1 ? true : undefined)); // the migration waits again
        expect(isDone).toBe(false);
        await busy.query('commit');
        await migrating;
        expect((await reader.query('select more from trial.busy')).rowCount).toBe(0);
      } finally {
        await Promise.all([busy.end(), reader.end()]);
      }
    });

    it('that PostgreSQL ends as a deadlock is repeated', async () => {
      const [gate, busy] = [
        new Client({ connectionString: database.url }),
        new Client({ connectionString: database.url }),
      ];
      await Promise.all([gate.connect(), busy.connect()]);
      try {
        await gate.query('select pg_advisory_lock(7)');
        await busy.query(`set deadlock_timeout = '10min'; begin; select from trial.busy`); // the migration finds the deadlock first
        const migrating = migrateTrial(TrialTables1790000000001, ChangedTable1790000000002, TwoLocks1790000000003);
        const waiting = (type: string) => async () => {
          const text = `select from pg_locks where locktype = $1 and not granted and ${OF_THIS_DATABASE}`;
          return (await owner.query(text, [type])).rowCount === 1 || undefined;
        };
        await until(waiting('advisory'));
        const write = busy.query('insert into trial.busy values (1)');
        await until(waiting('relation'));
        await gate.query('select pg_advisory_unlock(7)');
        await write;
        await busy.query('rollback');
        await migrating;
        expect((await owner.query('select last from trial.busy')).rowCount).toBe(0);
      } finally {
        await Promise.all([gate.end(), busy.end()]);
      }
    });

    it('whose process is frozen or lost is ended by the server, as is the session of another command', async () => {
      await migrateTrial(TrialTables1790000000001, StoredLimits1790000000004);
      expect((await owner.query('select limits from trial.stored_limits')).rows).toEqual([
        { limits: ['1min', ...KEEPALIVES] },
      ]);
      const limitsOf = (limits: { readonly idleTransactionMs?: number }) =>
        inSession(database.url, limits, async (session) => (await session.query(LIMITS)).rows[0].limits);
      expect(await limitsOf({})).toEqual(['1min', ...KEEPALIVES]);
      expect(await limitsOf({ idleTransactionMs: 900_000 })).toEqual(['15min', ...KEEPALIVES]);
    });

    it('that waits for another process logs that once, after the time of a lock', async () => {
      const other = new Client({ connectionString: database.url });
      await other.connect();
      const warn = jest.fn();
      const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 7));
      const tables = { migrations: [TrialTables1790000000001], rights: () => 'select' };
      try {
        await other.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
        const migrating = migrate(address, tables, false, {}, { warn } as never);
        await until(() => warn.mock.calls.length === 1 || undefined);
        await other.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
        await migrating;
        expect(warn.mock.calls).toEqual([[{ schema: 'trial' }, 'a migration waits for a lock']]);
      } finally {
        await other.end();
      }
    });

    it('that waits for a lock logs one line of JSON, for any number of attempts', async () => {
      const fresh = await freshDatabase();
      const dataDir = mkdtempSync(join(tmpdir(), 'register-waiting-'));
      const [busy, watch] = [fresh.url, fresh.url].map((connectionString) => new Client({ connectionString }));
      await Promise.all([busy?.connect(), watch?.connect()]);
      const environment = { DATABASE_URL: fresh.url, DATA_DIR: dataDir, TARIFFS_PORT: '0', SERVICES: 'tariffs' };
      await busy?.query('create schema tariffs');
      await busy?.query('begin; create table tariffs.supplier ()'); // locks the table name until the transaction ends
      const register = spawnRegisterProcess({ ...environment, LOG_LEVEL: 'info' });
      try {
        const attempts = new Set<string>();
        const waiting = `select xact_start::text as started from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        await until(async () => {
          const { rows = [] } = (await watch?.query<{ started: string }>(waiting)) ?? {};
          for (const { started } of rows) attempts.add(started);
          return attempts.size > 1 || undefined;
        });
        await busy?.query('rollback');
        await register.ready;
        const lines = register
          .output()
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('ready'));
        const plain = lines.filter((line) => !line.startsWith('{'));
        expect(plain).toEqual([]);
        const entries = lines.map((line) => JSON.parse(line) as { msg: string; schema?: string });
        expect(entries.filter(({ msg }) => msg === 'a migration waits for a lock')).toMatchObject([
          { schema: 'tariffs' },
        ]);
      } finally {
        await register.kill();
        await Promise.all([busy?.end(), watch?.end()]);
        rmSync(dataDir, { recursive: true, force: true });
        await fresh.drop();
      }
    });
  });
}
