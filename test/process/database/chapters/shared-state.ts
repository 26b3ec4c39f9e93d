import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from '../../../../subgraphs/server/advisory-locks';
import { databaseAddress } from '../../../../subgraphs/server/database-login';
import { openLockSession } from '../../../../subgraphs/server/lock-session';
import { beginHolding } from '../../../../subgraphs/delivery/holder.repository';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { migrate } from '../../../../subgraphs/server/migrate';
import { CREATE_RATE_LIMIT, passedRateLimits, rateLimit } from '../../../../subgraphs/server/rate-limits';
import { repositoryFiles, textOf } from '../../../structure/source-files';
import { type FreshDatabase, freshDatabase } from '../../../support/postgres';
import { silencedProxy } from '../../../support/silenced-proxy';
import { until } from '../../../support/until';

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

/** What all processes of an installation share in the database: limits, locks, migrations. */
export function sharedState(): void {
  let database: FreshDatabase;
  let owner: Pool;
  const bring = (...migrations: (new () => MigrationInterface)[]) =>
    migrate(
      databaseAddress(database.url, 'trial', Buffer.alloc(32, 7)),
      { migrations, rights: () => 'select' },
      false,
      {},
    );
  beforeAll(async () => {
    database = await freshDatabase();
    await bring(TrialTables1790000000001);
    owner = new Pool({ connectionString: database.url, max: 4 });
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  describe('A limit', () => {
    afterEach(() => jest.restoreAllMocks());
    const limitOf = (name: string, points: number, seconds: number) => {
      const hash = keyedHash(randomBytes(32), 'rate-limit');
      return rateLimit({ pool: owner, schema: 'trial', hash, off: false }, name, points, seconds);
    };

    it('is counted by the clock of the database, whatever that of a process shows', async () => {
      const limit = limitOf('skewed', 2, 60);
      expect([await limit.count('a'), await limit.count('a'), await limit.passed('a')]).toEqual([null, null, null]);
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
      const wait = await limit.count('a');
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
      expect([await limit.passed('a'), await limit.count('b')]).toEqual([wait, null]);
    });

    it('counts each of many at once, begins anew when its time is over, and is forgotten then', async () => {
      const limit = limitOf('short', 5, 1);
      const waits = await Promise.all(Array.from({ length: 12 }, () => limit.count('a')));
      expect(waits.filter((wait) => wait === null)).toHaveLength(5);
      await until(async () => ((await limit.passed('a')) === null ? true : undefined));
      const kept = () => owner.query(`select from trial.rate_limit where key like 'short:%'`);
      expect((await kept()).rowCount).toBe(1);
      const forget = passedRateLimits({
        query: (text: string) => owner.query(`set search_path = trial; ${text}`),
      } as unknown as Pool);
      await forget();
      expect((await kept()).rowCount).toBe(0);
    });
  });

  describe('A lock', () => {
    it('has a number of its own in one list, which nothing else names', () => {
      const numbers = Object.values(ADVISORY_LOCKS);
      expect(new Set(numbers).size).toBe(numbers.length);
      const production = repositoryFiles().filter((file) => file.endsWith('.ts') && !file.startsWith('test/'));
      const named = production.filter((file) =>
        /advisory_(xact_)?lock(_shared)?\(\s*\d|7_?423_?0\d\d/.test(textOf(file)),
      );
      expect(named).toEqual(['subgraphs/server/advisory-locks.ts']);
    });

    it('is given up when its server falls silent, and can be taken at the one that takes over', async () => {
      const proxy = await silencedProxy(Number(new URL(database.url).port));
      const url = new URL(database.url);
      [url.hostname, url.port] = ['127.0.0.1', String(proxy.port)];
      const config = { connectionString: url.href, connectionTimeoutMillis: 3_000, query_timeout: 2_000 };
      try {
        const [session, holder] = await Promise.all([openLockSession(config), beginHolding(config)]);
        await session.hold('silent');
        const name = await holder.name();
        proxy.silence();
        let isOver = false;
        void session.over.then(() => (isOver = true));
        await until(() => isOver || undefined);
        await until(() => (holder.isPresent(name) ? undefined : true));
        expect(holder.isPresent(await holder.name())).toBe(true);
        const idle = await openLockSession({ ...config, query_timeout: 60_000 });
        proxy.silence();
        await idle.end(); // though nothing answers
        await Promise.all([session.end(), holder.end()]);
      } finally {
        await proxy.close();
      }
    });
  });

  describe('The clock', () => {
    const canBeMoved = async () =>
      (await owner.query(`select to_regprocedure('register.set_clock_offset(integer)') is not null as yes`)).rows[0]
        .yes;

    it('can be moved only after a start that says so; a command changes nothing of that', async () => {
      const address = databaseAddress(database.url, 'trial', Buffer.alloc(32, 7));
      const tables = { migrations: [TrialTables1790000000001], rights: () => 'select' };
      const seen: boolean[] = [];
      for (const movable of [true, undefined, false, undefined]) {
        await migrate(address, tables, movable, {});
        seen.push(await canBeMoved());
        if (movable === true) await owner.query('select register.set_clock_offset(3600)');
      }
      expect(seen).toEqual([true, true, false, false]);
      const { rows } = await owner.query('select register.register_now() - statement_timestamp() as ahead');
      expect(rows[0].ahead).toEqual({});
    });
  });

  describe('A migration', () => {
    it('that waits for a lock lets others go first, and is done when it is free', async () => {
      const [busy, reader] = [
        new Client({ connectionString: database.url }),
        new Client({ connectionString: database.url, statement_timeout: 20_000 }),
      ];
      await Promise.all([busy.connect(), reader.connect()]);
      try {
        await busy.query('begin; select from trial.busy');
        let isDone = false;
        const migrating = bring(TrialTables1790000000001, ChangedTable1790000000002).then(() => (isDone = true));
        const waits = `select from pg_locks where relation = 'trial.busy'::regclass and not granted`;
        await until(async () => ((await owner.query(waits)).rowCount === 1 ? true : undefined));
        await reader.query('select from trial.busy'); // behind the migration, which gives up its turn
        await until(async () => ((await owner.query(waits)).rowCount === 1 ? true : undefined)); // and tries again
        expect(isDone).toBe(false);
        await busy.query('commit');
        await migrating;
        expect((await reader.query('select more from trial.busy')).rowCount).toBe(0);
      } finally {
        await Promise.all([busy.end(), reader.end()]);
      }
    });
  });
}
