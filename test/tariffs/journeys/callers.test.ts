import { randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { keyPair } from '../../support/key-pair';
import { consumerToken, rtiApplication } from '../../support/consumer-sign-in';
import { type GraphResponse, failuresOf, graphAs } from '../../support/graph';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { overWebSocket } from '../../support/subscriber';
import { PUBLISH, tariffInput } from '../../support/tariff-graph';
import { type TariffSharingFixture, tariffSharing } from '../../support/tariff-sharing';
import { yearOfRates } from '../../support/year-of-rates';

describe.each(usualWirings())('Callers of Interface D (%s)', (wiring) => {
  let register: SharedRegister;
  let fixture: TariffSharingFixture;
  let token: string;
  beforeAll(async () => {
    register = await sharedRegister(wiring);
    fixture = await tariffSharing(register);
    token = await newToken();
  });
  afterAll(async () => {
    await fixture?.supplier.close();
  });

  function newToken(scope?: string): Promise<string> {
    const { client_id: id, client_secret: secret } = rtiUser();
    return consumerToken(fixture.supplier, { id, secret }, fixture.consumer, scope);
  }

  const rtiUser = () => fixture.rtiUsers[0] as TariffSharingFixture['rtiUsers'][number];

  /** Sends an operation to the gateway with these headers. */
  async function execute(query: string, headers: Record<string, string>, variables = {}): Promise<GraphResponse> {
    const response = await fetch(`${register.gateway}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    const { data = null, errors = [], extensions = {} } = JSON.parse(text) as Partial<GraphResponse>;
    return { status: response.status, headers: response.headers, text, data, errors, extensions };
  }

  const bearer = (sent: string) => ({ authorization: `Bearer ${sent}` });
  const withKey = (sent: string) => ({ 'X-Supplier-API-Key': sent });
  const contact = () => `{ rtiUser(userId: "${rtiUser().user_id}") { displayName contact { email } } }`;

  describe('an RTI User with the token of a consumer', () => {
    it('reads the tariffs of the consumer as long as the consent is live', async () => {
      const shared = '{ customerTariffs { tariffId } }';
      expect(failuresOf(await execute(shared, bearer(token)))).toEqual(['RTI002 customerTariffs']);
      const given = await execute('mutation { giveTariffConsent { registrationId isNew } }', bearer(token));
      const { registrationId } = given.data.giveTariffConsent;
      const admin = await graphAs(register, 'admin');
      const { data } = await admin(`{ appliedTariff(mpxn: "${fixture.consumer.mpxns[0]}") { tariffId } }`);
      expect((await execute(shared, bearer(token))).data).toEqual({ customerTariffs: [data.appliedTariff] });
      await execute(
        `mutation { revokeTariffConsent(registrationId: "${registrationId}") { registrationId } }`,
        bearer(token),
      );
      expect(failuresOf(await execute(shared, bearer(token)))).toEqual(['RTI002 customerTariffs']);
    });

    it.each<[string, string, string]>([
      ['tariff:read', 'consent:write webhook:write', '{ customerTariffs { tariffId } }'],
      ['consent:write', 'tariff:read webhook:write', 'mutation { giveTariffConsent { isNew } }'],
      ['webhook:write', 'tariff:read consent:write', 'mutation { registerRtiWebhook(webhookUrl: "x") { isNew } }'],
    ])('needs the scope %s, which is checked before the rest of the request', async (scope, others, operation) => {
      const [response] = failuresOf(await execute(operation, bearer(await newToken(others))));
      expect(response).toMatch(/^PRM001/);
      const [withScope] = failuresOf(await execute(operation, bearer(await newToken(scope))));
      expect(withScope ?? 'let in').not.toMatch(/^(PRM|AUT)/);
    });

    it.each(['SUSPENDED', 'DISABLED'])(
      'is rejected at once while it is %s, and reads public data only',
      async (status) => {
        const { user_id: userId } = rtiUser();
        await fixture.setRtiUserStatus(userId, status);
        expect(failuresOf(await execute('mutation { giveTariffConsent { isNew } }', bearer(token)))).toEqual([
          'RTI001',
        ]);
        const { data } = await execute(contact(), bearer(token));
        expect(data).toEqual({ rtiUser: { displayName: 'Kestrel', contact: null } });
        await fixture.setRtiUserStatus(userId, 'ACTIVE');
        expect(failuresOf(await execute('mutation { giveTariffConsent { isNew } }', bearer(token)))).toEqual([]);
      },
    );

    describe('of an RTI User or a supplier that is not active', () => {
      const give = 'mutation { giveTariffConsent { registrationId } }';
      const revoke = (id: string) => `mutation { revokeTariffConsent(registrationId: "${id}") { registrationId } }`;
      const userStatus = (status: string) => fixture.setRtiUserStatus(rtiUser().user_id, status);
      const supplierStatus = async (status: string) => {
        const admin = await graphAs(register, 'admin');
        const { mpid } = fixture.supplier;
        const { errors } = await admin(`mutation { setSupplierStatus(mpid: "${mpid}", status: ${status}) { status } }`);
        expect(errors).toEqual([]);
      };

      it.each([
        ['RTI User', 'SUSPENDED', userStatus, 'RTI001'],
        ['RTI User', 'DISABLED', userStatus, 'RTI001'],
        ['supplier', 'SUSPENDED', supplierStatus, 'AUT001'],
        ['supplier', 'DISABLED', supplierStatus, 'AUT001'],
      ])('withdraws consent while the %s is %s, and nothing else', async (_, status, setStatus, code) => {
        const id = (await execute(give, bearer(token))).data.giveTariffConsent.registrationId;
        const reading = bearer(await newToken('tariff:read'));
        await setStatus(status);
        try {
          const both = `mutation { giveTariffConsent { isNew } revokeTariffConsent(registrationId: "${id}") { registrationId } }`;
          for (const operation of [
            both,
            give,
            '{ customerTariffs { tariffId } }',
            'mutation { removeRtiWebhook(webhookId: "x") { webhookId } }',
          ])
            expect(failuresOf(await execute(operation, bearer(token)))).toEqual([code]);
          expect(failuresOf(await execute(revoke(id), reading))[0]).toMatch(/^PRM001/);
          expect(failuresOf(await execute(revoke(id), bearer(token)))).toEqual([]);
          expect(failuresOf(await execute(revoke(id), bearer(token)))[0]).toMatch(/^NTF005/);
        } finally {
          await setStatus('ACTIVE');
        }
        expect(failuresOf(await execute('{ customerTariffs { tariffId } }', bearer(token)))).toEqual([
          'RTI002 customerTariffs',
        ]);
      });
    });

    it('sees its own contact, as others do not', async () => {
      const own = { rtiUser: { displayName: 'Kestrel', contact: { email: 'partners@kestrel.example' } } };
      expect((await execute(contact(), bearer(token))).data).toEqual(own);
      expect((await execute(contact(), {})).data.rtiUser.contact).toBeNull();
    });

    it('may call no operation of accounts or customers', async () => {
      expect(failuresOf(await execute('{ viewer { accountId } }', bearer(token)))).toEqual(['PRM001']);
      expect(failuresOf(await execute('{ customerSession { signedInBy } }', bearer(token)))).toEqual(['PRM001']);
    });

    it('may register webhooks with a token that names no consumer', async () => {
      const { client_id: id, client_secret: secret } = rtiUser();
      const own = await (await rtiApplication(fixture.supplier, { id, secret })).ownToken();
      expect(failuresOf(await execute('{ customerTariffs { tariffId } }', bearer(own)))[0]).toMatch(/^PRM001/);
      expect(failuresOf(await execute(contact(), bearer(own)))).toEqual([]);
    });
  });

  describe('an invalid token', () => {
    it('is rejected even by public operations: AUT001 with a challenge', async () => {
      const { privateKey } = keyPair('RS256');
      const forged = await new SignJWT({ iss: fixture.supplier.issuer, aud: fixture.supplier.audience })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(privateKey);
      for (const sent of [forged, 'x', `${token}x`]) {
        const response = await execute('{ supplierPage { meta { total } } }', bearer(sent));
        expect([response.status, ...failuresOf(response)]).toEqual([401, 'AUT001']);
        expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      }
    });

    it('does not affect a verification (Interface A)', async () => {
      const query = `{ accessRecord(key: "${register.sandbox.samples.access_keys.active}") { ak } }`;
      expect(failuresOf(await execute(query, bearer('x')))).toEqual([]);
    });
  });

  describe('a supplier with its API key', () => {
    it('has the rights of a supplier at every endpoint', async () => {
      expect((await execute(contact(), withKey(fixture.apiKey))).data.rtiUser.contact).not.toBeNull();
      const { data } = await execute('{ viewer { role } }', withKey(fixture.apiKey));
      expect(data).toEqual({ viewer: { role: 'SUPPLIER' } });
    });

    it('publishes a tariff with a year of half-hourly prices, with more than 1.5 MB; with a wrong key it receives AUT003', async () => {
      const tariffId = `trf_${randomBytes(16).toString('hex')}`;
      const input = { ...tariffInput(1), mpid: fixture.supplier.mpid, tariffId, rates: yearOfRates() };
      expect(JSON.stringify(input).length).toBeGreaterThan(1_500_000);
      const rejected = await execute(PUBLISH, withKey(`sk_${'A'.repeat(43)}`), { input });
      expect([rejected.status, ...failuresOf(rejected)]).toEqual([401, 'AUT003']);
      const { data, errors } = await execute(PUBLISH, withKey(fixture.apiKey), { input });
      expect([errors, data?.publishTariff.isNew]).toEqual([[], true]);
    });

    it('with a wrong key receives AUT003 instead of the public data', async () => {
      for (const sent of [`sk_${'A'.repeat(43)}`, 'x', '']) {
        const response = await execute(contact(), withKey(sent));
        expect([response.status, ...failuresOf(response)]).toEqual([401, 'AUT003']);
      }
    });

    it('that sends two credentials receives AUT001', async () => {
      const response = await execute(contact(), { ...withKey(fixture.apiKey), ...bearer(token) });
      expect([response.status, ...failuresOf(response)]).toEqual([401, 'AUT001']);
      expect(response.errors[0]?.message).toContain('Send one credential');
    });

    it('subscribes over WebSocket, by the name of the header in any case, until the key is replaced', async () => {
      const client = createClient({
        url: `${register.gateway.replace(/^http/, 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: { 'X-Supplier-API-Key': fixture.apiKey },
      });
      const connected = new Promise((resolve) => client.on('connected', () => resolve('let in')));
      const subscriber = overWebSocket(
        register.gateway,
        undefined,
        { query: 'subscription { tariffEvents { id } }' },
        client,
      );
      const other = createClient({
        url: `${register.gateway.replace(/^http/, 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: { 'x-supplier-api-key': `sk_${'A'.repeat(43)}` },
      });
      const rejected = overWebSocket(
        register.gateway,
        undefined,
        { query: 'subscription { tariffEvents { id } }' },
        other,
      );
      expect(await rejected.ended).toMatchObject({
        kind: 'closed',
        code: 4401,
        reason: expect.stringMatching(/^AUT003/),
      });
      expect(await Promise.race([connected, subscriber.ended])).toBe('let in');
      await fixture.newApiKey();
      expect(await subscriber.ended).toMatchObject({
        kind: 'closed',
        code: 4401,
        reason: expect.stringMatching(/^AUT003/),
      });
      expect(failuresOf(await execute(contact(), withKey(fixture.apiKey)))).toEqual(['AUT003']);
    });
  });

  it('cause no log entry with a token, key, consumer or meter point', async () => {
    const log = register.log();
    for (const secret of [token, fixture.apiKey, fixture.consumer.login, fixture.consumer.mpxns[0] as string]) {
      expect(log.includes(secret)).toBe(false);
    }
  });
});
