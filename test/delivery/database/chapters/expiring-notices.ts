import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { announceSome, subscriptionsToScan } from '../../../../subgraphs/access/webhooks/expiry-notices.repository';
import { announceExpiring } from '../../../../subgraphs/access/records/sweeps.module';
import { resultTable } from '../../../../subgraphs/delivery/deliveries.repository';
import { endpointTable } from '../../../../subgraphs/delivery/endpoints.repository';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, accessDatabase, jumpedClock } from '../../../support/access-database';
import {
  deliveriesOf,
  end,
  eventsOf,
  fanOutAll,
  putMany,
  putWebhook,
  register as registerRow,
  replace,
  replaceAt,
} from '../../../support/event-rows';
import { until } from '../../../support/until';

export function expiringNotices(): void {
  const DAY = 86_400;
  /** Number of records of one Data User that expire soon, for the tests of plans and reads. */
  const MANY = process.env['TEST_LONG'] === '1' ? 50_000 : 3_000;
  const [OTHER, THIRD, FOURTH, FIFTH, SIXTH] = ['1', '2', '3', '4', '5'].map((digit) => `duid_${digit.repeat(24)}`) as [
    string,
    string,
    string,
    string,
    string,
  ];
  /** A subscription and its Data User. */
  type Subscriber = readonly [webhook: string, duid: string];
  const toTheEnd = () => false;

  let tables: AccessDatabase;
  let database: Database;
  let clock: RegisterClock;
  beforeAll(async () => {
    tables = await accessDatabase();
    database = openDatabase(tables.address);
    clock = registerClock(database);
    for (const duid of [OTHER, THIRD, FOURTH, FIFTH, SIXTH]) {
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

  /** Registers a record, and creates its notices for existing subscriptions. */
  const register: typeof registerRow = async (...record) => {
    const id = await registerRow(...record);
    await fanOutAll(tables.owner);
    return id;
  };
  const sweep = () => announceExpiring(database.pool, toTheEnd);

  /** Returns the subscriptions that received a notice of a record, with the remaining days. */
  async function noticesOf(id: string): Promise<[webhook: string, days: number][]> {
    const notices = (await eventsOf(tables.owner, id)).filter(({ type }) => type === 'consent.expiring');
    return notices.map((notice) => [notice['webhook_id'], notice['days_remaining']]);
  }

  describe('The scan for records that expire soon', () => {
    it('sends each subscription one notice, when the record enters its window', async () => {
      const { application } = tables;
      const id = await register(application, { expiresIn: '40 days' });
      const [month, week] = [await putWebhook(application, { days: 30 }), await putWebhook(application, { days: 7 })];
      await sweep();
      expect(await noticesOf(id)).toEqual([]);
      await clock.setOffset(10 * DAY + 60);
      await sweep();
      await sweep();
      expect(await noticesOf(id)).toEqual([[month, 30]]);
      await clock.setOffset(33 * DAY + 60);
      await sweep();
      expect(await noticesOf(id)).toEqual([
        [month, 30],
        [week, 7],
      ]);
      expect(await deliveriesOf(tables.owner, month, id)).toEqual(['consent.expiring pending']);
    });

    it('sends a subscription that is new, or has a wider window or another type, notices of all records in its window', async () => {
      const { application } = tables;
      const [soon, later] = [
        await register(application, { expiresIn: '2 days' }),
        await register(application, { expiresIn: '50 days' }),
      ];
      const webhook = await putWebhook(application, { days: 5 });
      const other = await putWebhook(application, { days: 90, types: ['consent.withdrawal'] });
      await sweep();
      expect([await noticesOf(soon), await noticesOf(later)]).toEqual([[[webhook, 2]], []]);
      await application.query('update webhook set notify_days_before = 60 where id = $1', [webhook]);
      await sweep();
      expect([await noticesOf(soon), await noticesOf(later)]).toEqual([[[webhook, 2]], [[webhook, 50]]]);
      await application.query(`update webhook set event_types = array['consent.expiring'] where id = $1`, [other]);
      await sweep();
      expect(await noticesOf(later)).toEqual([
        [webhook, 50],
        [other, 50],
      ]);
    });

    it('sends a subscription that widens during a fan-out notices of the records that this fan-out has read', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 30 });
      const id = await register(application, { expiresIn: '50 days' });
      await sweep();
      await replace(application, id, '55 days');
      const planning = await database.pool.connect();
      await planning.query('begin');
      await planning.query('select from fan_out(250)');
      await application.query('update webhook set notify_days_before = 60 where id = $1', [webhook]);
      const swept = sweep();
      await until(async () => (await waiting()) === 1 || undefined);
      await planning.query('commit');
      planning.release();
      await swept;
      expect(await noticesOf(id)).toEqual([[webhook, 55]]);
    });

    it('sends notices of ACTIVE records based on consent only', async () => {
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
      for (const id of silent) expect(await noticesOf(id)).toEqual([]);
      expect(await noticesOf(explicit)).toEqual([[webhook, 2]]);
    });

    it('sends another notice if the expiry changes, and supersedes the waiting one', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 30 });
      await sweep();
      const id = await register(application, { expiresIn: '10 days' });
      await replace(application, id, '40 days');
      await clock.setOffset(15 * DAY);
      await sweep();
      expect(await noticesOf(id)).toEqual([
        [webhook, 10],
        [webhook, 25],
      ]);
      expect(await deliveriesOf(tables.owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.expiring pending',
      ]);
    });

    it('supersedes the waiting notice of its own subscription only', async () => {
      const { application, owner } = tables;
      const [webhook, other] = [await putWebhook(application), await putWebhook(application)];
      const id = await register(application, { expiresIn: '60 days' });
      const send = async (receiver: string, days: number) => {
        const event = `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
          select 'consent.expiring', duid, id, $2, register_now() + $3 * interval '1 day', $3 from access_record where id = $1`;
        await application.query(event, [id, receiver, days]);
        await fanOutAll(owner);
      };
      await send(webhook, 1);
      await send(other, 1);
      await send(webhook, 2);
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.expiring pending',
      ]);
      expect(await deliveriesOf(owner, other, id)).toEqual(['consent.expiring pending']);
    });

    it('sends a superseded notice if its expiry is in force again when the record enters the window', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application, { days: 30 });
      const id = await register(application, { expiresIn: '10 days' });
      const expiry = await expiryOf(id);
      await replace(application, id, '40 days');
      await owner.query(`update delivery set state = 'superseded' where endpoint_id = $1`, [webhook]); // obsolete at its attempt
      await application.query('update webhook set notify_days_before = 5 where id = $1', [webhook]);
      await replaceAt(application, id, expiry);
      await sweep();
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.expiring superseded']);
      await clock.setOffset(6 * DAY);
      await sweep();
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.expiring pending']);
      expect(await subscriptionsToScan(database.pool)).toEqual([]);
    });

    it('skips no record after an outage of weeks', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      await sweep();
      const ids = [
        await register(application, { expiresIn: '15 days' }),
        await register(application, { expiresIn: '29 days' }),
      ];
      await clock.setOffset(20 * DAY);
      await sweep();
      expect([await noticesOf(ids[0] as string), await noticesOf(ids[1] as string)]).toEqual([[], [[webhook, 9]]]);
    });

    it("skips no record after the register's clock was moved back", async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      await clock.setOffset(60 * DAY);
      await sweep();
      await clock.setOffset(0);
      const id = await register(application, { expiresIn: '20 days' });
      await sweep();
      await clock.setOffset(12 * DAY);
      await sweep();
      expect(await noticesOf(id)).toEqual([[webhook, 8]]);
    });

    it('skips no record that entered its window while the clock was ahead', async () => {
      const { application } = tables;
      const id = await register(application, { expiresIn: '10 days 1 hour' });
      const webhook = await putWebhook(application, { days: 10 });
      await sweep();
      await clock.setOffset(60 * DAY);
      await sweep();
      await clock.setOffset(2 * 3_600);
      await sweep();
      expect(await noticesOf(id)).toEqual([[webhook, 10]]);
    });

    it('leaves a locked record to the next fan-out, and delays no other', async () => {
      const { application, owner } = tables;
      const [locked, free] = [
        await register(application, { expiresIn: '3 days' }),
        await register(application, { expiresIn: '4 days' }),
      ];
      const webhook = await putWebhook(application);
      const writer = await database.pool.connect();
      await writer.query('begin');
      await writer.query('select from access_record where id = $1 for update', [locked]);
      await sweep();
      await owner.query('select from fan_out(250)');
      const sent = await owner.query('select record_id from event where webhook_id = $1', [webhook]);
      await writer.query('rollback');
      writer.release();
      expect(sent.rows).toContainEqual({ record_id: free });
      expect(sent.rows).not.toContainEqual({ record_id: locked });
      expect(await noticesOf(locked)).toEqual([[webhook, 3]]);
    });

    it('returns to a record that is committed late, by scanning that part again', async () => {
      const { application } = tables;
      const webhook = await putWebhook(application, { days: 10 });
      const late = await database.pool.connect();
      await late.query('begin');
      const id = await register(late, { expiresIn: '10 days 2 minutes' });
      await late.query('set constraints all immediate'); // runs the trigger as at commit, when the expiry is not within the window yet
      await clock.setOffset(5 * 60);
      await sweep();
      await late.query('commit');
      late.release();
      await sweep();
      expect(await noticesOf(id)).toEqual([[webhook, 10]]);
    });

    it('makes the fan-out block a withdrawal, so that no notice follows it', async () => {
      const { application, owner } = tables;
      const id = await register(application, { expiresIn: '1 hour' });
      const webhook = await putWebhook(application);
      await sweep();
      const unlock = await lockOutbox();
      const fanning = fanOutAll(database.pool);
      await until(async () => (await waiting()) === 1 || undefined);
      const withdrawn = end(application, id, 'withdrawn');
      await until(async () => (await waiting()) === 2 || undefined);
      await unlock();
      await Promise.all([fanning, withdrawn]);
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.withdrawal pending',
      ]);
    });

    it('does not deadlock with concurrent withdrawals, replacements and new subscriptions', async () => {
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
        for (let change = left.pop(); change; change = left.pop()) await change().catch(expectEnded);
      };
      let isChanging = true;
      const sweeping = async () => {
        while (isChanging) await sweep();
      };
      const changed = Promise.all([changing(), changing(), changing(), changing()]).then(() => (isChanging = false));
      const planning = async () => {
        while (isChanging) await database.pool.query('select from fan_out(250)');
      };
      await Promise.all([changed, sweeping(), sweeping(), planning()]);
      await sweep();
      // A call of the fan-out completes no row if all that it takes must wait.
      await until(async () => {
        await fanOutAll(owner);
        return (await owner.query('select from fanout')).rowCount === 0 || undefined;
      });
      const { rows } = await owner.query(
        `select event.record_id, endpoint_id, event_id, delivery.created_at from delivery join event on event.id = event_id
         where type = 'consent.expiring' and state = 'pending' and event.record_id = any($1)`,
        [ids],
      );
      expect(rows).toEqual([]);
    });

    it('that was killed has sent nothing, and the next run sends all notices', async () => {
      const { application, owner } = tables;
      const id = await register(application, { expiresIn: '10 days' });
      const webhook = await putWebhook(application);
      const unlock = await lockOutbox();
      const sweeping = announceSome(database.pool, webhook).catch((error: unknown) => error);
      await until(async () => (await waiting()) === 1 || undefined);
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`);
      expect(await sweeping).toBeInstanceOf(Error);
      await unlock();
      expect(await noticesOf(id)).toEqual([]);
      await until(async () => {
        await sweep();
        return (await noticesOf(id)).length || undefined;
      });
      expect(await noticesOf(id)).toEqual([[webhook, 10]]);
    });

    it('writes nothing while nothing is new', async () => {
      const { application, owner } = tables;
      await register(application, { expiresIn: '10 days' });
      await putWebhook(application);
      await putWebhook(application, { days: 1 }); // no notice is due in its window
      expect(await subscriptionsToScan(database.pool)).toHaveLength(2);
      await sweep();
      const { rows: before } = await owner.query('select xmin, * from webhook');
      expect(await subscriptionsToScan(database.pool)).toEqual([]);
      await sweep();
      expect((await owner.query('select xmin, * from webhook')).rows).toEqual(before);
      await application.query('update webhook set notify_days_before = notify_days_before, event_types = event_types');
      expect(await subscriptionsToScan(database.pool)).toEqual([]);
    });

    it('of a subscription that fails does not prevent the notices of others', async () => {
      const { application, owner } = tables;
      const [first, second] = [
        [await putWebhook(application, { duid: OTHER }), OTHER] as const,
        [await putWebhook(application, { duid: THIRD }), THIRD] as const,
      ].toSorted(([one], [another]) => (one < another ? -1 : 1)) as [Subscriber, Subscriber];
      const failing = await register(application, { expiresIn: '100 days', duid: first[1] });
      const other = await register(application, { expiresIn: '100 days', duid: second[1] });
      await sweep();
      await clock.setOffset(80 * DAY);
      await owner.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'fails'; end $$;
        create trigger fails before insert on fanout for each row when (new.subject = '${failing}') execute function fail()`);
      await expect(sweep()).rejects.toThrow('fails');
      expect(await noticesOf(other)).toEqual([[second[0], 20]]);
      await owner.query('drop trigger fails on fanout; drop function fail');
      await sweep();
      expect(await noticesOf(failing)).toEqual([[first[0], 20]]);
    });

    it('sends several batches, by any number of concurrent replicas, each record once', async () => {
      const { application, owner } = tables;
      await putMany(owner, 1_100, 'uk-consent', `register_now() + interval '10 days'`, FIFTH);
      const webhooks = [await putWebhook(application, { duid: FIFTH }), await putWebhook(application, { duid: FIFTH })];
      await Promise.all([sweep(), sweep(), sweep()]);
      await until(async () => {
        await sweep();
        return (await subscriptionsToScan(database.pool)).length === 0 || undefined;
      });
      await fanOutAll(owner);
      const { rows } = await owner.query(
        `select webhook_id, count(*)::int as events, count(distinct record_id)::int as records from event
       where webhook_id = any($1) group by webhook_id order by webhook_id`,
        [webhooks],
      );
      expect(rows).toEqual(webhooks.toSorted().map((webhook_id) => ({ webhook_id, events: 1_100, records: 1_100 })));
    });

    it('of many subscriptions is planned in bounded transactions, because withdrawals wait for each', async () => {
      const { application, owner } = tables;
      await fanOutAll(owner);
      await putMany(owner, 60, 'uk-consent', `register_now() + n * interval '1 hour'`, SIXTH);
      const webhooks: string[] = [];
      for (let n = 0; n < 100; n++) webhooks.push(await putWebhook(application, { duid: SIXTH }));
      await announceSome(database.pool, webhooks[0] as string);
      const count = async (from: string) => (await owner.query(`select count(*)::int as n from ${from}`)).rows[0].n;
      const notices = `event where duid = '${SIXTH}'`;
      const records = `fanout where event_id is null`;
      await owner.query('select from fan_out(250)');
      expect([await count(notices), await count(records)]).toEqual([2_000, 40]);
      await owner.query('select from fan_out(125)'); // as after a call that has exceeded the statement timeout
      expect([await count(notices), await count(records)]).toEqual([3_000, 30]);
      await fanOutAll(owner);
      const { rows } = await owner.query(
        `select webhook_id, array_agg(record_id order by tx, position) =
          (select array_agg(id order by expiry) from access_record where duid = $1) as "isComplete"
        from event where duid = $1 group by webhook_id order by webhook_id`,
        [SIXTH],
      );
      expect(rows).toEqual(webhooks.toSorted().map((webhook_id) => ({ webhook_id, isComplete: true })));

      await application.query('update webhook set deleted_at = register_now() where id = $1', [webhooks.pop()]);
      await announceSome(database.pool, await putWebhook(application, { duid: SIXTH }));
      await owner.query('select from fan_out(250)'); // the other subscriptions have their notices
      expect([await count(notices), await count(records)]).toEqual([6_020, 40]);
      // A claim of later tests takes at most 100 endpoints.
      await owner.query('delete from delivery_endpoint where id in (select id from webhook where duid = $1)', [SIXTH]);
    });

    it('sends nothing once the clock has jumped', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '60 days' });
      await fanOutAll(owner);
      const correct = await jumpedClock(owner, '45 days');
      await announceSome(database.pool, webhook);
      await fanOutAll(owner).finally(correct);
      expect(await noticesOf(id)).toEqual([]);
    });

    it('scans the whole window again if the subscription changes during a scan', async () => {
      const { application, owner } = tables;
      await putMany(owner, 1_100, 'uk-consent', `register_now() + interval '2 days' + n * interval '1 minute'`, OTHER);
      const webhook = await putWebhook(application, { duid: OTHER });
      const progress = await announceSome(database.pool, webhook);
      expect(progress).toBeDefined();
      await application.query(`update webhook set event_types = array['tenancy.change'] where id = $1`, [webhook]);
      const soon = await register(application, { expiresIn: '1 day', duid: OTHER }); // its registration creates no notice, because the subscription has another type
      await application.query(`update webhook set event_types = array['consent.expiring'] where id = $1`, [webhook]);
      await announceSome(database.pool, webhook, progress);
      expect(await noticesOf(soon)).toEqual([[webhook, 1]]);
    });

    describe(`with ${MANY} records in the window`, () => {
      let statements: { name?: string; text: string; values: unknown[] }[];
      let webhook: string;
      let read: number;
      beforeAll(async () => {
        const { owner, application, address } = tables;
        const within = `register_now() + interval '1 day' + (n % 20000) * interval '1 minute'`;
        await putMany(owner, 2 * MANY, 'uk-consent', within, THIRD); // records of another Data User in the same window
        await putMany(owner, 2 * MANY, 'uk-contract', within, FOURTH); // records not based on consent
        await putMany(
          owner,
          MANY,
          'uk-consent',
          `register_now() + interval '200 days' + n * interval '1 hour'`,
          FOURTH,
        );
        await putMany(owner, MANY, 'uk-consent', within, FOURTH);
        // There are few events yet: the statistics stay outdated, because autovacuum is disabled.
        await owner.query('analyze event, delivery, fanout');
        for (const table of ['access_record', 'event', 'delivery', 'fanout'])
          await owner.query(`alter table ${table} set (autovacuum_enabled = false)`);
        webhook = await putWebhook(application, { duid: FOURTH });
        const before = await rowsRead();
        const own = openDatabase(address);
        const spied = jest.spyOn(Client.prototype, 'query');
        for (let progress = await announceSome(own.pool, webhook); progress;)
          progress = await announceSome(own.pool, webhook, progress);
        statements = spied.mock.calls.map(([statement]) => statement as unknown as (typeof statements)[number]);
        spied.mockRestore();
        await own.close(); // the session reports its statistics when it ends
        read = await until(async () => {
          const now = (await rowsRead()) - before;
          return now >= MANY ? now : undefined;
        });
      }, 300_000);

      it('sends a notice of each, and reads each about once, however many batches it takes', async () => {
        const { owner } = tables;
        expect(read).toBeLessThan(3 * MANY);
        await fanOutAll(owner);
        const { rows } = await owner.query(`select count(*)::int from event where webhook_id = $1`, [webhook]);
        expect(rows).toEqual([{ count: MANY }]);
        expect(await subscriptionsToScan(database.pool)).toEqual([]);
      });

      it.each(['force_custom_plan', 'force_generic_plan'])(
        "reads the Data User's records from an index in order, starting after the last notice (plan_cache_mode = %s)",
        async (mode) => {
          const { owner } = tables;
          await owner.query('analyze event, access_record');
          const batches = statements.filter(({ name }) => name === 'announce_notices_of_expiry');
          const { text, values } = batches[Math.floor(batches.length / 2)] as (typeof statements)[number];
          await owner.query(`set plan_cache_mode = ${mode}`);
          await owner.query(`prepare notify as ${text}`);
          const literals = values.map((value) => (value === null ? 'null' : `'${String(value)}'`)).join(', ');
          const { rows } = await owner.query(`explain execute notify(${literals})`);
          await owner.query('deallocate notify; reset plan_cache_mode');
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          expect(plan).toMatch(
            /Index (Only )?Scan using access_record_expiring on access_record.*\n.*Index Cond: .*duid = .*expiry > .*expiry <= .*ROW\(expiry, id\) > /,
          );
          const reading = plan.slice(plan.indexOf('CTE read'), plan.indexOf('CTE announced'));
          expect(reading).not.toMatch(/Sort|Seq Scan|Hash/);
          expect(plan).not.toMatch(/Seq Scan on (event|delivery|fanout)/);
        },
      );
    });
  });

  describe('A notice of an expiry that changed and changed back', () => {
    it('is not ended by a process that has read the expiry in between', async () => {
      const { application, owner } = tables;
      const { pool } = database;
      const lease = { worker: randomUUID(), id: await putWebhook(application) };
      const id = await register(application, { expiresIn: '10 days' });
      const expiry = await expiryOf(id);
      await replace(application, id, '40 days'); // beyond the window: no other notice supersedes it
      await fanOutAll(owner);
      const endpoints = endpointTable(pool);
      const dropFirst = async (between: () => Promise<void>) => {
        const [delivery] = (await endpoints.readPending(lease))?.deliveries ?? [];
        await between();
        if (delivery) await resultTable(pool, () => Promise.resolve()).drop({ delivery, now: undefined });
      };
      await endpoints.claim(lease.worker, 100, []);
      await dropFirst(async () => {
        await replaceAt(application, id, expiry);
        await fanOutAll(owner);
      });
      expect(await deliveriesOf(owner, lease.id, id)).toEqual(['consent.expiring pending']);
      await dropFirst(() => Promise.resolve());
      expect(await deliveriesOf(owner, lease.id, id)).toEqual(['consent.expiring superseded']);
    });
  });

  /** Returns the expiry of a record, as the text of PostgreSQL. */
  async function expiryOf(id: string): Promise<string> {
    const { rows } = await tables.owner.query('select expiry::text from access_record where id = $1', [id]);
    return rows[0].expiry as string;
  }

  /** Returns how many index entries and table rows statements have read: records, events and the outbox. */
  async function rowsRead(): Promise<number> {
    const { rows } = await tables.owner.query<{ read: number }>(
      `select ((select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'access' and relname = any(names))
       + (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'access' and relname = any(names)))::float8 as read
     from (select array['access_record', 'event', 'fanout'] as names) tables`,
    );
    return rows[0]?.read as number;
  }

  /** Asserts the error of a replacement after the withdrawal of the record. */
  function expectEnded(error: unknown): void {
    expect((error as { code?: string }).code).toBe('23001');
  }

  /** Locks the outbox against inserts until the returned function is called. */
  async function lockOutbox(): Promise<() => Promise<void>> {
    const blocker = await database.pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table fanout in share mode');
    return async () => {
      await blocker.query('rollback');
      blocker.release();
    };
  }

  /** Returns how many sessions of this database wait for a lock. */
  async function waiting(): Promise<number> {
    const { rows } = await tables.owner.query(
      `select count(*)::int from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows[0].count as number;
  }
}
