import { Client } from 'pg';
import { notifySome, subscriptionsToLookAt } from '../../../../subgraphs/access/database/expiry.repository';
import { notifyOfExpiring } from '../../../../subgraphs/access/events/sweeps';
import { type Database, openDatabase } from '../../../../subgraphs/server/database';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/register-clock';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { deliveriesOf, end, eventsOf, putMany, putWebhook, register, replace } from '../../../support/event-rows';
import { until } from '../../../support/until';

export function expiringNotices(): void {
  const DAY = 86_400;
  /** Records of one Data User that expire soon, in the tests of plans and of the work. */
  const MANY = process.env['TEST_LONG'] === '1' ? 50_000 : 3_000;
  const [OTHER, THIRD, FOURTH, FIFTH] = ['1', '2', '3', '4'].map((digit) => `duid_${digit.repeat(24)}`) as [
    string,
    string,
    string,
    string,
  ];
  const toTheEnd = () => false;

  let tables: AccessDatabase;
  let database: Database;
  let clock: RegisterClock;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = await openDatabase(tables.address, []);
    clock = registerClock(database);
    for (const duid of [OTHER, THIRD, FOURTH, FIFTH]) {
      await tables.owner.query(
        `insert into account (account_id, role, display_name, duid, contact_url)
       values ($1, 'data_user', $2, $2, 'https://data-user.example/contact')`,
        [duid.replace('duid', 'acc'), duid],
      );
    }
  });
  afterEach(async () => {
    await clock.setOffset(0);
    await tables.application.query('update webhook set deleted_at = register_now() where deleted_at is null');
  });
  afterAll(async () => {
    await database.close();
    await tables.close();
  });

  const sweep = () => notifyOfExpiring(database.pool, toTheEnd);

  /** The subscriptions that were told of a record, with the days that remained. */
  async function toldOf(id: string): Promise<[webhook: string, days: number][]> {
    const notices = (await eventsOf(tables.owner, id)).filter(({ type }) => type === 'consent.expiring');
    return notices.map((notice) => [notice['webhook_id'], notice['days_remaining']]);
  }

  describe('The sweep for records that expire soon', () => {
    it('tells each subscription once, when the record comes within its window', async () => {
      const { application } = tables;
      const id = await register(application, { expiresIn: '40 days' });
      const [month, week] = [await putWebhook(application, { days: 30 }), await putWebhook(application, { days: 7 })];
      await sweep();
      expect(await toldOf(id)).toEqual([]);
      await clock.setOffset(10 * DAY + 60);
      await sweep();
      await sweep();
      expect(await toldOf(id)).toEqual([[month, 30]]);
      await clock.setOffset(33 * DAY + 60);
      await sweep();
      expect(await toldOf(id)).toEqual([
        [month, 30],
        [week, 7],
      ]);
      expect(await deliveriesOf(tables.owner, month, id)).toEqual(['consent.expiring pending']);
    });

    it('tells a new subscription, and one with a wider window or another type, of all that is inside', async () => {
      const { application } = tables;
      const [soon, later] = [
        await register(application, { expiresIn: '2 days' }),
        await register(application, { expiresIn: '50 days' }),
      ];
      const webhook = await putWebhook(application, { days: 5 });
      const other = await putWebhook(application, { days: 90, types: ['consent.withdrawal'] });
      await sweep();
      expect([await toldOf(soon), await toldOf(later)]).toEqual([[[webhook, 2]], []]);
      await application.query('update webhook set notify_days_before = 60 where id = $1', [webhook]);
      await sweep();
      expect([await toldOf(soon), await toldOf(later)]).toEqual([[[webhook, 2]], [[webhook, 50]]]);
      await application.query(`update webhook set event_types = array['consent.expiring'] where id = $1`, [other]);
      await sweep();
      expect(await toldOf(later)).toEqual([
        [webhook, 50],
        [other, 50],
      ]);
    });

    it('tells only of ACTIVE records on consent', async () => {
      const { application } = tables;
      const silent = [
        await register(application, { expiresIn: '2 days', legalBasis: 'uk-contract' }),
        await register(application, { expiresIn: '2 days' }),
        await register(application, { expiresIn: null }),
        await register(application, { expiresIn: '-2 days' }),
      ];
      await end(application, silent[1] as string, 'revoked');
      const explicit = await register(application, { expiresIn: '2 days', legalBasis: 'uk-explicit-consent' });
      const webhook = await putWebhook(application);
      await sweep();
      for (const id of silent) expect(await toldOf(id)).toEqual([]);
      expect(await toldOf(explicit)).toEqual([[webhook, 2]]);
    });

    it('tells again when the expiry was moved, and supersedes what waits', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 30 });
      await sweep();
      const id = await register(application, { expiresIn: '10 days' });
      await replace(application, id, '40 days');
      await clock.setOffset(15 * DAY);
      await sweep();
      expect(await toldOf(id)).toEqual([
        [webhook, 10],
        [webhook, 25],
      ]);
      expect(await deliveriesOf(tables.owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.expiring pending',
      ]);
    });

    it('skips nothing after an outage of weeks, in which no expiry has passed', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      await sweep();
      const ids = [
        await register(application, { expiresIn: '15 days' }),
        await register(application, { expiresIn: '29 days' }),
      ];
      await clock.setOffset(20 * DAY);
      await sweep();
      expect([await toldOf(ids[0] as string), await toldOf(ids[1] as string)]).toEqual([[], [[webhook, 9]]]);
    });

    it("skips nothing after the register's clock was moved back", async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      await clock.setOffset(60 * DAY);
      await sweep();
      await clock.setOffset(0);
      const id = await register(application, { expiresIn: '20 days' });
      await sweep();
      await clock.setOffset(12 * DAY);
      await sweep();
      expect(await toldOf(id)).toEqual([[webhook, 8]]);
    });

    it('comes back for a record that somebody has locked, wherever in the window it lies', async () => {
      const { application, owner } = tables;
      const [locked, free] = [
        await register(application, { expiresIn: '3 days' }),
        await register(application, { expiresIn: '4 days' }),
      ];
      const webhook = await putWebhook(application);
      await owner.query('begin');
      await owner.query('select from access_record where id = $1 for update', [locked]);
      await sweep();
      await owner.query('rollback');
      expect([await toldOf(locked), await toldOf(free)]).toEqual([[], [[webhook, 4]]]);
      await sweep();
      expect(await toldOf(locked)).toEqual([[webhook, 3]]);
    });

    it('comes back for a record that is committed late: what was looked at then is looked at again', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      const late = await database.pool.connect();
      await late.query('begin');
      const id = await register(late, { expiresIn: '10 days 2 minutes' });
      await late.query('set constraints all immediate'); // as at commit: it is not within the window yet
      await clock.setOffset(5 * 60);
      await sweep();
      await late.query('commit');
      late.release();
      await sweep();
      expect(await toldOf(id)).toEqual([[webhook, 10]]);
    });

    it('lets a withdrawal wait, so that no notice follows it', async () => {
      const { application, owner } = tables;
      const id = await register(application, { expiresIn: '10 days' });
      const webhook = await putWebhook(application);
      const letGo = await holdLane(webhook, id);
      const sweeping = sweep();
      await until(async () => (await waiting()) === 1 || undefined);
      const withdrawn = end(application, id, 'withdrawn');
      await until(async () => (await waiting()) === 2 || undefined);
      await letGo();
      await Promise.all([sweeping, withdrawn]);
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.withdrawal pending',
      ]);
    });

    it('and withdrawals, replacements and new subscriptions at once wait for each other, and never in a circle', async () => {
      const { application, owner } = tables;
      const ids: string[] = [];
      for (let n = 0; n < 80; n++) ids.push(await register(application, { expiresIn: '40 days' }));
      for (let n = 0; n < 3; n++) await putWebhook(application, { days: 20 });
      const changes = ids.flatMap((id, n) => [
        () => replace(database.pool, id, `${10 + (n % 20)} days`),
        () => end(database.pool, id, 'withdrawn'),
        () => putWebhook(database.pool, { days: 1 + n }),
      ]);
      const left = changes.toSorted(() => Math.random() - 0.5);
      const changing = async () => {
        for (let change = left.pop(); change; change = left.pop()) await change().catch(refusedAfterTheEnd);
      };
      let isChanging = true;
      const sweeping = async () => {
        while (isChanging) await sweep();
      };
      const changed = Promise.all([changing(), changing(), changing(), changing()]).then(() => (isChanging = false));
      await Promise.all([changed, sweeping(), sweeping()]);
      await sweep();
      const { rows } = await owner.query(
        `select count(*)::int from delivery join event on event.id = event_id
       where type = 'consent.expiring' and state = 'pending' and event.record_id = any($1)`,
        [ids],
      );
      expect(rows).toEqual([{ count: 0 }]);
    });

    it('that was killed half way has told nobody, and the next run tells all', async () => {
      const { application, owner } = tables;
      const id = await register(application, { expiresIn: '10 days' });
      const webhook = await putWebhook(application);
      const letGo = await holdLane(webhook, id);
      const sweeping = notifySome(database.pool, webhook).catch((error: unknown) => error);
      await until(async () => (await waiting()) === 1 || undefined);
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`);
      expect(await sweeping).toBeInstanceOf(Error);
      await letGo();
      expect(await toldOf(id)).toEqual([]);
      await until(async () => {
        await sweep();
        return (await toldOf(id)).length || undefined;
      });
      expect(await toldOf(id)).toEqual([[webhook, 10]]);
    });

    it('writes nothing down as long as nothing is new', async () => {
      const { application, owner } = tables;
      await register(application, { expiresIn: '10 days' });
      await putWebhook(application);
      await putWebhook(application, { days: 1 }); // nothing is due in its window
      expect(await subscriptionsToLookAt(database.pool)).toHaveLength(2);
      await sweep();
      const { rows: before } = await owner.query('select xmin, * from webhook');
      expect(await subscriptionsToLookAt(database.pool)).toEqual([]);
      await sweep();
      expect((await owner.query('select xmin, * from webhook')).rows).toEqual(before);
    });

    it('tells of more than one batch, by any number of replicas at once, each record once', async () => {
      const { application, owner } = tables;
      await putMany(owner, 1_100, 'uk-consent', `register_now() + interval '10 days'`, FIFTH);
      const webhooks = [await putWebhook(application, { duid: FIFTH }), await putWebhook(application, { duid: FIFTH })];
      await Promise.all([sweep(), sweep(), sweep()]);
      await until(async () => {
        await sweep();
        return (await subscriptionsToLookAt(database.pool)).length === 0 || undefined;
      });
      const { rows } = await owner.query(
        `select webhook_id, count(*)::int as events, count(distinct record_id)::int as records from event
       where webhook_id = any($1) group by webhook_id order by webhook_id`,
        [webhooks],
      );
      expect(rows).toEqual(webhooks.toSorted().map((webhook_id) => ({ webhook_id, events: 1_100, records: 1_100 })));
    });

    it('looks at the whole window again when the subscription changes in the middle of a look', async () => {
      const { application, owner } = tables;
      await putMany(owner, 600, 'uk-consent', `register_now() + interval '2 days' + n * interval '1 minute'`, OTHER);
      const webhook = await putWebhook(application, { duid: OTHER });
      const look = await notifySome(database.pool, webhook);
      expect(look).toMatchObject({ isIncomplete: false });
      await application.query(`update webhook set event_types = array['tenancy.change'] where id = $1`, [webhook]);
      const soon = await register(application, { expiresIn: '1 day', duid: OTHER }); // nobody is told of it as it is registered
      await application.query(`update webhook set event_types = array['consent.expiring'] where id = $1`, [webhook]);
      expect(await notifySome(database.pool, webhook, look)).toBeUndefined();
      expect(await toldOf(soon)).toEqual([[webhook, 1]]);
    });

    describe(`with ${MANY} records in the window`, () => {
      let asked: { name?: string; text: string; values: unknown[] }[];
      let webhook: string;
      let read: number;
      beforeAll(async () => {
        const { owner, application, address } = tables;
        const within = `register_now() + interval '1 day' + (n % 20000) * interval '1 minute'`;
        await putMany(owner, 2 * MANY, 'uk-consent', within, THIRD); // another one's, at the same time
        await putMany(owner, 2 * MANY, 'uk-contract', within, FOURTH); // no consent
        await putMany(
          owner,
          MANY,
          'uk-consent',
          `register_now() + interval '200 days' + n * interval '1 hour'`,
          FOURTH,
        );
        await putMany(owner, MANY, 'uk-consent', within, FOURTH);
        await owner.query('analyze event, delivery'); // of which there are few as yet: statistics are old from now on
        webhook = await putWebhook(application, { duid: FOURTH });
        const before = await rowsRead();
        const own = await openDatabase(address, []);
        const spied = jest.spyOn(Client.prototype, 'query');
        for (let look = await notifySome(own.pool, webhook); look;) look = await notifySome(own.pool, webhook, look);
        asked = spied.mock.calls.map(([statement]) => statement as unknown as (typeof asked)[number]);
        spied.mockRestore();
        await own.close(); // then it has told the statistics
        read = await until(async () => {
          const now = (await rowsRead()) - before;
          return now >= MANY ? now : undefined;
        });
      }, 300_000);

      it('tells of each, and reads each about once, however many batches it takes', async () => {
        const { rows } = await tables.owner.query(`select count(*)::int from event where webhook_id = $1`, [webhook]);
        expect(rows).toEqual([{ count: MANY }]);
        expect(read).toBeLessThan(4 * MANY); // to find it, and to lock it
        expect(await subscriptionsToLookAt(database.pool)).toEqual([]);
      });

      it.each(['force_custom_plan', 'force_generic_plan'])(
        "reads the Data User's records from an index in their order, from the last one told: %s",
        async (mode) => {
          const { owner } = tables;
          await owner.query('analyze event, access_record');
          const batches = asked.filter(({ name }) => name === 'notify_of_expiring');
          const { text, values } = batches[Math.floor(batches.length / 2)] as (typeof asked)[number];
          await owner.query(`set plan_cache_mode = ${mode}`);
          await owner.query(`prepare notify as ${text}`);
          const literals = values.map((value) => (value === null ? 'null' : `'${String(value)}'`)).join(', ');
          const { rows } = await owner.query(`explain execute notify(${literals})`);
          await owner.query('deallocate notify; reset plan_cache_mode');
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          expect(plan).toMatch(
            /Index (Only )?Scan using access_record_expiring on access_record.*\n.*Index Cond: .*duid = .*expiry > .*expiry <= .*ROW\(expiry, id\) > /,
          );
          const due = plan.slice(plan.indexOf('CTE due'), plan.indexOf('CTE held'));
          expect(due).not.toMatch(/Sort|Seq Scan|Hash/);
        },
      );
    });
  });

  /** Entries of indexes and rows of tables that statements have read so far: records, events and deliveries. */
  async function rowsRead(): Promise<number> {
    const { rows } = await tables.owner.query<{ read: number }>(
      `select ((select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'access' and relname = any(told))
       + (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'access' and relname = any(told)))::float8 as read
     from (select array['access_record', 'event', 'delivery', 'delivery_lane'] as told) tables`,
    );
    return rows[0]?.read as number;
  }

  /** A record that was withdrawn before is not replaced any more. */
  function refusedAfterTheEnd(error: unknown): void {
    expect((error as { code?: string }).code).toBe('23001');
  }

  /** Holds up whoever plans a delivery, until it is let go. */
  async function holdLane(webhook: string, subject: string): Promise<() => Promise<void>> {
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('insert into delivery_lane values ($1, $2, 1)', [webhook, subject]);
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  }

  /** How many sessions of this database wait for another. */
  async function waiting(): Promise<number> {
    const { rows } = await tables.owner.query(
      `select count(*)::int from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows[0].count as number;
  }
}
