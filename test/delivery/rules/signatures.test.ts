import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type SigningSecret, signingSecrets } from '../../../subgraphs/delivery/requests/signing-secret';
import { type WebhookEvent, deliveryBody } from '../../../subgraphs/access/webhooks/webhook-event';
import { signedHeaders } from '../../../subgraphs/access/webhooks/webhook-source.flow';

const T0 = Date.parse('2026-06-01T12:00:00Z');
const at = (minutes: number) => new Date(T0 + minutes * 60_000);
const secret = (name: string, created: number, replaced: number | null): SigningSecret => ({
  secret: name,
  createdAt: at(created),
  replacedAt: replaced === null ? null : at(replaced),
});

/** Three secrets, each replaced by the next: at 0 and at 10 minutes. */
const ROTATED = [secret('first', -60, 0), secret('second', 0, 10), secret('third', 10, null)];

describe('The secrets of an attempt', () => {
  const of = (now: number, recorded: number, isRedelivery = false, secrets = ROTATED) =>
    signingSecrets(secrets, { now: at(now), recordedAt: at(recorded), isRedelivery });

  it.each([
    ['an event of the first secret, while that is valid', 14.99, -1, 'first', ['third', 'second', 'first']],
    ['an event of the first secret, 15 minutes after its replacement', 15, -1, 'third', ['third', 'second']],
    ['an event made at the instant of the replacement', 14, 0, 'second', ['third', 'second', 'first']],
    ['an event of the second secret, while that is valid', 24.99, 5, 'second', ['third', 'second']],
    ['an event of the second secret, 15 minutes after its replacement', 25, 5, 'third', ['third']],
    ['an event of the third secret', 11, 10, 'third', ['third', 'second', 'first']],
    ['an old event, a day later', 1_440, -30, 'third', ['third']],
  ])('for %s', (_, now, recorded, single, all) => {
    expect(of(now, recorded)).toEqual({ single, all });
  });

  it('for an event that is made after a clock was set back, with which the first secret was replaced', () => {
    const ahead = [secret('second', 1_440, null), secret('first', -60, 1_440)];
    expect(of(0, 0, false, ahead)?.single).toBe('second');
  });

  it.each([
    ['while all are valid', 11, ['third', 'second', 'first']],
    ['once the first is no longer valid', 15, ['third', 'second']],
    ['a day later', 1_440, ['third']],
  ])('of a redelivery are the current one as the single secret, and all valid ones in the list: %s', (_, now, all) => {
    expect(of(now, -1, true)).toEqual({ single: 'third', all });
  });

  it('do not depend on the order of rows', () => {
    expect(of(11, -1, false, ROTATED.toReversed())).toEqual(of(11, -1));
  });

  it('are undefined without a current one', () => {
    expect(of(1, 0, false, [secret('first', -60, 0)])).toBeUndefined();
  });
});

describe('The headers of an attempt', () => {
  const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
  const body = '{"mpxn":"£1000000000"}';

  it('verify in the library of Standard Webhooks with every valid secret, and with no other', () => {
    const [current, replaced, stranger] = [newSecret(), newSecret(), newSecret()];
    const headers = signedHeaders('evt_1', body, { single: replaced, all: [current, replaced] }, new Date());
    for (const valid of [current, replaced]) expect(new Webhook(valid).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow('No matching signature found');
    expect(() => new Webhook(current).verify(`${body} `, headers)).toThrow('No matching signature found');
  });

  it('contain an HMAC of the raw body under the whole text of the secret', () => {
    const [current, replaced] = [newSecret(), newSecret()];
    const headers = signedHeaders('evt_1', body, { single: replaced, all: [current, replaced] }, new Date());
    const mac = createHmac('sha256', Buffer.from(replaced, 'utf8')).update(Buffer.from(body, 'utf8')).digest('hex');
    expect(headers['x-dar-signature']).toBe(`sha256=${mac}`);
  });

  it("contain the event id and the attempt's time in seconds", () => {
    const current = newSecret();
    expect(signedHeaders('evt_1', body, { single: current, all: [current] }, new Date(T0 + 999))).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(T0 / 1000),
    });
  });
});

describe('The body of a delivery', () => {
  const WID = `wid_${'1'.repeat(24)}`;
  const EVENT = { id: `evt_${'2'.repeat(24)}`, occurredAt: new Date(T0) };
  const head = (type: string) =>
    `{"event-id":"${EVENT.id}","event-type":"${type}","occurred-at":"2026-06-01T12:00:00.000Z","wid":"${WID}","sequence":7,"payload":`;
  const record = { ak: 'ak_1', mpxn: '1000000000', duid: 'duid_1' };

  it.each<[string, WebhookEvent, string]>([
    [
      'a consent that expires',
      { ...EVENT, type: 'consent.expiring', payload: { ...record, expiry: at(60), daysRemaining: 1 } },
      '{"ak":"ak_1","mpxn":"1000000000","duid":"duid_1","expiry":"2026-06-01T13:00:00.000Z","days-remaining":1}',
    ],
    [
      'a withdrawal, with its reason',
      { ...EVENT, type: 'consent.withdrawal', payload: { ...record, revokedAt: at(0), reason: 'customer-request' } },
      '{"ak":"ak_1","mpxn":"1000000000","duid":"duid_1","revoked-at":"2026-06-01T12:00:00.000Z","reason":"customer-request"}',
    ],
    [
      'a withdrawal without meter point and reason',
      { ...EVENT, type: 'consent.withdrawal', payload: { ...record, mpxn: null, revokedAt: at(0), reason: null } },
      '{"ak":"ak_1","mpxn":null,"duid":"duid_1","revoked-at":"2026-06-01T12:00:00.000Z"}',
    ],
    [
      'a Change of Tenancy',
      {
        ...EVENT,
        type: 'tenancy.change',
        payload: { mpxn: null, effectiveDate: '2026-07-01', affectedAks: ['ak_1', 'ak_2'], sourceReference: 'COT-1' },
      },
      '{"mpxn":null,"effective-date":"2026-07-01","affected-aks":["ak_1","ak_2"],"source-reference":"COT-1"}',
    ],
    [
      'a Change of Tenancy whose source reference was erased',
      {
        ...EVENT,
        type: 'tenancy.change',
        payload: { mpxn: null, effectiveDate: '2026-07-01', affectedAks: [], sourceReference: null },
      },
      '{"mpxn":null,"effective-date":"2026-07-01","affected-aks":[]}',
    ],
    ['a test', { ...EVENT, type: 'webhook.test', payload: {} }, '{}'],
  ])('contains the facts of the event, here of %s', (_, event, payload) => {
    expect(deliveryBody(event, WID, 7)).toBe(`${head(event.type)}${payload}}`);
  });
});
