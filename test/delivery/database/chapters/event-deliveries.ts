import { Client, Pool } from 'pg';
import { type Database, openDatabase, sessionOptions } from '../../../../subgraphs/server/database/database';
import { DeliveryHealthRepository } from '../../../../subgraphs/access/webhooks/delivery-health.repository';
import type { DeliveryState } from '../../../../subgraphs/access/webhooks/webhook';
import { WebhookDeliveryRepository } from '../../../../subgraphs/access/webhooks/webhook-delivery.repository';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { type Planning, rowsRead } from '../../../support/rows-read';
import { until } from '../../../support/until';
import {
  deliveriesOf,
  end,
  eventsOf,
  fanOutAll,
  putWebhook,
  register,
  replace,
  replaceAt,
} from '../../../support/event-rows';

export function eventDeliveries(): void {
  const OTHER = `duid_${'1'.repeat(24)}`;

  let tables: AccessDatabase;
  beforeAll(async () => {
    tables = await accessDatabase();
    await tables.owner.query(
      `insert into account (account_id, role, display_name, duid, contact_url)
     values ($1, 'data_user', 'Fernhollow', $2, 'https://fernhollow.example/contact')`,
      [`acc_${'1'.repeat(24)}`, OTHER],
    );
  });
  beforeEach(() =>
    tables.owner.query(
      'truncate webhook, webhook_secret, webhook_alert, delivery, delivery_lane, delivery_endpoint, fanout',
    ),
  );
  afterAll(() => tables.close());

  async function session(): Promise<Client> {
    const client = new Client(sessionOptions(tables.address));
    await client.connect();
    return client;
  }

  /** Returns how many sessions of this database wait for a lock. */
  async function waiting(): Promise<number> {
    const { rows } = await tables.owner.query<{ waiters: number }>(
      `select pg_stat_clear_snapshot(), count(*)::int as waiters from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.waiters ?? 0;
  }

  /** Ends the notice of a record, and writes the record to the outbox, which makes the notice again. */
  async function makeAgain(id: string): Promise<void> {
    await tables.owner.query(`update delivery set state = 'superseded', ended_at = register_now() where subject = $1`, [
      id,
    ]);
    await tables.owner.query('insert into fanout (subject) values ($1)', [id]);
  }

  describe('The deliveries of a subscription in one state', () => {
    const FEW = 3;
    const MANY = 2_000;
    const PAGE = 10;
    let database: Database;
    let planner: Pool;
    beforeAll(() => {
      database = openDatabase(tables.address);
      const options = '-c search_path=access,register -c enable_seqscan=off'; // the tables of a test are small
      planner = new Pool({ connectionString: tables.address.url, options });
    });
    afterAll(() => Promise.all([database.close(), planner.end()]));

    it.each<['undelivered' | 'superseded', DeliveryState]>([
      ['undelivered', 'delivered'],
      ['undelivered', 'superseded'],
      ['superseded', 'pending'],
      ['superseded', 'delivered'],
    ])('are read without its others: %s among many that are %s', async (rare, usual) => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      await owner.query(
        `with made as (
           insert into event (type, duid, webhook_id) select 'webhook.test', $1, $2 from generate_series(1, $3::int) returning id),
         numbered as (select id, row_number() over () as n from made)
         insert into delivery (endpoint_id, event_id, subject, sequence, state)
         select $2, id, id, 1, case when n <= $4 then $5 else $6 end from numbered`,
        [DUID, webhook, FEW + MANY, FEW, rare, usual],
      );
      await owner.query('vacuum analyze event, delivery');
      const graph = {
        owner: planner,
        execute: () => new WebhookDeliveryRepository(database).page(webhook, { first: PAGE, after: null, state: rare }),
      };
      for (const planning of ['force_custom_plan', 'force_generic_plan'] satisfies Planning[])
        expect((await rowsRead(graph, '', planning)).rows).toEqual({ delivery: FEW, event: FEW });
    });
  });

  describe('A withdrawal', () => {
    it('is delivered urgently to each subscription of its Data User with that type, and to no other', async () => {
      const { application, owner } = tables;
      const wanted = [await putWebhook(application), await putWebhook(application, { types: ['consent.withdrawal'] })];
      await putWebhook(application, { types: ['consent.expiring', 'tenancy.change'] });
      await putWebhook(application, { duid: OTHER });
      const deleted = await putWebhook(application);
      await application.query('update webhook set deleted_at = register_now() where id = $1', [deleted]);
      const id = await register(application);
      await end(application, id, 'withdrawn');
      await fanOutAll(owner);
      const { rows } = await owner.query(
        'select endpoint_id, subject, sequence, urgent, state from delivery order by endpoint_id',
      );
      expect(rows).toEqual(
        wanted
          .toSorted()
          .map((webhook) => ({ endpoint_id: webhook, subject: id, sequence: 1, urgent: true, state: 'pending' })),
      );
      const { rows: endpoints } = await owner.query(
        'select id, urgent, due_at is not null as due from delivery_endpoint order by id',
      );
      expect(endpoints).toEqual(wanted.toSorted().map((webhook) => ({ id: webhook, urgent: true, due: true })));
    });

    it('does not count as the oldest pending one while its Data User is suspended', async () => {
      const { application, owner } = tables;
      const pool = new Pool(sessionOptions(tables.address));
      const oldest = async () => (await new DeliveryHealthRepository({ pool }).now()).oldestPendingSeconds;
      const setStatus = (duid: string, status: 'active' | 'suspended') =>
        owner.query(
          `update account set status = $2, suspended_at = case $2 when 'suspended' then now() end where duid = $1`,
          [duid, status],
        );
      await putWebhook(application);
      await putWebhook(application, { duid: OTHER });
      for (const duid of [DUID, OTHER]) await end(application, await register(application, { duid }), 'withdrawn');
      await fanOutAll(owner);
      await owner.query(
        `update delivery set created_at = delivery.created_at - case duid when $1 then interval '9 days' else interval '5 minutes' end
         from webhook where webhook.id = endpoint_id`,
        [OTHER],
      );
      expect(await oldest()).toBeGreaterThan(8 * 24 * 3600);
      await setStatus(OTHER, 'suspended');
      const ofActive = await oldest();
      await setStatus(DUID, 'suspended');
      expect([ofActive !== null && ofActive < 600, await oldest()]).toEqual([true, null]);
      for (const duid of [DUID, OTHER]) await setStatus(duid, 'active');
      await pool.end();
    });

    it('supersedes a waiting notice of expiry, and no other delivery', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const withoutWithdrawals = await putWebhook(application, { types: ['consent.expiring'] });
      const [id, other] = [
        await register(application, { expiresIn: '5 days' }),
        await register(application, { expiresIn: '5 days' }),
      ];
      const sent = await register(application, { expiresIn: '5 days' });
      await fanOutAll(owner);
      await owner.query(`update delivery set state = 'delivered' where subject = $1`, [sent]);
      for (const record of [id, sent]) await end(application, record, 'withdrawn');
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.withdrawal pending',
      ]);
      expect(await deliveriesOf(owner, withoutWithdrawals, id)).toEqual(['consent.expiring superseded']);
      expect(await deliveriesOf(owner, webhook, other)).toEqual(['consent.expiring pending']);
      expect(await deliveriesOf(owner, webhook, sent)).toEqual([
        'consent.expiring delivered',
        'consent.withdrawal pending',
      ]);
    });
  });

  describe('A superseded delivery', () => {
    it('is never that of a withdrawal', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '60 days' });
      await end(application, id, 'withdrawn');
      await application.query(
        `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
       values ('consent.expiring', $1, $2, $3, register_now(), 1)`,
        [DUID, id, webhook],
      );
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.withdrawal pending',
        'consent.expiring pending',
      ]);
    });
  });

  describe('Other state changes', () => {
    it('cause events without deliveries', async () => {
      const { application, owner } = tables;
      await putWebhook(application);
      const id = await register(application);
      await end(application, id, 'revoked');
      await fanOutAll(owner);
      expect((await owner.query('select from delivery')).rows).toEqual([]);
    });
  });

  describe('A test event of a subscription', () => {
    it('is delivered to this subscription only, whatever its types, in a lane of its own', async () => {
      const { application, owner } = tables;
      await putWebhook(application);
      const webhook = await putWebhook(application, { types: ['tenancy.change'] });
      const { rows } = await application.query<{ id: string }>(
        `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id`,
        [DUID, webhook],
      );
      await fanOutAll(owner);
      const { rows: planned } = await owner.query('select endpoint_id, event_id, subject, urgent from delivery');
      const id = rows[0]?.id;
      expect(planned).toEqual([{ endpoint_id: webhook, event_id: id, subject: id, urgent: false }]);
    });
  });

  describe('A notice of a record that another transaction is changing', () => {
    it('is planned after the other rows of the outbox, and delays none of them', async () => {
      const { application, owner } = tables;
      await putWebhook(application, { days: 30 });
      const [changed, other] = [
        await register(application, { expiresIn: '4 days' }),
        await register(application, { expiresIn: '4 days' }),
      ];
      const noticesOf = async (id: string) =>
        (await owner.query(`select from event where record_id = $1 and type = 'consent.expiring'`, [id])).rowCount;
      const fanOutOne = async () => (await owner.query('select events from fan_out(1)')).rows[0]?.events;
      const change = await session();
      await change.query('begin');
      await change.query('select from access_record where id = $1 for update', [changed]);
      expect([await fanOutOne(), await fanOutOne()]).toEqual([0, 1]);
      expect([await noticesOf(changed), await noticesOf(other)]).toEqual([0, 1]);
      await change.query('rollback');
      await change.end();
      await fanOutAll(owner);
      expect(await noticesOf(changed)).toBe(1);
    });
  });

  describe('A redelivery', () => {
    it('of an event whose first delivery is not planned yet is accepted for its receivers, and sent once', async () => {
      const { application, owner } = tables;
      const [webhook, other] = [await putWebhook(application), await putWebhook(application, { duid: OTHER })];
      const id = await register(application);
      await end(application, id, 'withdrawn');
      const { rows } = await owner.query<{ event_id: string }>('select event_id from fanout where urgent');
      const redeliver = async (endpoint: string) =>
        (await application.query('select redeliver($1, $2) as accepted', [endpoint, rows[0]?.event_id])).rows[0];
      expect(await redeliver(webhook)).toEqual({ accepted: true });
      expect(await redeliver(other)).toEqual({ accepted: false });
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.withdrawal pending']);
      expect(await redeliver(webhook)).toEqual({ accepted: true });
      expect(await redeliver(other)).toEqual({ accepted: false });
    });

    it.each([
      [
        'of a notice whose record is withdrawn meanwhile',
        'the fan-out',
        (id: string) => end(tables.application, id, 'withdrawn'),
      ],
      [
        'of a notice whose record is withdrawn meanwhile',
        'the redelivery',
        (id: string) => end(tables.application, id, 'withdrawn'),
      ],
      ['of a notice that is made again', 'the fan-out', makeAgain],
      ['of a notice that is made again', 'the redelivery', makeAgain],
    ])('%s waits for the fan-out, or the fan-out for it, without a deadlock: first %s', async (_, first, change) => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '8 days' });
      await fanOutAll(owner);
      const { rows } = await owner.query<{ event: string }>('select event_id as event from delivery');
      await change(id);
      const [holder, planner, redeliverer] = [await session(), await session(), await session()];
      await holder.query('begin');
      await holder.query('select from delivery_endpoint where id = $1 for update', [webhook]);
      const statements = [
        () => planner.query('select from fan_out(250)'),
        () => redeliverer.query('select redeliver($1, $2)', [webhook, rows[0]?.event]),
      ];
      const results: Promise<unknown>[] = [];
      for (const start of first === 'the fan-out' ? statements : statements.toReversed()) {
        results.push(start());
        await until(async () => ((await waiting()) === results.length ? true : undefined));
      }
      await holder.query('rollback');
      await Promise.all(results);
      await Promise.all([holder, planner, redeliverer].map((client) => client.end()));
      expect((await deliveriesOf(owner, webhook, id))[0]).toMatch(/^consent\.expiring (pending|superseded)$/);
    });

    it('of a delivered notice that a newer one supersedes leaves it delivered, since its last success', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '8 days' });
      await fanOutAll(owner);
      await owner.query(
        `update delivery set state = 'delivered', ended_at = register_now(),
           attempts = '[{"at": "2026-01-05T10:00:00Z", "durationMs": 1000, "status": 204, "error": null}]' where endpoint_id = $1`,
        [webhook],
      );
      await owner.query('select redeliver(endpoint_id, event_id) from delivery where endpoint_id = $1', [webhook]);
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.expiring pending']);
      await replace(application, id, '10 days');
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring delivered',
        'consent.expiring pending',
      ]);
      const { rows } = await owner.query(
        `select ended_at from delivery where endpoint_id = $1 and state = 'delivered'`,
        [webhook],
      );
      expect(rows).toEqual([{ ended_at: new Date('2026-01-05T10:00:01Z') }]);
    });
  });

  describe('A notice of expiry', () => {
    it('is created after the registration, for each subscription whose window contains the expiry, with the remaining days', async () => {
      const { application, owner } = tables;
      const [wide, narrow] = [await putWebhook(application, { days: 30 }), await putWebhook(application, { days: 3 })];
      await putWebhook(application, { types: ['consent.withdrawal'] });
      await putWebhook(application, { duid: OTHER, days: 90 });
      const id = await register(application, { expiresIn: '4 days 1 hour' });
      const [, ...notices] = await eventsOf(owner, id);
      const { rows } = await owner.query('select expiry from access_record where id = $1', [id]);
      expect(notices).toEqual([
        expect.objectContaining({
          type: 'consent.expiring',
          webhook_id: wide,
          days_remaining: 5,
          expiry: rows[0].expiry,
          duid: DUID,
        }),
      ]);
      const soon = await register(application, { expiresIn: '1 hour' });
      const both = (await eventsOf(owner, soon)).slice(1);
      expect(both.map((notice) => notice['webhook_id'])).toEqual([wide, narrow].toSorted());
      expect(both.map((notice) => notice['days_remaining'])).toEqual([1, 1]);
    });

    it.each([
      ['that is not based on consent', { legalBasis: 'uk-contract', expiresIn: '1 day' }],
      ['without an expiry', { expiresIn: null }],
      ['whose expiry has passed', { expiresIn: '-1 hour' }],
      ['beyond every window', { expiresIn: '31 days' }],
    ] as const)('is not created for a record %s', async (_, record) => {
      await putWebhook(tables.application, { days: 30 });
      const id = await register(tables.application, record);
      expect(await eventsOf(tables.owner, id)).toHaveLength(1);
    });

    it('is created for explicit consent, too, at both ends of the longest window', async () => {
      const webhook = await putWebhook(tables.application, { days: 90 });
      for (const expiresIn of ['90 days', '1 second']) {
        const id = await register(tables.application, { legalBasis: 'uk-explicit-consent', expiresIn });
        expect((await eventsOf(tables.owner, id))[1]).toMatchObject({ type: 'consent.expiring', webhook_id: webhook });
      }
    });

    it('is created once per record and expiry; a newer one supersedes it while it waits', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '60 days' });
      await replace(application, id, '10 days');
      await fanOutAll(owner);
      await application.query(
        `with record as (update access_record set version = version + 1, expiry = expiry where id = $1 returning *)
       insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
       select id, version, 'acc', legal_basis, registered_at, expiry, document from record`,
        [id],
      );
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.expiring pending']);
      await replace(application, id, '9 days');
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.expiring pending',
      ]);
    });

    it('that was superseded is due again if the expiry changes back, as the last of its record', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '8 days' });
      await fanOutAll(owner);
      await owner.query('update delivery set attempt = 2');
      const { rows } = await owner.query('select expiry::text from access_record where id = $1', [id]);
      await replace(application, id, '10 days');
      expect(await deliveriesOf(owner, webhook, id)).toEqual([
        'consent.expiring superseded',
        'consent.expiring pending',
      ]);
      await replaceAt(application, id, rows[0].expiry);
      await fanOutAll(owner);
      const { rows: planned } = await owner.query(
        `select days_remaining as days, sequence, state, attempt, ended_at from delivery join event on event.id = event_id
         where subject = $1 order by sequence`,
        [id],
      );
      expect(planned).toEqual([
        expect.objectContaining({ days: 10, sequence: 2 }),
        { days: 8, sequence: 3, state: 'pending', attempt: 0, ended_at: null },
      ]);
    });

    it('is due again also if the expiry changes back before the newer notice is planned', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '8 days' });
      await fanOutAll(owner);
      const { rows } = await owner.query('select expiry::text from access_record where id = $1', [id]);
      await replace(application, id, '10 days');
      await owner.query('select from fan_out(250)'); // writes the event of the newer notice
      await replaceAt(application, id, rows[0].expiry);
      await fanOutAll(owner);
      const { rows: planned } = await owner.query(
        `select days_remaining as days, delivery.state from delivery join event on event.id = event_id
         where endpoint_id = $1 and subject = $2 order by sequence`,
        [webhook, id],
      );
      expect(planned.at(-1)).toEqual({ days: 8, state: 'pending' });
    });

    it('that was delivered is not due again if the expiry changes back', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '8 days' });
      await fanOutAll(owner);
      await owner.query(`update delivery set state = 'delivered', ended_at = register_now()`);
      const { rows } = await owner.query('select expiry::text from access_record where id = $1', [id]);
      await replace(application, id, '40 days');
      await replaceAt(application, id, rows[0].expiry);
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.expiring delivered']);
    });

    it('is created for a registration concurrent with a new subscription, whichever commits first', async () => {
      const [registering, subscribing] = [await session(), await session()];
      await registering.query('begin');
      const id = await register(registering, { expiresIn: '1 day' });
      const webhook = await putWebhook(subscribing); // no transaction waits
      await registering.query('commit');
      expect((await eventsOf(tables.owner, id)).slice(1)).toMatchObject([{ webhook_id: webhook }]);

      await subscribing.query('begin');
      const second = await putWebhook(subscribing);
      const noticed = (await eventsOf(tables.owner, await register(registering, { expiresIn: '1 day' }))).slice(1);
      await subscribing.query('commit');
      expect(noticed).toMatchObject([{ webhook_id: webhook }]);
      const { rows } = await tables.owner.query('select expiring_through from webhook where id = $1', [second]);
      expect(rows).toEqual([{ expiring_through: null }]); // the next scan of its whole window includes the record
      await Promise.all([registering.end(), subscribing.end()]);
    });

    it('is created for a replacement concurrent with a wider window', async () => {
      const [replacing, widening] = [await session(), await session()];
      const webhook = await putWebhook(widening, { days: 1 });
      const id = await register(replacing, { expiresIn: '60 days' });
      await replacing.query('begin');
      await replace(replacing, id, '10 days');
      await widening.query('update webhook set notify_days_before = 30 where id = $1', [webhook]);
      await replacing.query('commit');
      expect((await eventsOf(tables.owner, id)).slice(1)).toMatchObject([{ webhook_id: webhook }]);
      await Promise.all([replacing.end(), widening.end()]);
    });

    it('waits for a transaction that changes the record, and is not created if that withdraws the consent', async () => {
      const { application, owner } = tables;
      const withdrawing = await session();
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '1 day' });
      await withdrawing.query('begin');
      await end(withdrawing, id, 'withdrawn');
      expect((await owner.query('select events from fan_out(10)')).rows).toEqual([{ events: 0 }]);
      await withdrawing.query('commit');
      expect(await deliveriesOf(owner, webhook, id)).toEqual(['consent.withdrawal pending']);
      await withdrawing.end();
    });
  });

  describe('Events of one fan-out', () => {
    it('supersede each other as in separate fan-outs', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const [id, other] = [
        await register(application, { expiresIn: '60 days' }),
        await register(application, { expiresIn: '60 days' }),
      ];
      const notices = `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
        select 'consent.expiring', $1, record, $2, register_now() + n * interval '1 day', n from unnest($3::uuid[]) record, generate_series(1, 2) n`;
      await owner.query('delete from fanout');
      await application.query(notices, [DUID, webhook, [id, other]]);
      await end(application, id, 'withdrawn');
      expect((await owner.query('select * from fan_out(250)')).rows).toEqual([{ events: 3, deliveries: 3 }]);
      const superseded = 'consent.expiring superseded';
      expect(await deliveriesOf(owner, webhook, id)).toEqual([superseded, superseded, 'consent.withdrawal pending']);
      expect(await deliveriesOf(owner, webhook, other)).toEqual([superseded, 'consent.expiring pending']);
    });

    it('are planned urgent ones first, each with the earlier events of its record', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) ids.push(await register(application, { expiresIn: '60 days' }));
      const [id = ''] = ids.slice(-1);
      const notices = `insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
        select 'consent.expiring', $1, record, $2, register_now() + interval '1 day', 1 from unnest($3::uuid[]) record`;
      await application.query(notices, [DUID, webhook, ids]);
      await end(application, id, 'withdrawn');
      await owner.query('select from fan_out(1)');
      const { rows } = await owner.query('select subject, sequence, urgent from delivery order by sequence');
      expect(rows).toEqual([
        { subject: id, sequence: 1, urgent: false },
        { subject: id, sequence: 2, urgent: true },
      ]);
    });
  });

  describe('A change of a record', () => {
    it('writes one row for its event, whatever the number of subscriptions', async () => {
      const { application, owner } = tables;
      for (let n = 0; n < 100; n++) await putWebhook(application);
      await expect(putWebhook(application)).rejects.toMatchObject({ constraint: 'webhook_limit' });
      const id = await register(application, { expiresIn: '60 days' });
      await fanOutAll(owner);
      await end(application, id, 'withdrawn');
      expect((await owner.query('select subject from fanout')).rows).toEqual([{ subject: id }]);
      expect((await owner.query('select from delivery')).rowCount).toBe(0);
      await fanOutAll(owner);
      expect((await owner.query('select from delivery')).rowCount).toBe(100);
    });
  });

  describe('A scan of the whole window of a subscription', () => {
    it.each([
      ['its window', 'notify_days_before = 60'],
      ['its types', `event_types = array['consent.expiring']`],
    ])('follows a change of %s', async (_, change) => {
      const { application } = tables;
      const webhook = await putWebhook(application);
      await application.query('update webhook set expiring_through = register_now()');
      await application.query(`update webhook set ${change} where id = $1`, [webhook]);
      const { rows } = await application.query('select expiring_through from webhook');
      expect(rows).toEqual([{ expiring_through: null }]);
    });
  });

  describe('Concurrent withdrawals and notices', () => {
    it('wait for each other without a deadlock; the sequence of each lane is that of its events', async () => {
      const { application, owner } = tables;
      const webhooks = [await putWebhook(application), await putWebhook(application), await putWebhook(application)];
      const ids: string[] = [];
      for (let n = 0; n < 60; n++) ids.push(await register(application, { expiresIn: '60 days' }));
      const clients = await Promise.all(Array.from({ length: 6 }, session));
      const changes = ids.flatMap((id) => [
        (client: Client) => replace(client, id, '20 days'),
        (client: Client) => replace(client, id, '10 days'),
        (client: Client) => end(client, id, 'withdrawn'),
      ]);
      const work = changes.toSorted(() => Math.random() - 0.5);
      await Promise.all(
        clients.map(async (client) => {
          for (let change = work.pop(); change; change = work.pop()) await change(client).catch(expectEnded);
        }),
      );
      await Promise.all(clients.map((client) => client.end()));
      await fanOutAll(owner);
      for (const webhook of webhooks) {
        const { rows } = await owner.query(
          `select subject, array_agg(sequence order by era, tx, position) as sequences, array_agg(event.type order by sequence) as types
         from delivery join event on event.id = event_id where endpoint_id = $1 group by subject`,
          [webhook],
        );
        expect(rows).toHaveLength(60);
        expect(rows.every(({ types }) => types.at(-1) === 'consent.withdrawal')).toBe(true);
        expect(rows.every(({ sequences }) => sequences.every((each: number, n: number) => each === n + 1))).toBe(true);
      }
      const { rows: open } = await owner.query(
        `select count(*)::int from delivery join event on event.id = event_id where type = 'consent.expiring' and state = 'pending'`,
      );
      expect(open).toEqual([{ count: 0 }]);
    });
  });

  /** Asserts the error of a replacement after the withdrawal of the record. */
  function expectEnded(error: unknown): void {
    expect((error as { code?: string }).code).toBe('23001');
  }
}
