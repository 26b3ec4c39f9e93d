import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import type { Caller } from '../../../subgraphs/server/callers/caller';
import type { ReceivedPost } from '../../support/webhook-receiver';
import {
  type RegisteredConsent,
  type Subscription,
  type WebhookFixture,
  webhookFixture,
} from '../../support/webhook-fixture';
import { end, replace } from '../../support/event-rows';
import { until } from '../../support/until';

const MINUTE = 60;
/** Selects a subscription's endpoint if its deliveries are deferred. */
const DEFERRED = 'select from delivery_endpoint where id = $1 and leased_by is null and put_off_at is not null';
const HOUR = 3_600;
const DELIVERIES = `query ($wid: WebhookId!, $state: DeliveryState, $first: Int, $after: String) { webhook(wid: $wid) {
  deliveries(state: $state, first: $first, after: $after) { nextCursor nodes {
    eventId eventType status sequence nextAttemptAt attempts { at status durationMs error } event { id type }
} } } }`;
const UPDATE = `mutation ($wid: WebhookId!, $input: WebhookUpdateInput!) { updateWebhook(wid: $wid, input: $input) { signingSecret } }`;
const REDELIVER = `mutation ($wid: WebhookId!, $eventId: EventId!, $key: String) {
  redeliverEvent(wid: $wid, eventId: $eventId, idempotencyKey: $key) { eventId replayed } }`;
const ADMIN: Caller = { accountId: `acc_${'d'.repeat(24)}`, role: 'admin', duid: null, mpid: null };

