import { Client } from 'pg';
import { sessionOptions } from '../../../../subgraphs/server/database';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { deliveriesOf, end, eventsOf, putWebhook, register, replace } from '../../../support/event-rows';

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
      'truncate webhook, webhook_secret, webhook_alert, delivery, delivery_lane, delivery_attempt, access_jobs._private_jobs',
    ),
  );
  afterAll(() => tables.close());

  async function session(): Promise<Client> {
    const client = new Client(sessionOptions(tables.address));
    await client.connect();
    return client;
  }

  describe('A withdrawal', () => {
    it('is delivered, urgently, to each subscription of its Data User that wants it, and to no other', async () => {
      const { application, owner } = tables;
      const wanted = [await putWebhook(application), await putWebhook(application, { types: ['consent.withdrawal'] })];
      await putWebhook(application, { types: ['consent.expiring', 'tenancy.change'] });
      await putWebhook(application, { duid: OTHER });
      const deleted = await putWebhook(application);
      await application.query('update webhook set deleted_at = register_now() where id = $1', [deleted]);
      const id = await register(application);
      await end(application, id, 'withdrawn');
      const { rows } = await owner.query(
        'select endpoint_id, subject, sequence, urgent, state from delivery order by endpoint_id',
      );
      expect(rows).toEqual(
        wanted
          .toSorted()
          .map((webhook) => ({ endpoint_id: webhook, subject: id, sequence: 1, urgent: true, state: 'pending' })),
      );
      const { rows: jobs } = await owner.query('select task_identifier from access_jobs.jobs');
      expect(jobs).toHaveLength(2);
    });

    it('supersedes a notice of expiry that waits, and no other delivery', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const withoutWithdrawals = await putWebhook(application, { types: ['consent.expiring'] });
      const [id, other] = [
        await register(application, { expiresIn: '5 days' }),
        await register(application, { expiresIn: '5 days' }),
      ];
      const sent = await register(application, { expiresIn: '5 days' });
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

  describe('What is superseded', () => {
    it('is never a withdrawal', async () => {
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
    it('are events without deliveries', async () => {
      const { application, owner } = tables;
      await putWebhook(application);
      const id = await register(application);
      await end(application, id, 'revoked');
      expect((await owner.query('select from delivery')).rows).toEqual([]);
    });
  });

  describe('A test of a subscription', () => {
    it('is delivered to this one only, whatever it wants, in a lane of its own', async () => {
      const { application, owner } = tables;
      await putWebhook(application);
      const webhook = await putWebhook(application, { types: ['tenancy.change'] });
      const { rows } = await application.query<{ id: string }>(
        `insert into event (type, duid, webhook_id) values ('webhook.test', $1, $2) returning id`,
        [DUID, webhook],
      );
      const { rows: planned } = await owner.query('select endpoint_id, event_id, subject, urgent from delivery');
      const id = rows[0]?.id;
      expect(planned).toEqual([{ endpoint_id: webhook, event_id: id, subject: id, urgent: false }]);
    });
  });

  describe('A notice of expiry', () => {
    it('is made with the registration, for each subscription whose window it is inside, with the days that remain', async () => {
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
      ['that is not on consent', { legalBasis: 'uk-contract', expiresIn: '1 day' }],
      ['without an expiry', { expiresIn: null }],
      ['whose expiry has passed', { expiresIn: '-1 hour' }],
      ['outside of every window', { expiresIn: '31 days' }],
    ] as const)('is not made of a record %s', async (_, record) => {
      await putWebhook(tables.application, { days: 30 });
      const id = await register(tables.application, record);
      expect(await eventsOf(tables.owner, id)).toHaveLength(1);
    });

    it('is made of explicit consent, too, at the very ends of the longest window', async () => {
      const webhook = await putWebhook(tables.application, { days: 90 });
      for (const expiresIn of ['90 days', '1 second']) {
        const id = await register(tables.application, { legalBasis: 'uk-explicit-consent', expiresIn });
        expect((await eventsOf(tables.owner, id))[1]).toMatchObject({ type: 'consent.expiring', webhook_id: webhook });
      }
    });

    it('is made once for a record and an expiry; a newer one supersedes it while it waits', async () => {
      const { application, owner } = tables;
      const webhook = await putWebhook(application);
      const id = await register(application, { expiresIn: '60 days' });
      await replace(application, id, '10 days');
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

    it('is not missed by a registration that overlaps with a new subscription, whichever comes first', async () => {
      const [registering, subscribing] = [await session(), await session()];
      await registering.query('begin');
      const id = await register(registering, { expiresIn: '1 day' });
      const subscribed = putWebhook(subscribing);
      await expect(isWaiting(subscribing)).resolves.toBe(true);
      await registering.query('commit');
      const webhook = await subscribed;
      const { rows } = await tables.owner.query('select expiring_through from webhook where id = $1', [webhook]);
      expect(rows).toEqual([{ expiring_through: null }]); // the next look sees the record

      await subscribing.query('begin');
      const second = await putWebhook(subscribing);
      const registered = register(registering, { expiresIn: '1 day' });
      await expect(isWaiting(registering)).resolves.toBe(true);
      await subscribing.query('commit');
      const told = (await eventsOf(tables.owner, await registered)).slice(1).map((notice) => notice['webhook_id']);
      expect(told).toEqual([webhook, second].toSorted());
      expect(await eventsOf(tables.owner, id)).toHaveLength(1);
      await Promise.all([registering.end(), subscribing.end()]);
    });

    it('is not missed by a replacement that overlaps with a wider window', async () => {
      const [replacing, widening] = [await session(), await session()];
      const webhook = await putWebhook(widening, { days: 1 });
      const id = await register(replacing, { expiresIn: '60 days' });
      await widening.query('begin');
      await widening.query('update webhook set notify_days_before = 30 where id = $1', [webhook]);
      const replaced = replace(replacing, id, '10 days');
      await expect(isWaiting(replacing)).resolves.toBe(true);
      await widening.query('commit');
      await replaced;
      expect((await eventsOf(tables.owner, id)).slice(1)).toMatchObject([{ webhook_id: webhook }]);
      await Promise.all([replacing.end(), widening.end()]);
    });
  });

  describe('A look at the whole window of a subscription', () => {
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

  describe('Withdrawals and notices at once', () => {
    it('wait for each other and never in a circle; the sequence of each lane is that of its events', async () => {
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
          for (let change = work.pop(); change; change = work.pop()) await change(client).catch(refusedAfterTheEnd);
        }),
      );
      await Promise.all(clients.map((client) => client.end()));
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

  /** A record that was withdrawn before is not replaced any more. */
  function refusedAfterTheEnd(error: unknown): void {
    expect((error as { code?: string }).code).toBe('23001');
  }

  /** Whether a session waits for a lock before it is done. */
  async function isWaiting(client: Client): Promise<boolean> {
    const { processID } = client as unknown as { processID: number };
    for (let asked = 0; asked < 400; asked++) {
      const { rows } = await tables.owner.query('select from pg_locks where pid = $1 and not granted', [processID]);
      if (rows.length > 0) return true;
    }
    return false;
  }
}
