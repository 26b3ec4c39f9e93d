import { signedInVisitor } from '../../support/portal-sign-in';
import { type RestResponse, accountOf, anonymousClient } from '../../support/rest-client';
import { pageWith, withdrawAccess } from '../../support/user-pages';
import { type UserStory, stateOf } from '../../support/user-story';

const PURPOSE = 'Consent registered through the earlier interface';

/** Headers of every response of Interface B that announce its end of service. */
const endOf = ({ headers }: RestResponse) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));

/** Users of Interface B, and the customers of its consents. */
export function usersOfTheEarlierInterface(story: UserStory): void {
  it('a Data User with a client of Interface B logs in, registers, updates and reads a consent; the customer reads and withdraws it', async () => {
    const { register, inbox, anonymous, secret, customer } = story;
    const { mpxn } = customer;
    const { account_id, secret_key, duid } = accountOf(register.sandbox, 'data_user');
    const login = await anonymousClient(register.rest, `Basic ${btoa(`${account_id}:${secret_key}`)}`)('GET', '/login');
    expect([login.status, login.body]).toEqual([200, { 'bearer-token': expect.any(String), expires: 7200 }]);
    expect(endOf(login)).toEqual([
      expect.stringMatching(/^@\d+$/),
      expect.stringMatching(/GMT$/),
      expect.stringContaining('rel="successor-version"'),
    ]);
    const client = anonymousClient(register.rest, `Bearer ${login.body['bearer-token']}`);

    const evidence = {
      'consent-date': '2026-05-01T09:30:00.000Z',
      'terms-url': 'https://harbourlight.example/terms',
      'user-defined-reference': 'OLD-4711',
      mpxn,
      method: 'Telephone',
      address: { addressLine1: '4 Lantern Row', townCity: 'Exampleford', postcode: 'NR1 4AB' },
    };
    const consent = { duid, 'move-in-date': '2021-04-01', evidence, 'data-type': ['HH-CONSUMPTION'] };
    const response = await client('POST', '/register-consent', consent);
    expect(response.status).toBe(201);
    const { key: ck } = response.body['consent-token'];
    expect(ck).toMatch(/^ck_[0-9a-f]{24}$/);
    const wider = ['HH-CONSUMPTION', 'TARIFF-IMPORT'];
    const updated = await client('POST', `/register-consent?ck=${ck}`, { ...consent, 'data-type': wider });
    expect([updated.status, updated.body['consent-token'].key]).toEqual([200, ck]);
    const shown = await client('GET', `/show-consents/${mpxn}`);
    expect(shown.body['consents']).toMatchObject([{ duid, evidence, 'data-type': wider }]);
    expect(shown.body['response']).toMatchObject({ 'response-time-stamp': expect.any(String) });

    const ak = String(ck).replace('ck_', 'ak_');
    expect(await stateOf(ak, anonymous)).toBe('ACTIVE');
    const visitor = await signedInVisitor(register, `ir=${customer.ir}`, customer.email);
    const [welsh, english] = [await visitor.get('/access?lang=cy'), await visitor.get('/access?lang=en')];
    expect(welsh.text).toContain('Cydsyniad a gofrestrwyd drwy’r rhyngwyneb cynharach');
    expect(english.text).toContain(PURPOSE);
    for (const { text } of [welsh, english, await visitor.get('/history.csv')])
      expect(text).not.toContain('unversioned');
    await pageWith(visitor, '/who-looked', 'Asked which consents are registered for your meter point');
    await withdrawAccess(visitor, PURPOSE);
    expect(await stateOf(ak, anonymous)).toBe('REVOKED');
    expect((await client('GET', `/show-consents/${mpxn}`)).body['consents']).toEqual([]);
    expect((await inbox.event('data-user', 'consent.withdrawal', secret))['payload']).toMatchObject({ ak, mpxn });
  });
}
