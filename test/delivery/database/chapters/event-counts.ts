import { EventCounts, MAX_MINUTES } from '../../../../subgraphs/access/events/event-counts.queries';
import { RENEW_EVENT_ERA } from '../../../../subgraphs/server/event-log/event-era';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { register } from '../../../support/event-rows';
import { logSettled } from '../../../support/settled-log';
import { until } from '../../../support/until';

export function eventCounts(): void {
  const MINUTE = 60_000;

  let tables: AccessDatabase;
  let database: Database;
  let clock: RegisterClock;
  let counts: EventCounts;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
    clock = registerClock(database);
  });
  afterAll(async () => {
    await database.close();
    await tables.close();
  });

  /** Empties the log, resets the clock, and starts with new counts. */
  async function beginAgain(): Promise<void> {
    await asReplica('truncate event');
    await clock.setOffset(0);
    counts = new EventCounts(database);
  }

  /** Runs a statement as the owner, without triggers. */
  async function asReplica(text: string, values: unknown[] = []): Promise<void> {
    await tables.owner.query(`set session_replication_role = 'replica'`);
    await tables.owner.query(text, values);
    await tables.owner.query(`set session_replication_role = 'origin'`);
  }

  /** Returns the counts by reading the whole log. */
  async function counted(minutes: number) {
    const { rows } = await tables.owner.query(
      `select date_trunc('minute', recorded_at, 'UTC') as minute, type, count(*)::int as count from event
     where recorded_at >= date_trunc('minute', register_now(), 'UTC') - ($1 - 1) * interval '1 minute'
       and recorded_at < date_trunc('minute', register_now(), 'UTC') + interval '1 minute'
     group by 1, 2 order by 1, 2`,
      [minutes],
    );
    return rows;
  }

  /** Returns the rows in which counts and log differ; both are read within one minute. */
  async function wrong(minutes: number, of = counts): Promise<string[]> {
    const minute = async () => Math.floor((await clock.now()).getTime() / MINUTE);
    const [returned, right] = await until(async () => {
      const before = await minute();
      const both = [await of.ofLast(minutes), await counted(minutes)].map((each) =>
        each.map((row) => JSON.stringify(row)),
      );
      return (await minute()) === before ? (both as [string[], string[]]) : undefined;
    });
    return [...returned.filter((row) => !right.includes(row)), ...right.filter((row) => !returned.includes(row))];
  }

  /** Inserts `count` events, spread over the last `minutes` minutes. */
  async function putEvents(count: number, minutes: number, type = 'access.registered'): Promise<void> {
    await asReplica(
      `insert into event (type, recorded_at)
     select $3, register_now() - ($2 * n::float8 / $1) * interval '1 minute' from generate_series(0, $1::int - 1) n order by n desc`,
      [count, minutes, type],
    );
  }

  /** Returns the statements that `work` sends. */
  async function statementsOf(work: () => Promise<unknown>): Promise<{ text: string; values: unknown[] }[]> {
    const spied = jest.spyOn(database.pool, 'query');
    await work();
    const statements = spied.mock.calls.map(([text, values]) => ({ text, values }) as never);
    spied.mockRestore();
    return statements;
  }

  /** Returns how many rows of the log the statements read, and by which indexes. */
  async function readBy(statements: readonly { text: string; values: unknown[] }[]) {
    const found = { rows: 0, ways: new Set<string>() };
    const walk = (node: Record<string, unknown>): void => {
      if (node['Relation Name'] === 'event') {
        const times = Number(node['Actual Loops']);
        found.rows += times * (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0));
        found.ways.add(String(node['Index Name'] ?? node['Node Type']));
      }
      for (const below of (node['Plans'] ?? []) as Record<string, unknown>[]) walk(below);
    };
    for (const { text, values } of statements) {
      const { rows } = await tables.owner.query(`explain (analyze, format json) ${text}`, values);
      walk(rows[0]['QUERY PLAN'][0].Plan);
    }
    return found;
  }

  describe('The counts of the last minutes', () => {
    beforeEach(beginAgain);

    it('are those of the log, by minute and type, for the requested number of minutes', async () => {
      await putEvents(3_000, 90);
      await putEvents(40, 200, 'access.revoked');
      for (const minutes of [1, 60, 5, MAX_MINUTES, 100]) expect(await wrong(minutes)).toEqual([]);
      // Ninety minutes touch 90 or 91 minutes of the clock.
      expect([90 + 40, 91 + 40]).toContain((await counts.ofLast(MAX_MINUTES)).length);
    });

    it('include what was committed before the request, even while an earlier transaction is running', async () => {
      expect(await wrong(60)).toEqual([]);
      const late = await database.pool.connect();
      await late.query('begin');
      await register(late);
      for (let n = 0; n < 3; n++) {
        await register(tables.application);
        expect(await wrong(60)).toEqual([]);
      }
      await late.query('commit');
      late.release();
      expect(await wrong(60)).toEqual([]);
      expect(await wrong(60, new EventCounts(database))).toEqual([]);
    });

    it('include a late commit in the minute of its recording, even if that minute was counted before', async () => {
      const late = await database.pool.connect();
      await late.query('begin');
      await register(late);
      await clock.setOffset(600);
      await register(tables.application);
      expect(await wrong(60)).toEqual([]);
      await late.query('commit');
      late.release();
      expect(await wrong(60)).toEqual([]);
      expect(await counts.ofLast(60)).toHaveLength(2);
    });

    it('are correct if the clock jumps', async () => {
      await putEvents(500, 60);
      const offsets = [0, 90, -300, 86_400, 86_500, 0, 3_000, 40, -7_200, 30 * 86_400, 0, 43_300, 86_300, 0];
      for (const offset of offsets) {
        await clock.setOffset(offset);
        await register(tables.application);
        expect(await wrong(60)).toEqual([]);
        await register(tables.application);
        expect(await wrong(MAX_MINUTES)).toEqual([]);
      }
    });

    it('restart in another epoch of the log', async () => {
      await putEvents(100, 10);
      expect(await wrong(60)).toEqual([]);
      await asReplica(`insert into event (type, era) values ('access.registered', 4102444800000)`);
      await tables.owner.query(RENEW_EVENT_ERA('access'));
      await register(tables.application);
      expect(await wrong(60)).toEqual([]);
    });

    it('are retained for at most a day', async () => {
      await putEvents(MAX_MINUTES, MAX_MINUTES);
      const all = await counts.ofLast(MAX_MINUTES);
      expect(all.length).toBeLessThanOrEqual(MAX_MINUTES);
      await clock.setOffset(1_800);
      await register(tables.application);
      expect(await wrong(MAX_MINUTES)).toEqual([]);
      expect((await counts.ofLast(MAX_MINUTES)).length).toBeLessThanOrEqual(MAX_MINUTES - 29);
    });

    it('continue after a failed read', async () => {
      await putEvents(100, 50);
      await tables.owner.query('alter table event rename to away');
      await expect(counts.ofLast(60)).rejects.toMatchObject({ code: '42P01' });
      await tables.owner.query('alter table away rename to event');
      expect(await wrong(60)).toEqual([]);
    });
  });

  describe('A hundred thousand events', () => {
    beforeAll(async () => {
      await beginAgain();
      await putEvents(100_000, 60);
      await logSettled(tables.owner);
      await tables.owner.query('vacuum analyze event');
      expect(await wrong(60)).toEqual([]);
    });

    it('are read once: a second read reads new events only', async () => {
      for (let n = 0; n < 7; n++) await register(tables.application);
      const statements = await statementsOf(() => counts.ofLast(60));
      expect(await wrong(60)).toEqual([]);
      const { rows, ways } = await readBy(statements);
      expect([...ways]).toEqual(['event_order']);
      expect(rows).toBeGreaterThanOrEqual(7);
      expect(rows).toBeLessThan(50); // each row is read to be added, and as one of the latest
    });

    it('cost two reads for two hundred concurrent callers: those who call during a read share the next one', async () => {
      const one = await statementsOf(() => counts.ofLast(60));
      const many = await statementsOf(async () => {
        const first = counts.ofLast(60);
        await new Promise((resolve) => void setImmediate(resolve));
        const results = await Promise.all([first, ...Array.from({ length: 200 }, () => counts.ofLast(60))]);
        expect(new Set(results.map((result) => result.length)).size).toBe(1);
      });
      expect(many.length).toBeLessThanOrEqual(2 * one.length);
    });

    it('are added in batches and counted once', async () => {
      await putEvents(120_000, 3);
      await logSettled(tables.owner);
      const statements = await statementsOf(() => counts.ofLast(60));
      expect(statements.filter(({ text }) => text.includes('with added')).length).toBeGreaterThanOrEqual(3);
      expect(await wrong(60)).toEqual([]);
    });
  });
}
