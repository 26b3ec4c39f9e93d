import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { ADVISORY_LOCKS } from '../../../../subgraphs/server/database/advisory-locks';
import { RtiWebhookRepository } from '../../../../subgraphs/tariffs/webhooks/rti-webhook.repository';
import { TARIFF_SCHEDULE } from '../../../../subgraphs/tariffs/webhooks/tariff-deliveries.flow';
import { type TariffEventFixture, isSigned, tariffEventFixture, bodiesOf } from '../../../support/tariff-event-fixture';
import { ADMIN, ANALYST, supplierOf } from '../../../support/tariff-graph';

export function rtiWebhooks(): void {
  let fixture: TariffEventFixture;
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    await fixture.suppliers('FELL');
  });
  afterEach(async () => {
    fixture.receiver.respondWith(() => 204);
    await fixture.moveOn(0);
  });
  afterAll(() => fixture?.close());

  const REGISTER = 'mutation ($url: String!) { registerRtiWebhook(webhookUrl: $url) { webhookId } }';
  const REMOVE = 'mutation ($id: String!) { removeRtiWebhook(webhookId: $id) { webhookId } }';
  const WEBHOOKS = `query ($filter: RtiWebhookFilter) { rtiWebhooks(filter: $filter) {
  nodes { webhookId mpid userId webhookUrl createdAt replacedAt pending supplier { mpid } rtiUser { userId } } } }`;

  let places = 0;
  const fresh = () => ({ mpxn: String(1_700_000_000 + ++places), path: `/hook-${places}` });

  /** Creates an RTI User with a consent and a webhook. */
  async function following() {
    const place = fresh();
    const participant = await fixture.participant({ mpxns: [place.mpxn] });
    await fixture.consent(participant.caller);
    return { ...participant, ...place, webhook: await fixture.webhook(participant.caller, place.path) };
  }

  describe('Registering a webhook', () => {
    it('again, with the same or another URL, replaces the first: the same id, a new secret', async () => {
      const { caller, webhook, path, mpxn } = await following();
      expect(webhook).toEqual({
        webhookId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        isNew: true,
      });
      const moved = await fixture.webhook(caller, `${path}-moved`);
      expect(moved).toEqual({ ...webhook, signingSecret: expect.any(String), isNew: false });
      expect(moved.signingSecret).not.toBe(webhook.signingSecret);
      await fixture.assign(mpxn, 1);
      const [post] = await fixture.posts(1, `${path}-moved`);
      expect(post && [webhook, moved].map(({ signingSecret }) => isSigned(post, signingSecret))).toEqual([true, true]);
      await fixture.moveOn(15 * 60 + 1);
      await fixture.assign(mpxn, 2);
      const [, later] = await fixture.posts(2, `${path}-moved`);
      expect(later && [webhook, moved].map(({ signingSecret }) => isSigned(later, signingSecret))).toEqual([
        false,
        true,
      ]);
      expect(fixture.receiver.received.filter((each) => each.path === path)).toEqual([]);
    });

    it('repeatedly keeps the current and three former secrets; concurrent calls create one webhook', async () => {
      const { caller } = await fixture.participant();
      const made = await Promise.all(Array.from({ length: 6 }, () => fixture.webhook(caller, '/over')));
      expect(new Set(made.map(({ webhookId }) => webhookId)).size).toBe(1);
      expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
      const secrets = await fixture.owner.query('select from webhook_secret where webhook_id = $1', [
        made[0]?.webhookId,
      ]);
      expect(secrets.rowCount).toBe(4);
    });

    it.each([
      ['http://receiver.example/hook', 'plain http'],
      ['https://user:secret@receiver.example/hook', 'credentials'],
      ['https://10.0.0.1/hook', 'a private address'],
      ['https://[::ffff:169.254.169.254]/hook', 'a mapped special address'],
      ['https://0x7f.1:0/hook', 'port 0'],
      ['ftp://receiver.example', 'another scheme'],
      ['receiver', 'no URL'],
    ])('at "%s" is rejected, because it has %s', async (url) => {
      const { caller } = await fixture.participant();
      expect(await fixture.errorOf(REGISTER, { url }, caller)).toBe('VAL008 webhookUrl');
    });

    it('needs the scope, an active RTI User and an active supplier', async () => {
      const participant = await fixture.participant();
      const url = 'https://receiver.example/hook';
      const unscoped = fixture.with(participant, { scopes: ['tariff:read', 'consent:write'] });
      expect(await fixture.errorOf(REGISTER, { url }, unscoped)).toBe('PRM001');
      expect(await fixture.errorOf(REGISTER, { url }, ADMIN)).toBe('PRM001');
      await fixture.setStatus(participant, 'SUSPENDED');
      expect(await fixture.errorOf(REGISTER, { url }, participant.caller)).toBe('RTI001');
      await fixture.setStatus({ mpid: 'FELL' }, 'SUSPENDED');
      const there = fixture.with(await fixture.participant(), { mpid: 'FELL' });
      expect(await fixture.errorOf(REGISTER, { url }, there)).toBe('AUT001');
      await fixture.setStatus({ mpid: 'FELL' }, 'ACTIVE');
    });
  });

  describe('Removing a webhook', () => {
    it('ends its deliveries and deletes URL and secrets; other parties receive NTF006', async () => {
      const { caller, webhook, path, mpxn } = await following();
      const id = webhook.webhookId;
      fixture.receiver.respondWith(() => 500);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      fixture.receiver.respondWith(() => 204);
      const stranger = await fixture.participant();
      expect(await fixture.errorOf(REMOVE, { id }, stranger.caller)).toBe('NTF006');
      expect(await fixture.errorOf(REMOVE, { id: randomUUID() }, caller)).toBe('NTF006');
      expect(await fixture.errorOf(REMOVE, { id: '7' }, caller)).toBe('VAL001 webhookId');
      expect(await fixture.execute(REMOVE, { id }, caller)).toEqual({ removeRtiWebhook: { webhookId: id } });
      expect(await fixture.errorOf(REMOVE, { id }, caller)).toBe('NTF006');
      await fixture.moveOn(3_600);
      await fixture.assign(mpxn, 2);
      await fixture.settled();
      expect(fixture.receiver.received.filter((each) => each.path === path)).toHaveLength(1);
      const { rows } = await fixture.owner.query(
        `select octet_length(callback_sealed) as address, (select count(*)::int from webhook_secret where webhook_id = webhook.id) as secrets
       from webhook where id = $1`,
        [id],
      );
      expect(rows).toEqual([{ address: 0, secrets: 0 }]);
      expect((await fixture.webhook(caller, path)).isNew).toBe(true);
    });
  });

  describe('A webhook whose URL and secret are damaged', () => {
    const AUDIT = `select detail -> 'from' ->> 'webhookUrl' as url, detail -> 'from' ->> 'secret' as secret from audit_entry
      where action = $1 and subject = $2 order by id desc limit 1`;
    const audited = async (action: string, id: string) => (await fixture.owner.query(AUDIT, [action, id])).rows;
    const damagedWebhook = async () => {
      const created = await following();
      const { webhookId: id } = created.webhook;
      const damaged = (column: string) => `${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 1)`;
      await fixture.owner.query(`update webhook set ${damaged('callback_sealed')} where id = $1`, [id]);
      await fixture.owner.query(`update webhook_secret set ${damaged('sealed')} where webhook_id = $1`, [id]);
      return { ...created, id };
    };
    const UNREADABLE = [{ url: 'unreadable', secret: 'unreadable' }];

    it('is replaced by registering again, and receives the next event', async () => {
      const { caller, id, path, mpxn } = await damagedWebhook();
      const replaced = await fixture.webhook(caller, path);
      expect(replaced).toMatchObject({ webhookId: id, isNew: false });
      expect(await audited('register-rti-webhook', id)).toEqual(UNREADABLE);
      await fixture.assign(mpxn, 1);
      const [post] = await fixture.posts(1, path);
      expect(post && isSigned(post, replaced.signingSecret)).toBe(true);
    });

    it('is removed', async () => {
      const { caller, id } = await damagedWebhook();
      expect(await fixture.execute(REMOVE, { id }, caller)).toEqual({ removeRtiWebhook: { webhookId: id } });
      expect(await audited('remove-rti-webhook', id)).toEqual(UNREADABLE);
    });
  });

  describe('A webhook of another RTI User', () => {
    const AUDIT = `select actor, detail -> 'from' ->> 'mpid' as mpid, detail -> 'to' as to from audit_entry
      where action = 'remove-rti-webhook' and subject = $1`;

    it.each([
      ['an admin', ADMIN],
      ['the supplier', supplierOf('LAPW')],
    ])('is removed by %s, whom the audit names; it receives no further event', async (_, remover) => {
      const { webhook, path, mpxn } = await following();
      const id = webhook.webhookId;
      expect(await fixture.errorOf(REMOVE, { id }, supplierOf('FELL'))).toBe('NTF006');
      expect(await fixture.errorOf(REMOVE, { id }, ANALYST)).toBe('PRM001');
      expect(await fixture.execute(REMOVE, { id }, remover)).toEqual({ removeRtiWebhook: { webhookId: id } });
      expect(await fixture.errorOf(REMOVE, { id }, remover)).toBe('NTF006');
      await fixture.assign(mpxn, 1);
      await fixture.settled();
      expect(fixture.receiver.received.filter((each) => each.path === path)).toEqual([]);
      const { rows } = await fixture.owner.query(AUDIT, [id]);
      expect(rows).toEqual([{ actor: remover.accountId, mpid: 'LAPW', to: null }]);
    });

    it('is not removed by a supplier that is not active', async () => {
      const there = fixture.with(await fixture.participant(), { mpid: 'FELL' });
      const { webhookId: id } = await fixture.webhook(there, '/at-fell');
      await fixture.setStatus({ mpid: 'FELL' }, 'SUSPENDED');
      expect(await fixture.errorOf(REMOVE, { id }, supplierOf('FELL'))).toBe('PRM001');
      await fixture.setStatus({ mpid: 'FELL' }, 'ACTIVE');
      await fixture.execute(REMOVE, { id }, supplierOf('FELL'));
    });
  });

  describe('A delivery that fails', () => {
    it('is retried for more than 72 hours, first after 5 seconds, with the same event and the time of each attempt in the body', async () => {
      const { delays } = TARIFF_SCHEDULE;
      expect(delays).toEqual([5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 100_800]);
      expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThanOrEqual(72 * 3_600);
      const { mpxn, path, webhook } = await following();
      fixture.receiver.respondWith(() => 503);
      await fixture.assign(mpxn, 1);
      let elapsed = 0;
      for (const [made, delay] of delays.entries()) {
        await fixture.posts(made + 1, path);
        await fixture.settled();
        elapsed += delay + 2;
        await fixture.moveOn(elapsed);
      }
      const posts = await fixture.posts(delays.length + 1, path);
      await fixture.settled();
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(posts.every((post) => isSigned(post, webhook.signingSecret))).toBe(true);
      const bodies = bodiesOf(posts).map((body) => JSON.stringify({ ...body, webhook_timestamp: null }));
      expect(new Set(bodies).size).toBe(1);
      for (const post of posts)
        expect(Math.floor(Date.parse(bodiesOf([post])[0].webhook_timestamp) / 1_000)).toBe(
          Number(post.headers['webhook-timestamp']),
        );
      await fixture.moveOn(elapsed + 7 * 86_400);
      await fixture.settled();
      expect(await fixture.posts(delays.length + 1, path)).toHaveLength(delays.length + 1);
      const { rows } = await fixture.owner.query('select state from delivery where endpoint_id = $1', [
        webhook.webhookId,
      ]);
      expect(rows).toEqual([{ state: 'undelivered' }]);
    });

    it('with a redirect counts as failed: redirects are not followed', async () => {
      const { mpxn, path } = await following();
      const { url } = fixture.receiver;
      fixture.receiver.respondWith(
        () => (_, outgoing) => void outgoing.writeHead(307, { location: `${url}-elsewhere` }).end(),
      );
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, path);
      fixture.receiver.respondWith(() => 204);
      await fixture.moveOn(10);
      await fixture.posts(2, path);
      expect(fixture.receiver.received.filter((post) => post.path === '/hook-elsewhere')).toEqual([]);
    });
  });

  describe('Webhooks', () => {
    it('are listed for the back office and for their supplier; the URL for admins and that supplier only', async () => {
      const { userId, webhook, path, caller } = await following();
      const list = async (by: Caller, filter: object) =>
        (await fixture.execute(WEBHOOKS, { filter }, by)).rtiWebhooks.nodes;
      const [seen] = await list(ADMIN, { userId });
      expect(seen).toEqual({
        webhookId: webhook.webhookId,
        ...{ mpid: 'LAPW', userId, supplier: { mpid: 'LAPW' }, rtiUser: { userId } },
        ...{
          createdAt: expect.any(String),
          replacedAt: null,
          pending: 0,
          webhookUrl: new URL(path, fixture.receiver.url).href,
        },
      });
      expect(await list(supplierOf('LAPW'), { userId, mpid: 'LAPW' })).toEqual([seen]);
      expect(await list(ANALYST, { userId })).toEqual([{ ...seen, webhookUrl: null }]);
      expect(await list(supplierOf('FELL'), { userId })).toEqual([]);
      expect(await fixture.errorOf(WEBHOOKS, { filter: { mpid: 'LAPW' } }, supplierOf('FELL'))).toBe('PRM002');
      expect(await fixture.errorOf(WEBHOOKS, {}, caller)).toBe('PRM001');
    });

    it('count pending deliveries up to 10,001', async () => {
      const { userId, webhook } = await following();
      await fixture.owner.query(
        `insert into delivery (endpoint_id, event_id, subject, sequence, next_attempt_at)
       select $1, 'evt_' || n, 'n' || n, 1, register_now() + interval '1 day' from generate_series(1, 10002) n`,
        [webhook.webhookId],
      );
      const { nodes } = (await fixture.execute(WEBHOOKS, { filter: { userId } }, ADMIN)).rtiWebhooks;
      expect(nodes[0].pending).toBe(10_001);
      await fixture.owner.query('delete from delivery where endpoint_id = $1', [webhook.webhookId]);
    });
  });

  describe('An RTI User that was removed', () => {
    const SAVE = `mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { isNew rtiUser { lastModified contact { email } } } }`;
    const CONTACT = 'query ($id: String!) { rtiUser(userId: $id) { status contact { name email telephone } } }';
    const contact = { name: 'Jo Wren', email: 'jo@curlew.example' };
    const kept = async (userId: string) =>
      (
        await fixture.owner.query(
          `select contact_sealed as contact, octet_length(callback_sealed) as address, deleted_at is null as live,
           (select count(*)::int from webhook_secret where webhook_id = webhook.id) as secrets
         from rti_user join webhook using (user_id) where user_id = $1`,
          [userId],
        )
      ).rows[0];

    it('receives the revocation of a consent that it lost just before', async () => {
      const { userId, path } = await following();
      const { rows } = await fixture.owner.query('select id from tariff_consent where user_id = $1', [userId]);
      const session = await fixture.owner.connect();
      await session.query('begin');
      await session.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.effects]);
      const revoke = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
      await fixture.execute(revoke, { id: rows[0].id }, ADMIN);
      await fixture.setStatus({ userId }, 'REMOVED');
      await new RtiWebhookRepository({ pool: fixture.owner }, {} as never, () => Buffer.alloc(0)).purgeRemoved();
      await session.query('rollback');
      session.release();
      const [post] = bodiesOf(await fixture.posts(1, path));
      expect(post.type).toBe('consent.revoked');
    });

    it('has no contact any more, and no URL and secret after the delivery of its last revocation', async () => {
      const { userId, path } = await following();
      const entry = { userId, name: 'Curlew Insight Ltd', displayName: 'Curlew', support: 'help@curlew.example' };
      const saved = (await fixture.execute(SAVE, { input: { ...entry, contact } }, ADMIN)).saveRtiUser;
      expect(saved.rtiUser.contact).toEqual({ email: contact.email });
      fixture.receiver.respondWith(() => 503);
      const forgetting = new RtiWebhookRepository({ pool: fixture.owner }, {} as never, () => Buffer.alloc(0));
      await fixture.setStatus({ userId }, 'REMOVED');
      await fixture.posts(1, path);
      await forgetting.purgeRemoved();
      expect(await kept(userId)).toMatchObject({ contact: null, live: true, secrets: 1 });
      for (const caller of [ADMIN, supplierOf('LAPW')])
        expect((await fixture.execute(CONTACT, { id: userId }, caller)).rtiUser).toEqual({
          status: 'REMOVED',
          contact: null,
        });
      fixture.receiver.respondWith(() => 204);
      await fixture.moveOn(10);
      await fixture.posts(2, path);
      await fixture.settled();
      await forgetting.purgeRemoved();
      expect(await kept(userId)).toEqual({ contact: null, live: false, address: 0, secrets: 0 });
      expect(bodiesOf(await fixture.posts(2, path)).map(({ type }) => type)).toEqual([
        'consent.revoked',
        'consent.revoked',
      ]);
    });
  });
  describe('A webhook at a supplier that was removed', () => {
    it('has no URL and secret after the delivery of its last event; the others of the RTI User remain', async () => {
      await fixture.suppliers('MOOR');
      const elsewhere = await following();
      const here = fixture.with(elsewhere, { mpid: 'MOOR', mpxns: [elsewhere.mpxn] });
      const path = `${elsewhere.path}-moor`;
      await fixture.consent(here);
      const { webhookId } = await fixture.webhook(here, path);
      const purging = new RtiWebhookRepository({ pool: fixture.owner }, {} as never, () => Buffer.alloc(0));
      const stored = async (id: string) =>
        (
          await fixture.owner.query(
            `select octet_length(callback_sealed) > 0 as address,
             (select count(*)::int from webhook_secret where webhook_id = webhook.id) as secrets from webhook where id = $1`,
            [id],
          )
        ).rows[0];
      fixture.receiver.respondWith(() => 503);
      await fixture.setStatus({ mpid: 'MOOR' }, 'REMOVED');
      await fixture.posts(2, path);
      await purging.purgeRemoved();
      expect(await stored(webhookId)).toEqual({ address: true, secrets: 1 });
      fixture.receiver.respondWith(() => 204);
      await fixture.moveOn(10);
      const events = bodiesOf(await fixture.posts(4, path)).map(({ type }) => type);
      expect(new Set(events)).toEqual(new Set(['supplier.cessation', 'consent.revoked']));
      await fixture.settled();
      await purging.purgeRemoved();
      expect(await stored(webhookId)).toEqual({ address: false, secrets: 0 });
      expect(await stored(elsewhere.webhook.webhookId)).toEqual({ address: true, secrets: 1 });
    });
  });
}