describe('The deliveries of a subscription', () => {
  let fixture: WebhookFixture;
  let by: Caller;
  let clock = 0;
  let path = '';
  let number = 0;
  beforeAll(async () => {
    fixture = await webhookFixture();
  });
  beforeEach(async () => {
    by = await fixture.dataUser();
    path = `/receiver-${(number += 1)}`;
    fixture.receiver.respondWith(() => 204);
  });
  afterAll(() => fixture.close());

  const callbackUrl = (suffix = '') => `http://127.0.0.1:${fixture.receiver.port}${path}${suffix}`;
  const subscribe = (change = {}) => fixture.subscribe(by, { callbackUrl: callbackUrl(), ...change });
  const advance = async (seconds: number) => fixture.moveClock((clock += seconds));
  const deliveries = async ({ wid }: Subscription, args = {}) =>
    (await fixture.execute(by, DELIVERIES, { wid, ...args })).data.webhook.deliveries;
  const attempted = async (subscription: Subscription, times: number) =>
    until(async () => {
      const [delivery] = (await deliveries(subscription)).nodes;
      return delivery?.attempts.length >= times ? delivery : undefined;
    });
  const ended = async (subscription: Subscription) =>
    until(async () => {
      const [delivery] = (await deliveries(subscription)).nodes;
      return delivery.status === 'PENDING' ? undefined : delivery;
    });
  /** Returns the state of an ended delivery, also of a deleted subscription. */
  const endedState = ({ id }: Subscription) => {
    const text = `select state from delivery where endpoint_id = $1 and state <> 'pending'`;
    return until(async () => (await fixture.owner.query(text, [id])).rows[0]?.state as string | undefined);
  };
  const mailTo = (address: string) => until(async () => (await fixture.mails(address))[0]);
  const deleted = ({ wid }: Pick<Subscription, 'wid'>) =>
    fixture.execute(by, 'mutation ($wid: WebhookId!) { deleteWebhook(wid: $wid) { wid } }', { wid });
  const withdrawn = async (): Promise<RegisteredConsent> => {
    const record = await fixture.consent(by);
    await fixture.withdraw(record);
    return record;
  };
  /**
   * Starts a delivery of another Data User that fails once; the returned promise resolves at its next attempt, when all
   * other due deliveries were attempted, too.
   */
  const companion = async (): Promise<() => Promise<unknown>> => {
    const other = await fixture.dataUser('Fernhollow');
    const marker = `${path}-marker`;
    const { wid } = await fixture.subscribe(other, {
      callbackUrl: `http://127.0.0.1:${fixture.receiver.port}${marker}`,
    });
    await fixture.execute(other, 'mutation ($wid: WebhookId!) { testWebhook(wid: $wid) { eventId } }', { wid });
    await until(async () => {
      const text = 'select attempt from delivery join webhook on id = endpoint_id where wid = $1';
      const { rows } = await fixture.owner.query(text, [wid]);
      return rows[0]?.attempt === 1 ? true : undefined;
    });
    return () => fixture.posts(2, marker);
  };
  const isSignedWith = ({ body, headers }: ReceivedPost, secret: string) =>
    headers['x-dar-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  it('are repeated byte by byte under the same id and signed again, unless a customer is anonymised', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe();
    await withdrawn();
    await attempted(subscription, 1);
    await advance(MINUTE);
    fixture.receiver.respondWith(() => 204);
    await attempted(subscription, 2);
    const posts = await fixture.posts(2, path);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { body, headers } of posts)
      expect(() =>
        new Webhook(subscription.signingSecret).verify(body, headers as Record<string, string>),
      ).not.toThrow();
    const { nodes } = await deliveries(subscription);
    expect(nodes).toMatchObject([
      {
        eventType: 'CONSENT_WITHDRAWAL',
        status: 'DELIVERED',
        nextAttemptAt: null,
        attempts: [
          { status: 500, error: 'refused-status', durationMs: expect.any(Number) },
          { status: 204, error: null },
        ],
        event: { id: posts[0]?.headers['webhook-id'], type: 'CONSENT_WITHDRAWAL' },
      },
    ]);
  });

  it('wait while identity is unavailable, without counting an attempt', async () => {
    fixture.setIdentityAway(true);
    const subscription = await subscribe();
    const record = await fixture.consent(by).catch(() => undefined);
    expect(record).toBeUndefined(); // no record is registered while identity is unavailable
    fixture.setIdentityAway(false);
    const withIdentity = await fixture.consent(by);
    fixture.setIdentityAway(true);
    await fixture.withdraw(withIdentity);
    await until(async () =>
      (await fixture.owner.query(DEFERRED, [subscription.id])).rowCount === 1 ? true : undefined,
    );
    expect((await deliveries(subscription)).nodes).toMatchObject([{ status: 'PENDING', attempts: [] }]);
    fixture.setIdentityAway(false);
    await advance(10);
    const [post] = (await fixture.posts(1, path)) as [ReceivedPost];
    expect(JSON.parse(post.body).payload.mpxn).toBe(withIdentity.mpxn);
    expect((await attempted(subscription, 1)).attempts).toHaveLength(1);
  });

  it('contain no MPxN once the Identity Record is anonymised', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe();
    const record = await withdrawn();
    await attempted(subscription, 1);
    await fixture.anonymise(by, record.ir);
    await advance(MINUTE);
    await attempted(subscription, 2);
    const [first, second] = (await fixture.posts(2, path)).map(({ body }) => JSON.parse(body));
    expect(first.payload.mpxn).toBe(record.mpxn);
    expect(second).toEqual({ ...first, payload: { ...first.payload, mpxn: null } });
  });

  it('fail by their schedule if the Identity Record cannot be decrypted, and delay no other', async () => {
    const alertEmail = `alerts-${number}@larkhill.example`;
    const subscription = await subscribe({ alertEmail });
    const [lost, other] = [await fixture.consent(by), await fixture.consent(by)];
    const { rows } = await fixture.owner.query('select identity_record_id as id from access_record where id = $1', [
      lost.id,
    ]);
    await fixture.owner.query('alter table identity_keys.data_key disable trigger user');
    await fixture.owner.query('delete from identity_keys.data_key where record_id = $1', [rows[0].id]);
    await fixture.owner.query('alter table identity_keys.data_key enable trigger user');
    await Promise.all([fixture.withdraw(lost), fixture.withdraw(other)]);
    const [post] = (await fixture.posts(1, path)) as [ReceivedPost];
    expect(JSON.parse(post.body).payload).toMatchObject({ ak: other.ak, mpxn: other.mpxn });
    const delivery = await until(async () => {
      const { rows: waiting } = await fixture.owner.query(
        `select ceil(extract(epoch from next_attempt_at - register_now()))::int as seconds from delivery
         where endpoint_id = $1 and state = 'pending' and next_attempt_at > register_now()`,
        [subscription.id],
      );
      if (waiting[0]) await advance(waiting[0].seconds);
      const { nodes } = await deliveries(subscription, { state: 'UNDELIVERED' });
      return nodes[0] as { eventId: string } | undefined;
    });
    const mail = await mailTo(alertEmail);
    expect(mail.text).toContain(delivery.eventId);
    const logLines = fixture
      .log()
      .split('\n')
      .filter((line) => line.includes(rows[0].id));
    expect(logLines).toHaveLength(1);
    expect(fixture.receiver.received.filter((received) => received.path === path)).toHaveLength(1);
  });

  it('of a change of tenancy omit the records that were anonymised since', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe({ eventTypes: ['TENANCY_CHANGE'] });
    const gone = await fixture.consent(by);
    const left = await fixture.consent(by, null, gone.mpxn);
    await fixture.tenancyChange(gone.mpxn, '2026-09-01', 'COT-1');
    await attempted(subscription, 1);
    await fixture.withdraw(gone);
    await fixture.anonymise(by, gone.ir);
    await advance(MINUTE);
    await attempted(subscription, 2);
    const [first, second] = (await fixture.posts(2, path)).map(({ body }) => JSON.parse(body));
    expect(first.payload).toMatchObject({ mpxn: gone.mpxn, 'affected-aks': [gone.ak, left.ak] });
    expect(second).toEqual({ ...first, payload: { ...first.payload, 'affected-aks': [left.ak] } });
  });

  it('of a change of tenancy omit its source reference once the data of the occupancy are erased', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe({ eventTypes: ['TENANCY_CHANGE'] });
    const { ir, id, mpxn, ak } = await fixture.consent(by);
    await fixture.tenancyChange(mpxn, '2999-09-01', 'COT-1');
    await attempted(subscription, 1);
    await fixture.withdraw({ id });
    await fixture.anonymise(by, ir);
    await advance(MINUTE);
    await attempted(subscription, 2);
    const [first, second] = (await fixture.posts(2, path)).map(({ body }) => JSON.parse(body));
    const date = { 'effective-date': '2999-09-01' };
    expect(first.payload).toEqual({ mpxn, ...date, 'affected-aks': [ak], 'source-reference': 'COT-1' });
    expect(second).toEqual({ ...first, payload: { mpxn: null, ...date, 'affected-aks': [] } });
  });

  it('go to the new callback URL after it was changed', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe();
    await withdrawn();
    await attempted(subscription, 1);
    await fixture.execute(by, UPDATE, { wid: subscription.wid, input: { callbackUrl: callbackUrl('/new') } });
    await advance(MINUTE);
    const [moved] = (await fixture.posts(1, `${path}/new`)) as [ReceivedPost];
    const [before] = (await fixture.posts(1, path)) as [ReceivedPost];
    expect(moved.body).toBe(before.body);
  });

  it('end at once when the subscription is deleted', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe();
    await withdrawn();
    await attempted(subscription, 1);
    const { wid } = subscription;
    expect((await deleted(subscription)).data).toEqual({ deleteWebhook: { wid } });
    await endedState(subscription);
    const triedAgain = await companion();
    await advance(HOUR);
    await triedAgain();
    expect(await fixture.posts(1, path)).toHaveLength(1);
    expect((await fixture.execute(by, DELIVERIES, { wid })).codes).toEqual(['NTF001']);
    const { rows } = await fixture.owner.query(
      `select callback_sealed, alert_email_sealed, (select count(*)::int from webhook_secret where webhook_id = id) as secrets
       from webhook where wid = $1`,
      [wid],
    );
    expect(rows).toEqual([{ callback_sealed: Buffer.alloc(0), alert_email_sealed: Buffer.alloc(0), secrets: 0 }]);
  });

  it('wait while the Data User is suspended, and are sent after its reactivation', async () => {
    const subscription = await subscribe();
    const record = await fixture.consent(by);
    await fixture.accounts.changeStatus('test', by.accountId, 'suspend');
    await fixture.withdraw(record);
    await until(async () =>
      (await fixture.owner.query(DEFERRED, [subscription.id])).rowCount === 1 ? true : undefined,
    );
    expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(0);
    const { data } = await fixture.execute(
      by,
      'query ($wid: WebhookId!) { webhook(wid: $wid) { active } }',
      subscription,
    );
    expect(data.webhook.active).toBe(false);
    await fixture.accounts.changeStatus('test', by.accountId, 'reactivate');
    expect(JSON.parse(((await fixture.posts(1, path)) as [ReceivedPost])[0].body).payload.ak).toBe(record.ak);
  });

  it('are sent immediately after the reactivation, whatever was read in between', async () => {
    const { id } = await subscribe();
    const events = `insert into event (type, duid, webhook_id) select 'webhook.test', $1::text, $2::uuid from generate_series(1, 5)`;
    for (let round = 0; round < 15; round++) {
      await fixture.accounts.changeStatus('test', by.accountId, 'suspend');
      const planned = fixture.owner.query(events, [by.duid, id]);
      await pause(round);
      await Promise.all([planned, fixture.accounts.changeStatus('test', by.accountId, 'reactivate')]);
    }
    expect(await fixture.posts(75, path)).toHaveLength(75);
  });

  it('end with the termination of the account', async () => {
    const [, record] = [await subscribe(), await fixture.consent(by)];
    await fixture.accounts.changeStatus('test', by.accountId, 'suspend');
    await fixture.withdraw(record);
    await fixture.accounts.changeStatus('test', by.accountId, 'terminate');
    fixture.receiver.respondWith(() => 500);
    const triedAgain = await companion();
    await advance(HOUR);
    await triedAgain();
    expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(0);
  });

  it('can be requested again, signed with the current secret', async () => {
    const subscription = await subscribe();
    await withdrawn();
    const [first] = (await fixture.posts(1, path)) as [ReceivedPost];
    await attempted(subscription, 1);
    const eventId = first.headers['webhook-id'];
    const { data } = await fixture.execute(by, UPDATE, { wid: subscription.wid, input: { rotateSecret: true } });
    const again = () => fixture.execute(by, REDELIVER, { wid: subscription.wid, eventId, key: 'once-more' });
    expect((await again()).data.redeliverEvent).toEqual({ eventId, replayed: false });
    expect((await again()).data.redeliverEvent).toEqual({ eventId, replayed: true });
    const [, second] = (await fixture.posts(2, path)) as [ReceivedPost, ReceivedPost];
    expect(second.body).toBe(first.body);
    expect(isSignedWith(first, subscription.signingSecret)).toBe(true);
    expect(isSignedWith(second, data.updateWebhook.signingSecret)).toBe(true);
    expect(String(second.headers['webhook-signature']).split(' ')).toHaveLength(2); // the previous secret is still valid
    expect((await attempted(subscription, 2)).status).toBe('DELIVERED');
    expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(2);
  });

  it('are not sent once they are superseded, even if their lease run has started', async () => {
    const { id } = await subscribe();
    let respondAll = () => {};
    const responded = new Promise<void>((resolve) => (respondAll = resolve));
    fixture.receiver.respondWith(() => (_, response) => void responded.then(() => response.writeHead(204).end()));
    await fixture.owner.query(
      `insert into event (type, duid, webhook_id) select 'webhook.test', $1::text, $2::uuid from generate_series(1, 40)`,
      [by.duid, id],
    );
    const started = await fixture.posts(8, path);
    const sent = started.map(({ headers }) => headers['webhook-id']);
    const { rowCount } = await fixture.owner.query(
      `update delivery set state = 'superseded', ended_at = register_now()
       where endpoint_id = $1 and state = 'pending' and not event_id = any($2)`,
      [id, sent],
    );
    respondAll();
    await until(async () => {
      const left = `select from delivery where endpoint_id = $1 and state = 'pending'
        union all select from delivery_endpoint where id = $1 and leased_by is not null`;
      return (await fixture.owner.query(left, [id])).rowCount === 0 ? true : undefined;
    });
    expect([rowCount, fixture.receiver.received.filter((post) => post.path === path).length]).toEqual([32, 8]);
  });

  it('wait while their data cannot be read, without counting an attempt', async () => {
    fixture.receiver.respondWith(() => 503);
    const subscription = await subscribe();
    await withdrawn();
    await attempted(subscription, 1);
    await fixture.owner.query('begin; lock table webhook_secret in access exclusive mode');
    try {
      const other = new Client({ connectionString: fixture.databaseUrl, options: '-c search_path=access,register' });
      await other.connect();
      await other.query('select register.set_clock_offset($1)', [(clock += MINUTE + 1)]);
      await until(async () => ((await other.query(DEFERRED, [subscription.id])).rowCount === 1 ? true : undefined));
      const { rows } = await other.query('select state, attempt from delivery where endpoint_id = $1', [
        subscription.id,
      ]);
      expect(rows).toEqual([{ state: 'pending', attempt: 1 }]);
      await other.end();
    } finally {
      await fixture.owner.query('rollback');
    }
    await advance(10);
    expect((await attempted(subscription, 2)).attempts).toHaveLength(2);
    expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(2);
  });

  it('that are requested again while they are pending use up none of their attempts', async () => {
    fixture.receiver.respondWith(() => 500);
    const subscription = await subscribe();
    await withdrawn();
    const { eventId } = await attempted(subscription, 1);
    for (let attempts = 2; attempts <= 7; attempts += 1) {
      await fixture.execute(by, REDELIVER, { wid: subscription.wid, eventId });
      expect(await attempted(subscription, attempts)).toMatchObject({ status: 'PENDING' });
    }
    await advance(MINUTE);
    expect(await attempted(subscription, 8)).toMatchObject({ status: 'PENDING' });
  });

  it('cannot be requested for an event of another subscription', async () => {
    const first = await subscribe();
    await withdrawn();
    const { eventId } = await attempted(first, 1);
    const { wid } = await subscribe({ callbackUrl: `${callbackUrl()}/later` });
    const codes = async (caller: typeof by) => (await fixture.execute(caller, REDELIVER, { wid, eventId })).codes;
    expect(await codes(by)).toEqual(['NTF001']);
    expect(await codes(await fixture.dataUser('Fernhollow'))).toEqual(['PRM002']);
  });

  describe('about an expiry', () => {
    const DAY = 24 * HOUR;
    const suspendedAndRevoked = async (id: string) => {
      await fixture.accounts.changeStatus('test', by.accountId, 'suspend');
      await end(fixture.owner, id, 'revoked');
    };
    it.each([
      ['was revoked', (id: string) => end(fixture.owner, id, 'revoked')],
      ['was extended', (id: string) => replace(fixture.owner, id, '300 days')],
      ['has expired', () => advance(2 * DAY)],
      ['was revoked while the Data User is suspended', suspendedAndRevoked],
    ])('are superseded before the next attempt if the record %s', async (_, change) => {
      fixture.receiver.respondWith(() => 503);
      const subscription = await subscribe();
      const { id } = await fixture.consent(by, 1);
      await attempted(subscription, 1);
      await change(id);
      await advance(MINUTE + 1);
      expect(await ended(subscription)).toMatchObject({ status: 'SUPERSEDED', attempts: [{}] });
      expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(1);
    });

    it('remain delivered if their redelivery is obsolete', async () => {
      const subscription = await subscribe();
      const { id } = await fixture.consent(by, 1);
      const { eventId } = await attempted(subscription, 1);
      await end(fixture.owner, id, 'revoked');
      expect((await fixture.execute(by, REDELIVER, { wid: subscription.wid, eventId })).codes).toEqual([]);
      expect(await ended(subscription)).toMatchObject({ status: 'DELIVERED', attempts: [{}] });
      expect(fixture.receiver.received.filter((post) => post.path === path)).toHaveLength(1);
    });

    it('remain delivered if their redelivery is pending when the subscription is deleted', async () => {
      const subscription = await subscribe();
      await fixture.consent(by, 1);
      const { eventId } = await attempted(subscription, 1);
      fixture.receiver.respondWith(() => 500);
      expect((await fixture.execute(by, REDELIVER, { wid: subscription.wid, eventId })).codes).toEqual([]);
      await deleted(subscription);
      expect(await endedState(subscription)).toBe('delivered');
    });

    it('are sent again as long as the record is unchanged, also on a later day with the same body', async () => {
      fixture.receiver.respondWith(() => 503);
      const subscription = await subscribe();
      await fixture.consent(by, 5);
      await attempted(subscription, 1);
      await advance(DAY + 1);
      expect((await attempted(subscription, 2)).status).toBe('PENDING');
      const sent = (await fixture.posts(2, path)).map(({ headers, body }) => `${headers['webhook-id']} ${body}`);
      expect([...new Set(sent)]).toEqual([expect.stringContaining('"days-remaining":5}')]);
    });
  });

  it('are listed newest first, by state, page by page', async () => {
    const subscription = await subscribe();
    for (let time = 0; time < 3; time += 1) await withdrawn();
    await fixture.posts(3, path);
    const all = await until(async () => {
      const { nodes } = await deliveries(subscription, { state: 'DELIVERED' });
      return nodes.length === 3 ? (nodes as { eventId: string }[]) : undefined;
    });
    const first = await deliveries(subscription, { first: 2 });
    const second = await deliveries(subscription, { first: 2, after: first.nextCursor });
    expect([...first.nodes, ...second.nodes].map(({ eventId }) => eventId)).toEqual(all.map(({ eventId }) => eventId));
    expect(second.nextCursor).toBeNull();
    expect((await deliveries(subscription, { state: 'PENDING' })).nodes).toEqual([]);
    expect((await fixture.execute(by, DELIVERIES, { wid: subscription.wid, after: 'elsewhere' })).codes).toEqual([
      'VAL001',
    ]);
    expect((await fixture.execute(by, DELIVERIES, { wid: subscription.wid, first: 501 })).codes).toEqual(['VAL003']);
  });

  it('that were abandoned are listed in one mail within an hour', async () => {
    fixture.receiver.respondWith(() => 503);
    const alertEmail = `alerts-${number}@larkhill.example`;
    const subscription = await subscribe({ alertEmail });
    const { wid } = subscription;
    const record = await withdrawn();
    for (const [time, delay] of [0, 60, 300, 1_800, 7_200, 86_400].entries()) {
      expect(await fixture.mails(alertEmail)).toEqual([]);
      if (delay > 0) await advance(delay);
      await attempted(subscription, time + 1);
    }
    const mail = await mailTo(alertEmail);
    const [{ eventId, status, attempts }] = (await deliveries(subscription)).nodes;
    expect([status, attempts.length]).toEqual(['UNDELIVERED', 6]);
    expect(mail.text).toContain(eventId);
    expect(mail.text).toContain(wid);
    for (const secret of [record.ak, record.mpxn, callbackUrl()])
      expect(`${mail.text}${mail.html}`).not.toContain(secret);
    const triedAgain = await companion();
    await advance(10 * HOUR);
    await triedAgain();
    expect(await fixture.mails(alertEmail)).toHaveLength(1);
    expect((await deliveries(subscription)).nodes[0].attempts).toHaveLength(6);
  });

  const health = async ({ id }: Subscription) => {
    const { data, codes } = await fixture.execute(
      ADMIN,
      `{ deliveryHealth { pending oldestPendingSeconds deliveredLastHour failedAttemptsLastHour undeliveredLastDay
         subscriptions { webhookId dataUser { duid displayName } pending failedAttemptsLastHour undelivered lastDeliveredAt } } }`,
    );
    expect(codes).toEqual([]);
    const all = data.deliveryHealth;
    return { all, own: all.subscriptions.find(({ webhookId }: { webhookId: string }) => webhookId === id) };
  };

  it('have their last success in the figures of the back office, also if a later event was delivered before it', async () => {
    fixture.receiver.respondWith(() => 503);
    const subscription = await subscribe();
    await withdrawn();
    const { eventId } = await attempted(subscription, 1);
    fixture.receiver.respondWith(() => 204);
    await withdrawn();
    await fixture.posts(2, path);
    await advance(MINUTE + 1);
    const delivered = async () => {
      const { nodes } = await deliveries(subscription, { state: 'DELIVERED' });
      return nodes.length === 2 ? nodes : undefined;
    };
    const retried = (await until(delivered)).find((delivery: { eventId: string }) => delivery.eventId === eventId);
    const shown = (await health(subscription)).own.lastDeliveredAt;
    expect(Date.parse(shown)).toBeGreaterThanOrEqual(Date.parse(retried.attempts[1].at));
    await advance(2 * 24 * HOUR);
    expect((await health(subscription)).own.lastDeliveredAt).toBe(shown);
  });

  it('are counted for the back office, without any address', async () => {
    const subscription = await subscribe();
    await withdrawn();
    await attempted(subscription, 1);
    const { all, own } = await health(subscription);
    expect(own).toMatchObject({
      dataUser: { duid: by.duid },
      pending: 0,
      failedAttemptsLastHour: 0,
      undelivered: 0,
      lastDeliveredAt: expect.any(String),
    });
    expect(all.deliveredLastHour).toBeGreaterThan(0);
    expect((await fixture.execute(by, '{ deliveryHealth { pending } }')).codes).toEqual(['PRM001']);
  });

  it('whose body cannot be created delay no other, are logged once, and are reported to the back office', async () => {
    const [broken, sound] = [await subscribe(), await subscribe({ callbackUrl: callbackUrl('-sound') })];
    await fixture.owner.query(`update webhook set callback_sealed = '\\x00' where id = $1`, [broken.id]);
    await withdrawn();
    await fixture.posts(1, `${path}-sound`);
    const faulty = async () => {
      const { data } = await fixture.execute(ADMIN, '{ deliveryHealth { faulty subscriptions { webhookId faulty } } }');
      const of = (id: string) =>
        data.deliveryHealth.subscriptions.find(({ webhookId }: { webhookId: string }) => webhookId === id).faulty;
      return { all: data.deliveryHealth.faulty, broken: of(broken.id), sound: of(sound.id) };
    };
    await until(async () => ((await faulty()).broken === 1 ? true : undefined));
    expect(await faulty()).toEqual({ all: 1, broken: 1, sound: 0 });
    const waiting = async () =>
      (
        await fixture.owner.query('select event_id, state, faults, attempts from delivery where endpoint_id = $1', [
          broken.id,
        ])
      ).rows[0];
    for (let tried = 1; tried <= 3; tried += 1) {
      await advance(MINUTE);
      await until(async () => ((await waiting()).faults > tried ? true : undefined));
    }
    const { event_id: eventId, ...delivery } = await waiting();
    expect(delivery).toMatchObject({ state: 'pending', attempts: [] });
    const logged = fixture
      .log()
      .split('\n')
      .filter((line) => line.includes(eventId));
    expect(logged).toEqual([expect.stringContaining('delivery body failed to assemble')]);
    await deleted(broken);
  });

  it('of a terminated Data User are not reported, because it receives nothing', async () => {
    const [terminated, other] = [
      await fixture.dataUser('Alderbrook Analytics'),
      await fixture.dataUser('Harbourlight Home'),
    ];
    const [gone, paused] = [await fixture.subscribe(terminated), await fixture.subscribe(other)];
    type Shown = { webhookId: string; active: boolean };
    let active = new Map<string, boolean>();
    const shown = async () => {
      const { data } = await fixture.execute(ADMIN, '{ deliveryHealth { subscriptions { webhookId active } } }');
      active = new Map(data.deliveryHealth.subscriptions.map((each: Shown) => [each.webhookId, each.active]));
      return [...active.keys()];
    };
    expect(await shown()).toEqual(expect.arrayContaining([gone.id, paused.id]));
    await fixture.accounts.changeStatus('test', terminated.accountId, 'terminate');
    await fixture.accounts.changeStatus('test', other.accountId, 'suspend');
    expect(await shown()).not.toContain(gone.id);
    expect(await shown()).toContain(paused.id);
    expect(active.get(paused.id)).toBe(false);
  });

  it('write no secret to their rows, their jobs and the log', async () => {
    const alertEmail = 'operations@larkhill.example';
    await subscribe({ alertEmail });
    const record = await withdrawn();
    await fixture.posts(1, path);
    const { rows } = await fixture.owner.query(`
      select query_to_xml('select * from event', true, true, '')::text || query_to_xml('select * from delivery', true, true, '')::text
        || query_to_xml('select * from fanout', true, true, '')::text || query_to_xml('select * from delivery_lane', true, true, '')::text
        || query_to_xml('select * from webhook', true, true, '')::text || query_to_xml('select * from access_jobs._private_jobs', true, true, '')::text as all`);
    const written = rows[0].all + fixture.log();
    for (const secret of [record.ak, record.mpxn, alertEmail, path, 'whsec_']) expect(written).not.toContain(secret);
  });
});
