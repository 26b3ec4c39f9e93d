import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { isSigned } from '../../../support/tariff-event-fixture';
import { until } from '../../../support/until';
import { type WebhookFixture, webhookFixture } from '../../../support/webhook-fixture';

export function subscriptions(): void {
  const FIELDS = 'id wid callbackUrl alertEmail notifyDaysBefore eventTypes createdAt active';
  const REGISTER = `mutation ($input: WebhookInput!, $key: String) {
  registerWebhook(input: $input, idempotencyKey: $key) { webhook { ${FIELDS} } signingSecret replayed } }`;
  const UPDATE = `mutation ($wid: WebhookId!, $input: WebhookUpdateInput!) {
  updateWebhook(wid: $wid, input: $input) { webhook { ${FIELDS} } signingSecret } }`;
  const DELETE = 'mutation ($wid: WebhookId!) { deleteWebhook(wid: $wid) { wid } }';
  const READ = `query ($wid: WebhookId!) { webhook(wid: $wid) { ${FIELDS} } }`;
  const LIST = '{ webhooks { wid } }';
  const TEST =
    'mutation ($wid: WebhookId!, $key: String) { testWebhook(wid: $wid, idempotencyKey: $key) { eventId replayed } }';
  const REDELIVER = `mutation ($wid: WebhookId!, $eventId: EventId!, $key: String) {
  redeliverEvent(wid: $wid, eventId: $eventId, idempotencyKey: $key) { eventId replayed } }`;
  const ENTITY = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Webhook { wid } } }`;
  const MINUTE = 60;

  describe('A webhook subscription', () => {
    let fixture: WebhookFixture;
    let by: Caller;
    let other: Caller;
    let number = 0;
    beforeAll(async () => {
      fixture = await webhookFixture();
      other = await fixture.dataUser('Fernhollow');
    });
    beforeEach(async () => {
      by = await fixture.dataUser();
      number += 1;
    });
    afterEach(() => fixture.moveClock(0));
    afterAll(() => fixture.close());

    const INPUT = { callbackUrl: 'https://larkhill.example/hook?tenant=1', alertEmail: 'alerts@larkhill.example' };
    const register = (change: object = {}, key: string | null = null, caller = by) =>
      fixture.execute(caller, REGISTER, { input: { ...INPUT, ...change }, key });
    const registered = async (change: object = {}) => (await register(change)).data.registerWebhook.webhook;
    const update = (wid: string, input: object, caller = by) => fixture.execute(caller, UPDATE, { wid, input });
    const rotate = async (wid: string) => update(wid, { rotateSecret: true });

    it('has all three types and 30 days by default', async () => {
      const { data } = await register({ alertEmail: ' Alerts@Larkhill.example ' });
      expect(data.registerWebhook).toEqual({
        webhook: {
          id: expect.any(String),
          wid: expect.stringMatching(/^wid_[0-9a-f]{24}$/),
          callbackUrl: INPUT.callbackUrl,
          alertEmail: 'Alerts@Larkhill.example',
          notifyDaysBefore: 30,
          eventTypes: ['CONSENT_EXPIRING', 'TENANCY_CHANGE', 'CONSENT_WITHDRAWAL'],
          createdAt: expect.any(String),
          active: true,
        },
        signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        replayed: false,
      });
    });

    it('has the requested types and days', async () => {
      const chosen = { notifyDaysBefore: 90, eventTypes: ['CONSENT_WITHDRAWAL'] };
      expect(await registered(chosen)).toMatchObject(chosen);
    });

    it.each<[string, object, string[]]>([
      ['an http URL', { callbackUrl: 'http://larkhill.example/' }, ['VAL008 callbackUrl']],
      ['a private address', { callbackUrl: 'https://0x0a.1/' }, ['VAL008 callbackUrl']],
      ['port 0', { callbackUrl: 'https://larkhill.example:0/hook' }, ['VAL008 callbackUrl']],
      ['an invalid alert address', { alertEmail: 'larkhill' }, ['VAL001 alertEmail']],
      ['0 days', { notifyDaysBefore: 0 }, ['VAL003 notifyDaysBefore']],
      ['91 days', { notifyDaysBefore: 91 }, ['VAL003 notifyDaysBefore']],
      ['no event types', { eventTypes: [] }, ['VAL003 eventTypes']],
      ['an event type twice', { eventTypes: ['TENANCY_CHANGE', 'TENANCY_CHANGE'] }, ['VAL003 eventTypes']],
      [
        'with all mistakes at once',
        { callbackUrl: 'x', alertEmail: 'x', notifyDaysBefore: -1, eventTypes: [] },
        ['VAL008 callbackUrl', 'VAL001 alertEmail', 'VAL003 notifyDaysBefore', 'VAL003 eventTypes'],
      ],
    ])('is rejected with %s, at registration and as an update', async (_, change, violations) => {
      const { wid } = await registered();
      expect((await register(change)).violations).toEqual(violations);
      expect((await update(wid, change)).violations).toEqual(violations);
    });

    it('is read, updated, deleted and tested by its own Data User only', async () => {
      const { wid, id } = await registered();
      const reference = { of: [{ __typename: 'Webhook', id }] };
      const unknown = `wid_${'0'.repeat(24)}`;
      for (const [query, more] of [
        [READ, {}],
        [UPDATE, { input: {} }],
        [DELETE, {}],
        [TEST, {}],
      ] as const) {
        expect((await fixture.execute(other, query, { wid, ...more })).codes).toEqual(['PRM002']);
        expect((await fixture.execute(by, query, { wid: unknown, ...more })).codes).toEqual(['NTF001']);
      }
      expect((await fixture.execute(by, LIST)).data.webhooks).toEqual([{ wid }]);
      expect((await fixture.execute(other, LIST)).data.webhooks).toEqual([]);
      expect((await fixture.execute(by, ENTITY, reference)).data._entities).toEqual([{ wid }]);
      expect((await fixture.execute(other, ENTITY, reference)).data._entities).toEqual([null]);
      for (const role of ['admin', 'analyst', 'portal', 'data_provider'] as const)
        expect((await fixture.execute({ ...by, role }, LIST)).codes).toEqual(['PRM001']);
    });

    it('has a callback URL that is unique for its Data User, in every spelling', async () => {
      const { wid } = await registered();
      expect((await register()).codes).toEqual(['CNF002']);
      expect((await register({ callbackUrl: 'HTTPS://LARKHILL.example:443/hook?tenant=1#again' })).codes).toEqual([
        'CNF002',
      ]);
      expect((await register({}, null, other)).codes).toEqual([]);
      const second = await registered({ callbackUrl: 'https://larkhill.example/hook?tenant=2' });
      expect((await update(second.wid, { callbackUrl: INPUT.callbackUrl })).codes).toEqual(['CNF002']);
      expect((await update(wid, { callbackUrl: INPUT.callbackUrl })).codes).toEqual([]);
      await fixture.execute(by, DELETE, { wid });
      expect((await register()).codes).toEqual([]);
    });

    it('is rejected after its Data User deleted 1,000 within a day', async () => {
      const { wid } = await registered();
      await fixture.execute(by, DELETE, { wid });
      await fixture.owner.query(
        `insert into webhook (wid, duid, callback_hash, callback_sealed, alert_email_sealed, event_types, deleted_at)
         select 'wid_' || left(encode(uuid_send(gen_random_uuid()), 'hex'), 24), duid, callback_hash, '', '', event_types, deleted_at
         from webhook cross join generate_series(1, 999) where wid = $1`,
        [wid],
      );
      expect((await register()).codes).toEqual(['CNF002']);
      await fixture.moveClock(86_460);
      expect((await register()).codes).toEqual([]);
    });

    it('is registered once by concurrent callers', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => register()));
      expect(results.map(({ codes }) => codes.join()).toSorted()).toEqual(['', ...Array<string>(7).fill('CNF002')]);
    });

    it('changes the present fields and retains the rest', async () => {
      const before = await registered();
      const { data } = await update(before.wid, { notifyDaysBefore: 7 });
      expect(data.updateWebhook).toEqual({ webhook: { ...before, notifyDaysBefore: 7 }, signingSecret: null });
      const change = {
        callbackUrl: 'https://larkhill.example/other',
        alertEmail: 'other@larkhill.example',
        eventTypes: ['TENANCY_CHANGE'],
      };
      const changed = { ...before, ...change, notifyDaysBefore: 7 };
      expect((await update(before.wid, change)).data.updateWebhook.webhook).toEqual(changed);
      expect((await fixture.execute(by, READ, before)).data.webhook).toEqual(changed);
    });

    it('returns the stored response to a repeated registration, for 15 minutes', async () => {
      const key = `registration-${number}`;
      const first = (await register({}, key)).data.registerWebhook;
      expect((await register({}, key)).data.registerWebhook).toEqual({ ...first, replayed: true });
      expect((await register({ notifyDaysBefore: 5 }, key)).codes).toEqual(['CNF004']);
      await fixture.moveClock(14 * MINUTE);
      expect((await register({}, key)).data.registerWebhook).toEqual({ ...first, replayed: true });
      await fixture.moveClock(15 * MINUTE + 5);
      expect((await register({}, key)).codes).toEqual(['CNF002']);
    });

    it('is registered once per idempotency key, however many calls are concurrent', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => register({}, `at-once-${number}`)));
      const secrets = results.map(({ data }) => data.registerWebhook.signingSecret);
      expect(new Set(secrets).size).toBe(1);
      expect(results.filter(({ data }) => !data.registerWebhook.replayed)).toHaveLength(1);
      expect((await fixture.execute(by, LIST)).data.webhooks).toHaveLength(1);
    });

    it('is tested once per idempotency key and subscription', async () => {
      const [one, two] = [await registered(), await registered({ callbackUrl: 'https://larkhill.example/2' })];
      const test = async (wid: string) => (await fixture.execute(by, TEST, { wid, key: 'try' })).data.testWebhook;
      const results = await Promise.all(Array.from({ length: 6 }, () => test(one.wid)));
      expect(new Set(results.map(({ eventId }) => eventId)).size).toBe(1);
      expect((await test(two.wid)).replayed).toBe(false);
      const made = await fixture.owner.query(
        `select count(*)::int from event where type = 'webhook.test' and webhook_id = any($1)`,
        [[one.id, two.id]],
      );
      expect(made.rows[0].count).toBe(2);
    });

    it('returns the stored response under an idempotency key even if it is deleted', async () => {
      const { wid } = await registered();
      const test = () => fixture.execute(by, TEST, { wid, key: 'test-and-delete' });
      const { eventId } = (await test()).data.testWebhook;
      const redeliver = () => fixture.execute(by, REDELIVER, { wid, eventId, key: 'again-and-delete' });
      expect((await redeliver()).data.redeliverEvent).toEqual({ eventId, replayed: false });
      await fixture.execute(by, DELETE, { wid });
      expect((await test()).data.testWebhook).toEqual({ eventId, replayed: true });
      expect((await redeliver()).data.redeliverEvent).toEqual({ eventId, replayed: true });
      expect((await fixture.execute(by, TEST, { wid, key: 'another' })).codes).toEqual(['NTF001']);
      const own = await fixture.execute(other, TEST, { wid: (await registered()).wid, key: 'test-and-delete' });
      expect(own.codes).toEqual(['PRM002']);
    });

    it('deletes the stored response with its secret when it is deleted', async () => {
      const key = `with-secret-${number}`;
      const kept = async () =>
        (
          await fixture.owner.query(
            `select from idempotency_key where account_id = $1 and operation = 'registerWebhook'`,
            [by.accountId],
          )
        ).rowCount;
      const { webhook, signingSecret } = (await register({}, key)).data.registerWebhook;
      await register({ callbackUrl: 'https://larkhill.example/2' }, `${key}-2`);
      expect(await kept()).toBe(2);
      await fixture.execute(by, DELETE, { wid: webhook.wid });
      expect(await kept()).toBe(1);
      const again = (await register({}, key)).data.registerWebhook;
      expect(again.replayed).toBe(false);
      expect([again.webhook.wid, again.signingSecret]).not.toEqual([webhook.wid, signingSecret]);
      await fixture.moveClock(16 * MINUTE);
      const later = (await register({ callbackUrl: 'https://larkhill.example/3' }, key)).data.registerWebhook;
      await fixture.execute(by, DELETE, { wid: again.webhook.wid });
      expect(await kept()).toBe(2); // the response of the later one is still stored
      await fixture.execute(by, DELETE, { wid: later.webhook.wid });
      expect(await kept()).toBe(1);
    });

    it('rotates its secret at most three times within 15 minutes', async () => {
      const { data } = await register();
      const { webhook, signingSecret } = data.registerWebhook;
      const secrets = [signingSecret];
      for (const minute of [0, 5, 10]) {
        await fixture.moveClock(minute * MINUTE);
        secrets.push((await rotate(webhook.wid)).data.updateWebhook.signingSecret);
      }
      expect(new Set(secrets).size).toBe(4);
      await fixture.moveClock(14 * MINUTE + 50);
      expect((await rotate(webhook.wid)).codes).toEqual(['CNF002']);
      expect((await update(webhook.wid, { notifyDaysBefore: 9, rotateSecret: true })).codes).toEqual(['CNF002']);
      expect((await fixture.execute(by, READ, webhook)).data.webhook.notifyDaysBefore).toBe(30); // a rejected update changes nothing
      await fixture.moveClock(15 * MINUTE + 5);
      expect((await rotate(webhook.wid)).codes).toEqual([]);
      expect((await rotate(webhook.wid)).codes).toEqual(['CNF002']);
    });

    it('rotates no more often for concurrent calls', async () => {
      const { wid } = await registered();
      const results = await Promise.all(Array.from({ length: 8 }, () => rotate(wid)));
      expect(results.filter(({ codes }) => codes.length === 0)).toHaveLength(3);
    });

    it('stores URL, alert address and secret encrypted', async () => {
      const { data } = await register();
      const { rows } = await fixture.owner.query(`
      select query_to_xml('select * from webhook', true, true, '')::text || query_to_xml('select * from webhook_secret', true, true, '')::text
        || query_to_xml('select * from idempotency_key', true, true, '')::text as written`);
      const base64 = (text: string) => Buffer.from(text).toString('base64').slice(0, 30);
      for (const secret of [INPUT.callbackUrl, INPUT.alertEmail, data.registerWebhook.signingSecret]) {
        expect(rows[0].written).not.toContain(secret);
        expect(rows[0].written.replaceAll('\n', '')).not.toContain(base64(secret));
      }
    });

    describe('whose addresses and secret are damaged', () => {
      const AUDIT = `select detail -> 'from' as "from" from audit_entry where action = $1 and subject = $2`;
      const audited = async (action: string, wid: string) =>
        (await fixture.owner.query(AUDIT, [action, wid])).rows.map(({ from }) => from);
      const damagedWebhook = async () => {
        const { id, wid } = await fixture.subscribe(by);
        const damaged = (column: string) => `${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 1)`;
        const addresses = [damaged('callback_sealed'), damaged('alert_email_sealed')].join(', ');
        await fixture.owner.query(`update webhook set ${addresses} where id = $1`, [id]);
        await fixture.owner.query(`update webhook_secret set ${damaged('sealed')} where webhook_id = $1`, [id]);
        return wid;
      };

      it('receives others from its Data User, and then events', async () => {
        const wid = await damagedWebhook();
        const addresses = {
          callbackUrl: new URL('/mended', fixture.receiver.url).href,
          alertEmail: 'new@larkhill.example',
        };
        const { data } = await update(wid, { ...addresses, rotateSecret: true });
        expect(data.updateWebhook.webhook).toMatchObject(addresses);
        expect(await audited('update-webhook', wid)).toEqual([{ callbackUrl: 'unreadable', alertEmail: 'unreadable' }]);
        expect(await audited('rotate-webhook-secret', wid)).toEqual([{ secret: 'unreadable' }]);
        expect((await fixture.execute(by, TEST, { wid })).codes).toEqual([]);
        const [post] = await fixture.posts(1, '/mended');
        expect(post && isSigned(post, data.updateWebhook.signingSecret)).toBe(true);
      });

      it('is deleted', async () => {
        const wid = await damagedWebhook();
        expect((await fixture.execute(by, DELETE, { wid })).data.deleteWebhook).toEqual({ wid });
        expect(await audited('delete-webhook', wid)).toEqual([
          expect.objectContaining({ callbackUrl: 'unreadable', alertEmail: 'unreadable', secret: 'unreadable' }),
        ]);
        expect((await fixture.execute(by, LIST)).data.webhooks).toEqual([]);
      });
    });

    it('causes at most one alert mail per hour, with all deliveries abandoned since the last one', async () => {
      const alertEmail = 'given-up@larkhill.example';
      const { id, wid } = await fixture.subscribe(by, { alertEmail });
      const test = async (): Promise<string> => (await fixture.execute(by, TEST, { wid })).data.testWebhook.eventId;
      const mails = (count: number) =>
        until(async () => {
          const all = await fixture.mails(alertEmail);
          return all.length >= count ? all : undefined;
        });
      const giveUp = async (eventIds: string[]) => {
        await until(async () => {
          const delivered = `select from delivery where event_id = any($1) and state = 'delivered'`;
          return (await fixture.owner.query(delivered, [eventIds])).rowCount === eventIds.length ? true : undefined;
        });
        await fixture.owner.query(`update delivery set state = 'undelivered' where event_id = any($1)`, [eventIds]);
        await fixture.owner.query(`select access_jobs.add_job('alert', json_build_object('id', $1::text))`, [id]);
      };
      const [first, second, third] = [await test(), await test(), await test()];
      await giveUp([first, second]);
      const [mail] = await mails(1);
      expect([first, second, third].map((eventId) => mail?.text.includes(eventId))).toEqual([true, true, false]);
      await giveUp([third]);
      await until(async () => {
        const { rowCount } = await fixture.owner.query(
          `select from access_jobs._private_jobs where key = $1 and run_at > now()`,
          [`alert ${id}`],
        );
        return rowCount === 1 ? true : undefined;
      });
      expect(await fixture.mails(alertEmail)).toHaveLength(1);
      await fixture.moveClock(3_600);
      await fixture.owner.query('update access_jobs._private_jobs set run_at = now() where key = $1', [`alert ${id}`]);
      const [next] = await mails(2);
      expect([first, second, third].map((eventId) => next?.text.includes(eventId))).toEqual([false, false, true]);
    });
  });
}
