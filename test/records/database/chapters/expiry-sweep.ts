import pino from 'pino';
import { expireSome } from '../../../../subgraphs/access/records/expiry.repository';
import { RecordHistory } from '../../../../subgraphs/access/records/record-history.queries';
import { expireDueRecords, startSweeps } from '../../../../subgraphs/access/records/sweeps.module';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, accessDatabase, jumpedClock } from '../../../support/access-database';
import { putRecord } from '../../../support/access-rows';
import { end, eventsOf, putMany, register, replace } from '../../../support/event-rows';
import { until } from '../../../support/until';

/** @param showsPlan false over partitions, where PostgreSQL reads tables of this size as a whole */
export function expirySweep(showsPlan = true): void {
  const HOUR = 3_600;
  const toTheEnd = () => false;

  let tables: AccessDatabase;
  let database: Database;
  let clock: RegisterClock;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
    clock = registerClock(database);
  });
  afterEach(() => clock.setOffset(0));
  afterAll(async () => {
    await database.close();
    await tables.close();
  });

  const sweep = () => expireDueRecords(database.pool, toTheEnd);
  const statesOf = async (...ids: string[]) => {
    const { rows } = await tables.owner.query<{ state: string }>(
      'select state from access_record where id = any($1::uuid[]) order by array_position($1::uuid[], id)',
      [ids],
    );
    return rows.map(({ state }) => state);
  };

  describe('The expiry sweep', () => {
    it('expires records at the instant of their expiry, and no other records', async () => {
      const { application, owner } = tables;
      const expired = await register(application, { expiresIn: '30 minutes' });
      const others = [
        await register(application, { expiresIn: '2 hours' }),
        await register(application, { expiresIn: null }),
        await register(application, { expiresIn: '30 minutes' }),
      ];
      await replace(application, others[2] as string, '3 hours');
      const revoked = await register(application, { expiresIn: '30 minutes' });
      await end(application, revoked, 'revoked');
      await sweep();
      expect(await statesOf(expired)).toEqual(['ACTIVE']);
      await clock.setOffset(HOUR);
      await sweep();
      expect(await statesOf(expired)).toEqual(['EXPIRED']);
      expect(await statesOf(...others)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
      expect(await statesOf(revoked)).toEqual(['REVOKED']);
      const { rows } = await owner.query('select expiry from access_record where id = $1', [expired]);
      const [, event] = await eventsOf(owner, expired);
      expect(event).toMatchObject({ type: 'access.expired', transition: 2, occurred_at: rows[0].expiry });
      expect(event?.['recorded_at'].getTime()).toBeGreaterThan(rows[0].expiry.getTime());
      expect(await eventsOf(owner, revoked)).toHaveLength(2);
    });

    it('expires nothing while the clock of the database differs from that of the process by more than an hour', async () => {
      const id = await register(tables.application, { expiresIn: '80 minutes' });
      const correct = await jumpedClock(tables.owner, '90 minutes');
      try {
        await expect(sweep()).rejects.toMatchObject({ code: 'CLOCKS_DIFFER' });
        // The clock may jump after the sweep has compared the clocks.
        expect(await expireSome(database.pool)).toBe(0);
      } finally {
        await correct();
      }
      await sweep();
      expect(await statesOf(id)).toEqual(['ACTIVE']);
      const correctAgain = await jumpedClock(tables.owner, '50 minutes');
      await sweep().finally(correctAgain);
    });

    it('changes nothing in the history: the expiry is there before it and after it, once', async () => {
      const id = await register(tables.application, { expiresIn: '30 minutes' });
      await clock.setOffset(HOUR);
      const history = async () => (await new RecordHistory(database).transitions(id, { first: 10, after: null })).edges;
      const before = await history();
      await sweep();
      expect(before).toHaveLength(2);
      expect(await history()).toEqual(before);
      const { rows } = await tables.owner.query('select expiry from access_record where id = $1', [id]);
      expect(before[1]?.node).toMatchObject({
        at: rows[0].expiry,
        from: 'ACTIVE',
        to: 'EXPIRED',
        cause: 'expired',
        reason: null,
        number: 2,
      });
    });

    it('ends a DISCOVERED record, too', async () => {
      const id = await putRecord(tables.owner, { state: 'DISCOVERED', expiry: `register_now() - interval '1 s'` });
      await sweep();
      expect(await statesOf(id)).toEqual(['EXPIRED']);
      expect((await eventsOf(tables.owner, id)).at(-1)).toMatchObject({ type: 'access.expired' });
    });

    it('is done by any number of replicas at once: each record ends once', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 1_200; n++)
        ids.push(await register(tables.application, { legalBasis: 'uk-contract', expiresIn: '30 minutes' }));
      await clock.setOffset(HOUR);
      await Promise.all(Array.from({ length: 5 }, sweep));
      await sweep();
      const { rows } = await tables.owner.query(
        `select count(*)::int as all, count(distinct record_id)::int as records from event
       where type = 'access.expired' and record_id = any($1)`,
        [ids],
      );
      expect(rows).toEqual([{ all: 1_200, records: 1_200 }]);
    });

    it('skips locked records without waiting, and expires them in the next run', async () => {
      const [locked, free] = [
        await register(tables.application, { expiresIn: '30 minutes' }),
        await register(tables.application, { expiresIn: '30 minutes' }),
      ];
      await clock.setOffset(HOUR);
      await tables.application.query('begin');
      await tables.application.query('select from access_record where id = $1 for update', [locked]);
      await sweep();
      expect(await statesOf(locked, free)).toEqual(['ACTIVE', 'EXPIRED']);
      await tables.application.query('rollback');
      await sweep();
      expect(await statesOf(locked)).toEqual(['EXPIRED']);
    });

    it('that was killed half way has done nothing, and the next run does all of it', async () => {
      const id = await register(tables.application, { expiresIn: '30 minutes' });
      await clock.setOffset(HOUR);
      const killed = await database.pool.connect();
      const gone = new Promise((resolve) => killed.on('error', resolve));
      await killed.query('begin');
      expect(await expireSome(killed)).toBe(1);
      const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid');
      await tables.owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      killed.release((await gone) as Error);
      expect(await statesOf(id)).toEqual(['ACTIVE']);
      await until(async () => {
        await sweep();
        return (await statesOf(id))[0] === 'EXPIRED' || undefined; // the server takes back what was half done at its leisure
      });
      expect((await eventsOf(tables.owner, id)).map(({ type }) => type)).toEqual([
        'access.registered',
        'access.expired',
      ]);
    });

    it('runs every second while the subgraph runs, logs an outage once, and stops with it', async () => {
      const logged: string[] = [];
      const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
      const id = await register(tables.application, { expiresIn: '30 minutes' });
      await tables.owner.query('alter table access_record_transition rename to away');
      await clock.setOffset(HOUR);
      const sweeps = startSweeps(database, logger);
      await until(() => logged.length || undefined);
      const failures = async () =>
        Number(
          (await tables.owner.query(`select xact_rollback from pg_stat_database where datname = current_database()`))
            .rows[0].xact_rollback,
        );
      const first = await failures();
      await until(async () => (await failures()) > first || undefined);
      await tables.owner.query('alter table away rename to access_record_transition');
      await until(async () => (await statesOf(id))[0] === 'EXPIRED' || undefined);
      await sweeps.stop();
      expect(logged.filter((line) => line.includes('expiry of records failed'))).toHaveLength(1);
    });
  });

  if (!showsPlan) return;
  describe('The plan of the sweep', () => {
    const RECORDS = process.env['TEST_LONG'] ? 1_000_000 : 20_000;
    const DUE = RECORDS / 100;

    it(`over ${RECORDS} records reads those that are due, from their index`, async () => {
      const { owner } = tables;
      const expiry = `register_now() + case when n <= ${DUE} then interval '-1 s' else n * interval '1 minute' end`;
      await putMany(owner, RECORDS, 'uk-contract', expiry);
      const events = async () =>
        (await owner.query(`select count(*)::int as count from event where type = 'access.expired'`)).rows[0]
          .count as number;
      const eventsBefore = await events();
      const queries = jest.spyOn(database.pool, 'query');
      const before = performance.now();
      await expireDueRecords(database.pool, toTheEnd);
      const took = performance.now() - before;
      const [{ text, values }] = queries.mock.calls[1] as unknown as [{ text: string; values: unknown[] }]; // the first one reads the clocks
      queries.mockRestore();
      const idle = performance.now();
      await expireDueRecords(database.pool, toTheEnd);
      const tookIdle = performance.now() - idle;
      const { rows } = await owner.query(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index Scan using access_record_expiry');
      expect(plan).not.toContain('Seq Scan');
      expect((await events()) - eventsBefore).toBe(DUE);
      process.stdout.write(`sweep of ${DUE} of ${RECORDS}: ${took.toFixed(0)} ms, of none ${tookIdle.toFixed(1)} ms\n`);
      if (process.env['TEST_LONG']) expect(tookIdle).toBeLessThan(took / 10); // at that size no load hides it
    }, 600_000);
  });
}
