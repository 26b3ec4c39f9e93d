import type { Pool } from 'pg';
import { isChecking, outsideCheck, runCheck } from '../../../subgraphs/server/database/check-only';
import { openPool } from '../../../subgraphs/server/database/database';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { until } from '../../support/until';

/** When a transaction commits, a trigger rejects an amount above ten. */
const TABLES = `
  create table item (id int primary key, amount int not null);
  create table purchase (id int primary key, item int not null references item deferrable initially deferred);
  create function limit_amount() returns trigger language plpgsql as $$ begin
    if new.amount > 10 then raise exception 'more than ten' using errcode = 'check_violation'; end if;
    perform pg_notify('items', new.id::text);
    return null;
  end $$;
  create constraint trigger limited after insert or update on item deferrable initially deferred
    for each row execute function limit_amount()`;

describe('A check', () => {
  let database: FreshDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = openPool({ connectionString: database.url, max: 5 });
    await pool.query(TABLES);
  });
  afterEach(() => pool.query('truncate item, purchase'));
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  const ids = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ id: number }>('select id from item order by id');
    return rows.map(({ id }) => id);
  };
  const add = (id: number, amount = 1) => pool.query('insert into item values ($1, $2)', [id, amount]);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );

  it('reads what it has written, in transactions and outside, and leaves nothing', async () => {
    const seen = await runCheck(pool, async () => {
      await add(1);
      await inTransaction(pool, (session) => session.query('insert into item values (2, 2)'));
      const failed = inTransaction(pool, async (session) => {
        await session.query('insert into item values (3, 3)');
        throw new Error('given up');
      });
      await failed.catch(() => undefined);
      return ids();
    });
    expect(seen).toEqual([1, 2]);
    expect(await ids()).toEqual([]);
  });

  it('reports violated unique indexes, deferred constraints and triggers as the write would, and continues', async () => {
    await add(1);
    const met = await runCheck(pool, async () => [
      await codeOf(add(1)),
      await codeOf(add(2, 11)),
      await codeOf(inTransaction(pool, (session) => session.query('insert into purchase values (1, 77)'))),
      await codeOf(
        inTransaction(pool, async (session) => {
          await session.query('insert into purchase values (1, 5)');
          await session.query('insert into item values (5, 1)');
        }),
      ),
      await ids(),
    ]);
    expect(met).toEqual(['23505', '23514', '23503', 'done', [1, 5]]);
    expect(await ids()).toEqual([1]);
  });

  it('isolates a failed statement from concurrent ones', async () => {
    const found = await runCheck(pool, () => Promise.all([codeOf(add(1)), codeOf(pool.query('select 1 / 0')), ids()]));
    expect(found).toEqual(['done', '22012', [1]]);
  });

  it('sends no notification and keeps no lock, also of the session', async () => {
    const listener = await pool.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('listen items');
    await runCheck(pool, async () => {
      await add(1);
      await pool.query('select pg_advisory_lock(42), pg_advisory_xact_lock(43)');
    });
    await add(2); // its notification arrives after that of the check would have
    const { rows } = await listener.query('select pg_try_advisory_lock(42) as one, pg_try_advisory_lock(43) as other');
    expect(rows).toEqual([{ one: true, other: true }]);
    expect(heard).toEqual(['2']);
    listener.release(true);
  });

  it('does not affect concurrent work, excepted work, and later work', async () => {
    let late: Promise<string> | undefined;
    await Promise.all([
      runCheck(pool, async () => {
        await add(1);
        await outsideCheck(() => add(2));
        expect(isChecking()).toBe(true);
        const ended = new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
        late = ended.then(() => outsideCheck(() => codeOf(add(4))));
      }),
      add(3),
    ]);
    expect(isChecking()).toBe(false);
    await late;
    expect(await ids()).toEqual([2, 3, 4]);
  });

  it('rejects statements that it started and did not await', async () => {
    let end = (): void => undefined;
    const other = runCheck(pool, () => new Promise<void>((resolve) => (end = resolve))); // checks are still running at its end
    let late: Promise<string> | undefined;
    try {
      await runCheck(pool, async () => {
        const session = await pool.connect();
        late = new Promise((resolve) =>
          setImmediate(() => resolve(codeOf(pool.query('select 1').then(() => session.query('select 1'))))),
        );
      });
      expect(await late).toBe('the check has ended');
    } finally {
      end();
      await other;
    }
  });

  it('gives its session back after an error of the work', async () => {
    for (let n = 0; n < 10; n += 1)
      expect(await codeOf(runCheck(pool, () => Promise.reject(new Error('given up'))))).toBe('given up');
    expect(pool.totalCount).toBeLessThanOrEqual(5);
    expect(await ids()).toEqual([]);
  });

  describe('beside writes', () => {
    const change = (id: number) => pool.query('update item set amount = 2 where id = $1', [id]);
    beforeEach(async () => {
      await add(1);
      await add(2);
    });

    it('leaves sessions for writes, however many checks there are', async () => {
      const checks = Array.from({ length: 20 }, () =>
        codeOf(
          runCheck(pool, async () => {
            await change(1);
            await pool.query('select pg_sleep(0.1)');
          }),
        ),
      );
      await until(async () => (pool.totalCount > 1 ? true : undefined));
      expect(await Promise.all([codeOf(change(2)), codeOf(add(3))])).toEqual(['done', 'done']);
      expect([pool.waitingCount, pool.totalCount < 5]).toEqual([0, true]);
      expect(new Set(await Promise.all(checks)).has('done')).toBe(true);
    });

    it('takes turns with the checks of other owners', async () => {
      const ended: string[] = [];
      const check = (owner: string) =>
        runCheck(pool, async () => void (await pool.query('select')), { owner, isPart: false }).then(() =>
          ended.push(owner),
        );
      await Promise.all([...Array.from({ length: 9 }, () => check('one')), check('two')]);
      expect(ended.indexOf('two')).toBeLessThan(5);
    });

    it('ends without waiting long for a lock', async () => {
      const met = await inTransaction(pool, async (session) => {
        await session.query('update item set amount = 3 where id = 1');
        return runCheck(pool, () => codeOf(change(1)));
      });
      expect(met).toBe('55P03');
    });

    it('that takes too long ends with SYS002, releases its locks and writes nothing later', async () => {
      let proceed = () => undefined as void;
      let late: Promise<string> | undefined;
      const check = runCheck(pool, async () => {
        await change(1);
        late = new Promise<void>((resolve) => (proceed = resolve)).then(() => codeOf(add(9)));
        await late;
      });
      expect(await codeOf(check)).toBe('SYS002');
      expect(await codeOf(change(1))).toBe('done');
      proceed();
      expect(await late).toBe('the check has ended');
      expect(await ids()).toEqual([1, 2]);
    });

    it('that cannot start in time ends with SYS002', async () => {
      const occupied = Array.from({ length: 2 }, () => codeOf(runCheck(pool, () => new Promise(() => undefined))));
      const waiting = Array.from({ length: 40 }, () => codeOf(runCheck(pool, () => pool.query('select pg_sleep(1)'))));
      expect(new Set(await Promise.all(occupied))).toEqual(new Set(['SYS002']));
      expect(new Set(await Promise.all(waiting)).has('SYS002')).toBe(true);
    });
  });
});
