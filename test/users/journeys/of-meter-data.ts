import { identityRecord } from '../../support/customers';
import { mailedPath, signedInVisitor } from '../../support/portal-sign-in';
import { PortalVisitor } from '../../support/portal-visitor';
import { consentRecord, discoveredAccess, registered } from '../../support/records';
import { accountOf, anonymousClient, signedInClient } from '../../support/rest-client';
import { pageWith, withdrawAccess } from '../../support/user-pages';
import { type UserStory, stateOf } from '../../support/user-story';

/** Users of access to meter data: of Interface A and of the portal. */
export function usersOfMeterData(story: UserStory): void {
  it('a Data User signs in, registers a customer and their consent, replaces it, receives its events and revokes it', async () => {
    const { register, inbox, customer } = story;
    const { account_id, secret_key, duid, name } = accountOf(register.sandbox, 'data_user');
    const basic = anonymousClient(register.rest, `Basic ${btoa(`${account_id}:${secret_key}`)}`);
    const signIn = await basic('GET', '/v1/auth/token');
    expect([signIn.status, signIn.body['expires']]).toEqual([200, 7200]);
    const dataUser = anonymousClient(register.rest, `Bearer ${signIn.body['bearer-token']}`);
    story.dataUser = dataUser;
    const directory = await dataUser('GET', `/v1/data-users/${duid}`);
    expect(directory.body['data-user']).toMatchObject({ duid, 'display-name': name, status: 'active' });

    const identity = await dataUser('POST', '/v1/identity-records', identityRecord(customer.mpxn, customer.email));
    expect(identity.status).toBe(201);
    customer.ir = identity.body['ir'];
    const access = await dataUser('POST', '/v1/access-records', consentRecord(customer.ir));
    expect(access.status).toBe(201);
    customer.ak = access.body['access-token'].key;
    expect(access.headers.get('location')).toBe(`/v1/access-records/${customer.ak}`);
    const advice = consentRecord(customer.ir, { purpose: 'Heating advice' });
    const replaced = await dataUser('PUT', `/v1/access-records/${customer.ak}`, advice, { 'if-match': '"1"' });
    expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, '"2"']);
    const { body: list } = await dataUser('GET', '/v1/records?state=ACTIVE&legal-basis=uk-consent&limit=1');
    expect(list['records']).toMatchObject([{ ak: customer.ak, purpose: 'Heating advice', state: 'ACTIVE' }]);

    const subscription = { 'callback-url': inbox.url('data-user'), 'alert-email': 'alerts@harbourlight.example' };
    const subscribed = await dataUser('POST', '/v1/webhooks', subscription);
    expect(subscribed.status).toBe(201);
    story.secret = subscribed.body['signing-secret'];
    const { wid } = subscribed.body['webhook'];
    expect((await dataUser('POST', `/v1/webhooks/${wid}/test`)).status).toBe(202);
    expect(await inbox.event('data-user', 'webhook.test', story.secret)).toMatchObject({ wid, payload: {} });

    const mistaken = await registered(dataUser, customer.ir);
    const revoked = await dataUser('DELETE', `/v1/access-records/${mistaken}?reason=data-no-longer-required`);
    expect([revoked.status, revoked.body]).toEqual([
      200,
      expect.objectContaining({ ak: mistaken, 'revoked-at': expect.any(String) }),
    ]);
  });

  it('a Data Provider verifies by the access key, reads a withdrawal immediately and looks up the Data User', async () => {
    const { register, anonymous, dataUser, customer } = story;
    const provider = await signedInClient(register, 'data_provider');
    for (const reader of [anonymous, provider]) {
      const { status, body } = await reader('GET', `/v1/access-records/${customer.ak}`);
      expect([status, body['access-record']]).toMatchObject([
        200,
        { 'access-event': { state: 'ACTIVE', expiry: null }, processing: { 'data-types': ['HH-CONSUMPTION'] } },
      ]);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`${customer.mpxn}|${customer.email}|Lantern Row`));
    }
    const ended = await registered(dataUser, customer.ir);
    expect(await stateOf(ended, provider)).toBe('ACTIVE');
    const { body } = await dataUser('DELETE', `/v1/access-records/${ended}?reason=customer-request`);
    const record = (await provider('GET', `/v1/access-records/${ended}`)).body['access-record'];
    expect(record['access-event']).toMatchObject({ state: 'REVOKED', 'revoked-at': body['revoked-at'] });
    const { body: found } = await provider('GET', `/v1/data-users/${record['record-metadata'].duid}`);
    expect(found['data-user']).toMatchObject({
      'display-name': accountOf(register.sandbox, 'data_user').name,
      status: 'active',
    });
  });

  it('the communications operator reports discovered access and a change of tenancy: Data Users receive events, and the former occupant reads only their own records', async () => {
    const { register, inbox, secret, customer } = story;
    const operator = await signedInClient(register, 'communications_operator');
    const moorland = await signedInClient(register, 'data_user', 1);
    const leaver = {
      ...identityRecord(customer.mpxn, 'huw.tranter@customer.example'),
      'pii-principal': { mpxn: customer.mpxn, 'move-in-date': '2015-02-01' },
    };
    const { body: left } = await moorland('POST', '/v1/identity-records', leaver);
    await moorland('POST', '/v1/access-records', consentRecord(String(left['ir']), { purpose: 'Battery flexibility' }));

    const seen = discoveredAccess(customer.mpxn, 'Quietwater Data Ltd');
    const report = await operator('POST', '/v1/discovered-access', seen);
    expect([report.status, report.body['state']]).toEqual([201, 'DISCOVERED']);
    expect(await stateOf(report.body['ak'], operator)).toBe('DISCOVERED');

    const change = { mpxn: customer.mpxn, 'effective-date': '2021-04-01', 'source-reference': 'COT-2021' };
    const recorded = await operator('POST', '/v1/cot-events', change);
    expect(recorded.status).toBe(201);
    expect(recorded.body).toMatchObject({ ...change, 'active-records-affected': 2 });
    const duids = [0, 1].map((index) => accountOf(register.sandbox, 'data_user', index).duid);
    expect(recorded.body['data-users-notified'].toSorted()).toEqual(duids.toSorted());
    const { payload } = await inbox.event('data-user', 'tenancy.change', secret);
    expect(payload).toEqual({ ...change, 'affected-aks': [customer.ak] });

    const former = await signedInVisitor(register, `ir=${left['ir']}`, leaver.email as string);
    const { text } = await former.get('/access');
    expect(text).toContain('Battery flexibility');
    expect(text).not.toMatch(/Heating advice|Quietwater/);
  });

  it('the customer signs in by the mailed link, reads every access and every lookup, and withdraws with immediate effect', async () => {
    const { register, inbox, anonymous, secret, customer } = story;
    const back = accountOf(register.sandbox, 'data_user').return_urls?.[0] as string;
    const entry = `ir=${customer.ir}&return=${encodeURIComponent(back)}`;
    const visitor = await signedInVisitor(register, entry, customer.email);
    const { text } = await visitor.get('/access');
    for (const seen of ['Heating advice', 'Battery flexibility', 'Quietwater Data Ltd']) expect(text).toContain(seen);
    expect(text).not.toMatch(/\b(ak|ir)_[0-9a-f]{24}/);
    expect(await pageWith(visitor, '/who-looked', 'Brackenfield Meter Data Ltd')).toContain('Checked an access');

    const response = await withdrawAccess(visitor, 'Heating advice');
    expect(await stateOf(customer.ak, anonymous)).toBe('REVOKED'); // the record is REVOKED before the page is served
    const done = await visitor.get(response.location as string);
    expect(done.html).toContain(`href="${back}?dar-action=withdrawn"`);
    expect((await visitor.get('/access')).text).not.toContain('Heating advice');
    expect((await visitor.get('/history')).text).toContain('Consent was withdrawn');
    const { payload } = await inbox.event('data-user', 'consent.withdrawal', secret);
    expect(payload).toMatchObject({ ak: customer.ak, mpxn: customer.mpxn, reason: 'customer-request' });
  });

  it('a third-party portal has the customer re-identified, lists every access, and withdraws by an alias that permits nothing else', async () => {
    const { register, inbox, anonymous, dataUser, secret, customer } = story;
    const portal = await signedInClient(register, 'portal');
    const [back] = accountOf(register.sandbox, 'portal').return_urls as readonly [string];
    const comparison = consentRecord(customer.ir, { purpose: 'Tariff comparison' });
    const ak = String((await dataUser('POST', '/v1/access-records', comparison)).body['access-token'].key);
    const reidentification = await portal('POST', '/v1/identity-records/reidentify', {
      mpxn: customer.mpxn,
      method: 'magic-link',
      'redirect-url': back,
    });
    const token = String(reidentification.body['magic-link']['token-ref']);
    const list = `/v1/meter-points/${customer.mpxn}/access-records?reidentification-token=${token}`;
    expect((await portal('GET', list)).status).toBe(403);

    const visitor = new PortalVisitor(register.portal);
    const link = await mailedPath(register, customer.email, 'identify/link');
    const page = await visitor.get(link);
    expect(page.text).toContain('My Meter Consents CIC');
    for (const effect of [
      'show you who has access, and end an access for you',
      'consents that you gave to other organisations',
    ])
      expect(page.text).toContain(effect);
    expect((await visitor.press(page, link)).location).toBe(`${back}?dar-reid-token=${token}`);
    expect((await portal('GET', `/v1/identity-records/reidentify/${token}`)).body['status']).toBe('confirmed');

    const { status, body } = await portal('GET', list);
    expect(status).toBe(200);
    const aliases = new Map<string, string>(
      body['access-records'].map((each: Record<string, string>) => [each['purpose'] ?? each['state'], each['ak']]),
    );
    expect([...aliases.keys()]).toEqual(
      expect.arrayContaining(['Tariff comparison', 'Battery flexibility', 'DISCOVERED']),
    );
    const alias = aliases.get('Tariff comparison') as string;
    expect(alias).not.toBe(ak);
    expect((await anonymous('GET', `/v1/access-records/${alias}`)).status).toBe(404);
    expect((await dataUser('DELETE', `/v1/access-records/${alias}`)).status).toBe(404);
    expect((await portal('DELETE', `/v1/access-records/${alias}`)).body).toMatchObject({ ak: alias });
    expect(await stateOf(ak, anonymous)).toBe('REVOKED');
    expect((await inbox.event('data-user', 'consent.withdrawal', secret))['payload'].ak).toBe(ak);
  });
}
