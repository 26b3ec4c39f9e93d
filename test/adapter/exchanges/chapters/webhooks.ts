import {
  AK,
  DUID,
  EVENT,
  MPXN,
  WID,
  accessRecord,
  changeOfTenancy,
  delivery,
  discoveredAccess,
  adapterOfChapter,
  webhook,
} from '../../../support/rest-graph';
import { GOOD, JSON_TYPE, type Sent, sendTo } from '../../../support/rest-sending';

export function webhooks(): void {
  const test = adapterOfChapter();

  const send = (request: Sent) => sendTo(test, request);
  const PATH = `/v1/webhooks/${WID}`;
  const OBJECT = {
    wid: WID,
    'callback-url': 'https://harbourlight.example/register-events',
    'alert-email': 'operations@harbourlight.example',
    'notify-days-before': 30,
    'event-types': ['consent.expiring', 'consent.withdrawal'],
    'created-at': '2026-11-19T16:20:00.000Z',
    active: true,
  };

  /** The response without its metadata. */
  function payloadOf({ body }: Awaited<ReturnType<typeof send>>): object {
    const { response: _, ...payload } = body;
    return payload;
  }

  describe('webhook subscriptions', () => {
    const register = (payload: object) => send({ method: 'POST', url: '/v1/webhooks', headers: GOOD, payload });
    const change = (payload: object) => send({ method: 'PATCH', url: PATH, headers: GOOD, payload });

    it('are registered with the defaults of the contract: 30 days, all event types', async () => {
      test.graph.roots = { registerWebhook: () => ({ webhook, signingSecret: 'whsec_c2VjcmV0', replayed: false }) };
      const response = await register({
        'callback-url': webhook.callbackUrl,
        'alert-email': 'operations@harbourlight.example',
      });
      expect([response.status, response.headers['location']]).toEqual([201, PATH]);
      expect(payloadOf(response)).toEqual({ webhook: OBJECT, 'signing-secret': 'whsec_c2VjcmV0' });
      expect(test.graph.variables).toEqual({
        input: {
          callbackUrl: webhook.callbackUrl,
          alertEmail: 'operations@harbourlight.example',
          notifyDaysBefore: 30,
          eventTypes: ['CONSENT_EXPIRING', 'TENANCY_CHANGE', 'CONSENT_WITHDRAWAL'],
        },
      });
    });

    it('are listed and read, and unknown ones are 404', async () => {
      test.graph.roots = {
        webhooks: () => [webhook],
        webhook: ({ wid }: { wid: string }) => (wid === WID ? webhook : null),
      };
      expect(payloadOf(await send({ url: '/v1/webhooks', headers: GOOD }))).toEqual({ webhooks: [OBJECT] });
      expect(payloadOf(await send({ url: PATH, headers: GOOD }))).toEqual({ webhook: OBJECT });
      expect((await send({ url: `/v1/webhooks/wid_${'0'.repeat(24)}`, headers: GOOD })).status).toBe(404);
      expect((await send({ url: '/v1/webhooks/wid_1', headers: GOOD })).status).toBe(400);
    });

    it('change only in the supplied members', async () => {
      test.graph.roots = { updateWebhook: () => ({ webhook, signingSecret: null }) };
      const response = await change({ 'event-types': ['tenancy.change'] });
      expect([response.status, payloadOf(response)]).toEqual([200, { webhook: OBJECT }]);
      expect(test.graph.variables).toEqual({
        wid: WID,
        input: { eventTypes: ['TENANCY_CHANGE'], rotateSecret: false },
      });
      await change({});
      expect(test.graph.variables).toEqual({ wid: WID, input: { rotateSecret: false } });
    });

    it('return a new secret after a rotation', async () => {
      test.graph.roots = { updateWebhook: () => ({ webhook, signingSecret: 'whsec_bmV3' }) };
      expect(payloadOf(await change({ 'rotate-secret': true }))).toEqual({
        webhook: OBJECT,
        'signing-secret': 'whsec_bmV3',
      });
    });

    it.each(['callback-url', 'alert-email', 'notify-days-before', 'event-types', 'rotate-secret'])(
      'treat null for %s as absent',
      async (field) => {
        test.graph.roots = { updateWebhook: () => ({ webhook, signingSecret: null }) };
        expect((await change({ [field]: null })).status).toBe(200);
        expect(test.graph.variables).toEqual({ wid: WID, input: { rotateSecret: false } });
      },
    );

    it('are deleted without a body', async () => {
      test.graph.roots = { deleteWebhook: () => ({ wid: WID }) };
      const response = await test.adapter.app.inject({ method: 'DELETE', url: PATH, headers: GOOD });
      expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([204, '', undefined]);
    });
  });

  describe('deliveries', () => {
    it('are listed with every attempt, by page and status', async () => {
      const deliveries = jest.fn(() => ({ nodes: [delivery], nextCursor: 'next' }));
      test.graph.roots = { webhook: () => ({ deliveries }) };
      const response = await send({ url: `${PATH}/deliveries?status=delivered&cursor=c`, headers: GOOD });
      expect(payloadOf(response)).toEqual({
        deliveries: [
          {
            'event-id': EVENT,
            'event-type': 'webhook.test',
            status: 'delivered',
            attempts: [
              { at: '2026-11-20T09:21:07.310Z', status: null, 'duration-ms': 10_000, error: 'timeout' },
              { at: '2026-11-20T09:22:07.402Z', status: 204, 'duration-ms': 61, error: null },
            ],
          },
        ],
        'next-cursor': 'next',
      });
      expect(test.graph.variables).toEqual({ wid: WID, limit: 50, cursor: 'c', status: 'DELIVERED' });
    });

    it('are 404 for a missing subscription', async () => {
      test.graph.roots = { webhook: () => null };
      expect((await send({ url: `${PATH}/deliveries`, headers: GOOD })).status).toBe(404);
    });

    it.each([
      ['an earlier event again', `${PATH}/deliveries/${EVENT}/redeliver`],
      ['a test event', `${PATH}/test`],
    ])('of %s are accepted with 202 and the id of the event', async (_, url) => {
      const sent = () => ({ eventId: EVENT, replayed: true });
      test.graph.roots = { redeliverEvent: sent, testWebhook: sent };
      const response = await send({
        method: 'POST',
        url,
        headers: { authorization: 'Bearer good', 'idempotency-key': 'k' },
      });
      expect([response.status, response.headers['idempotency-replayed'], payloadOf(response)]).toEqual([
        202,
        'true',
        { 'event-id': EVENT },
      ]);
    });
  });

  describe('the operator endpoints', () => {
    const report = () =>
      send({
        method: 'POST',
        url: '/v1/discovered-access',
        headers: { ...GOOD, ...JSON_TYPE },
        payload: {
          mpxn: MPXN,
          'organisation-name': 'Saltmarsh Energy Advice Ltd',
          'organisation-reference': 'ORG-4471',
          'first-seen': '2025-02-03',
          'data-types-observed': ['HH-CONSUMPTION'],
          'source-reference': 'DISC-1',
        },
      });

    it('return 201 with Location for a new object, and 200 without it for a repeat', async () => {
      test.graph.roots = {
        reportDiscoveredAccess: () => ({ ak: AK, state: 'DISCOVERED', isNew: true, replayed: false }),
      };
      const first = await report();
      expect([first.status, first.headers['location']]).toEqual([201, `/v1/access-records/${AK}`]);
      expect(payloadOf(first)).toEqual({ ak: AK, state: 'DISCOVERED' });
      test.graph.roots = {
        reportDiscoveredAccess: () => ({ ak: AK, state: 'DISCOVERED', isNew: false, replayed: false }),
      };
      const second = await report();
      expect([second.status, second.headers['location']]).toEqual([200, undefined]);
      expect(payloadOf(second)).toEqual({ ak: AK, state: 'DISCOVERED' });
    });

    it.each([
      [201, 'a new', true],
      [200, 'a repeated', false],
    ])('return %i for %s change of tenancy, with the affected records', async (status, _, isNew) => {
      test.graph.roots = { recordChangeOfTenancy: () => ({ ...changeOfTenancy, isNew }) };
      const payload = { mpxn: MPXN, 'effective-date': '2026-11-18', 'source-reference': 'COT-2026-118' };
      const response = await send({ method: 'POST', url: '/v1/cot-events', headers: GOOD, payload });
      expect(response.status).toBe(status);
      expect(payloadOf(response)).toEqual({ ...payload, 'active-records-affected': 2, 'data-users-notified': [DUID] });
    });
  });

  describe('verifying a discovered access', () => {
    it('returns the variant of the contract without a registration', async () => {
      test.graph.roots = { accessRecord: () => discoveredAccess };
      const { body } = await send({ url: `/v1/access-records/${AK}` });
      expect(body['access-record']).toEqual({
        'record-metadata': {
          'schema-version': 'discovered-1',
          'record-identifier': AK,
          'created-at': '2026-11-19T16:25:11.402Z',
          'controller-arrangement': {
            'arrangement-type': 'sole',
            'art26-reference': null,
            controllers: [
              {
                name: 'Saltmarsh Energy Advice Ltd',
                role: 'sole',
                'contact-url': null,
                'lia-reference': null,
                'statutory-reference': null,
                'storage-conditions': null,
              },
            ],
          },
          'identity-record-ref': null,
          duid: null,
        },
        notice: null,
        processing: { 'legal-basis': null, purpose: null, 'data-types': ['HH-CONSUMPTION'], jurisdiction: 'GB' },
        'access-event': {
          state: 'DISCOVERED',
          'registered-at': '2025-02-03T00:00:00.000Z',
          expiry: null,
          consent: null,
        },
        'reidentification-token': null,
      });
    });

    it('leaves the response for every other record unchanged', async () => {
      test.graph.roots = {
        accessRecord: () => ({ ...accessRecord, processing: { ...accessRecord.processing, purpose: 'P' } }),
      };
      const { body } = await send({ url: `/v1/access-records/${AK}` });
      const { processing } = body['access-record'] as { processing: object };
      expect(Object.keys(processing)).toEqual(['legal-basis', 'purpose', 'data-types', 'jurisdiction']);
    });
  });
}
