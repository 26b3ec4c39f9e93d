import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { ReceivedPost } from '../support/webhook-receiver';
import { type WebhookRoom, webhookRoom } from '../support/webhook-room';

const EVENT_ID = /^evt_[0-9a-f]{24}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('What a subscription is told', () => {
  let room: WebhookRoom;
  beforeAll(async () => {
    room = await webhookRoom();
  });
  afterAll(() => room.close());
  const bodyOf = ({ body }: ReceivedPost) => JSON.parse(body);
  const callback = (path: string) => `http://127.0.0.1:${room.receiver.port}/${path}`;

  it('that consent was withdrawn, signed in both ways', async () => {
    const by = await room.dataUser();
    const { wid, signingSecret } = await room.subscribe(by, { callbackUrl: callback('withdrawn') });
    const record = await room.consent(by);
    await room.withdraw(record);
    const [post] = (await room.posts(1, '/withdrawn')) as [ReceivedPost];
    expect(bodyOf(post)).toEqual({
      'event-id': expect.stringMatching(EVENT_ID),
      'event-type': 'consent.withdrawal',
      'occurred-at': expect.stringMatching(INSTANT),
      wid,
      sequence: 1,
      payload: {
        ak: record.ak,
        mpxn: record.mpxn,
        duid: by.duid,
        'revoked-at': bodyOf(post)['occurred-at'],
        reason: 'customer-request',
      },
    });
    expect(post.headers['content-type']).toBe('application/json');
    expect(post.headers['webhook-id']).toBe(bodyOf(post)['event-id']);
    expect(new Webhook(signingSecret).verify(post.body, post.headers as Record<string, string>)).toEqual(bodyOf(post));
    const mac = createHmac('sha256', signingSecret).update(post.body).digest('hex');
    expect(post.headers['x-dar-signature']).toBe(`sha256=${mac}`);
  });

  it('that consent is about to expire, with the days that remained when it was noticed', async () => {
    const by = await room.dataUser();
    const { wid } = await room.subscribe(by, { callbackUrl: callback('expiring'), notifyDaysBefore: 14 });
    const record = await room.consent(by, 9.5);
    const [post] = (await room.posts(1, '/expiring')) as [ReceivedPost];
    expect(bodyOf(post)).toMatchObject({
      'event-type': 'consent.expiring',
      wid,
      payload: {
        ak: record.ak,
        mpxn: record.mpxn,
        duid: by.duid,
        expiry: expect.stringMatching(INSTANT),
        'days-remaining': 10,
      },
    });
    expect(Object.keys(bodyOf(post).payload)).toEqual(['ak', 'mpxn', 'duid', 'expiry', 'days-remaining']);
  });

  it('that the tenancy changed, with its own records only', async () => {
    const [by, other] = [await room.dataUser(), await room.dataUser('Fernhollow')];
    await room.subscribe(by, { callbackUrl: callback('tenancy') });
    await room.subscribe(other, { callbackUrl: callback('tenancy-of-other') });
    const first = await room.consent(by);
    const second = await room.consent(by, null, first.mpxn);
    const foreign = await room.consent(other, null, first.mpxn);
    await room.tenancyChange(first.mpxn, '2026-12-01', 'COT-4711');
    const [post] = (await room.posts(1, '/tenancy')) as [ReceivedPost];
    expect(bodyOf(post)).toMatchObject({ 'event-type': 'tenancy.change', sequence: 1 });
    expect(bodyOf(post).payload).toEqual({
      mpxn: first.mpxn,
      'effective-date': '2026-12-01',
      'affected-aks': [first.ak, second.ak],
      'source-reference': 'COT-4711',
    });
    const [others] = (await room.posts(1, '/tenancy-of-other')) as [ReceivedPost];
    expect(bodyOf(others).payload['affected-aks']).toEqual([foreign.ak]);
  });

  it('a test, when its Data User asks for one', async () => {
    const by = await room.dataUser();
    const { wid } = await room.subscribe(by, { callbackUrl: callback('test'), eventTypes: ['TENANCY_CHANGE'] });
    const { data } = await room.ask(by, 'mutation ($wid: WebhookId!) { testWebhook(wid: $wid) { eventId replayed } }', {
      wid,
    });
    const [post] = (await room.posts(1, '/test')) as [ReceivedPost];
    expect(data.testWebhook).toEqual({ eventId: post.headers['webhook-id'], replayed: false });
    expect(bodyOf(post)).toMatchObject({ 'event-type': 'webhook.test', wid, sequence: 1, payload: {} });
  });
});
