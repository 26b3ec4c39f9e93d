import { consumerToken } from '../../support/consumer-sign-in';
import { graphAs } from '../../support/graph';
import type { TestRegister } from '../../support/register';
import { accountOf, anonymousClient } from '../../support/rest-client';
import { ASSIGN, PUBLISH, tariffInput, trf } from '../../support/tariff-graph';
import { until } from '../../support/until';
import type { UserStory } from '../../support/user-story';

const TARIFF = { flat: 1, replacement: 2, green: 3 } as const;
const MINUTES_UNTIL_SOON = 10;
const soon = () => new Date(Date.now() + MINUTES_UNTIL_SOON * 60_000).toISOString();

const EFFECTS = 'query ($mpid: String!) { tariffEvents(filter: { mpid: $mpid }) { nodes { tariff { tariffId } } } }';
type Effect = { readonly tariff: { readonly tariffId: string } | null };

type Sandbox = TestRegister['sandbox'];
/** A customer of the demo supplier, who shares a tariff with the first RTI User. */
const consumer = ({ register }: UserStory) => register.sandbox.customers[1] as Sandbox['customers'][number];
const rtiUser = ({ register }: UserStory) => register.sandbox.rti_users[0] as Sandbox['rti_users'][number];

/** Users of tariffs: of Interface D, and of the graph in which suppliers maintain their tariffs. */
export function usersOfTariffs(story: UserStory): void {
  it('a supplier publishes a tariff, assigns it to a consumer, publishes its replacement and submits a performance report', async () => {
    const { register, anonymous } = story;
    const { mpid = '', api_key: apiKey = '' } = accountOf(register.sandbox, 'supplier');
    const supplier = await graphAs(register, 'supplier');
    const { data: first } = await supplier(PUBLISH, { input: tariffInput(TARIFF.flat, { name: 'Marram Flat' }) });
    expect(first.publishTariff).toMatchObject({ isNew: true, tariff: { tariffId: trf(TARIFF.flat), version: 1 } });
    const assignment = { mpxn: consumer(story).mpxn, tariffId: trf(TARIFF.flat), from: new Date().toISOString() };
    expect((await supplier(ASSIGN, assignment)).data.assignTariff).toMatchObject({ supplier: { mpid } });
    await until(async () => {
      const { data } = await supplier(EFFECTS, { mpid });
      const tariffIds = data.tariffEvents.nodes.map(({ tariff }: Effect) => tariff?.tariffId);
      return tariffIds.includes(trf(TARIFF.flat)) ? tariffIds : undefined;
    });
    const changed = { name: 'Marram Flat 2', replaces: trf(TARIFF.flat), validFrom: soon() };
    expect((await supplier(PUBLISH, { input: tariffInput(TARIFF.replacement, changed) })).errors).toEqual([]);

    const { body: list } = await anonymous('GET', `/v1/tariff/${mpid}?tariff_type=static&limit=2`);
    expect(list).toMatchObject({ data: [{ name: 'Marram Flat 2' }, { name: 'Marram Flat' }], meta: { limit: 2 } });
    const { body: detail } = await anonymous('GET', `/v1/tariff/${mpid}/${trf(TARIFF.flat)}`);
    expect(detail['data']).toMatchObject([{ standing_charge: '0.5312', version: 1 }]);

    const withKey = { 'x-supplier-api-key': apiKey };
    const { user_id: userId } = rtiUser(story);
    expect((await anonymous('GET', `/v1/users/${userId}`)).body).not.toHaveProperty('contact');
    const seen = await anonymous('GET', `/v1/users/${userId}`, undefined, withKey);
    expect(seen.body).toMatchObject({ display_name: 'Kestrel', contact: { email: 'partners@kestrel.example' } });
    const report = {
      period_start: '2026-10-01T00:00:00Z',
      period_end: '2026-11-01T00:00:00Z',
      total_requests: 48211,
      notifications_issued: 129,
      availability_pct: 99.97,
      success_pct: 99.2,
      response_time_ms: { p50: 41, p95: 180, p99: 420 },
    };
    expect((await anonymous('POST', '/v1/report', report)).status).toBe(401);
    expect((await anonymous('POST', '/v1/report', report, withKey)).status).toBe(202);
  });

  it("an RTI User reads a consumer's tariff and receives its changes while the consumer consents, and neither after revocation", async () => {
    const { register, inbox } = story;
    const { client_id: id, client_secret } = rtiUser(story);
    const { oidc_login: login, oidc_password: password, mpxn } = consumer(story);
    const { urls } = register.sandbox as TestRegister['sandbox'] & { readonly urls: { readonly oidc: string } };
    const token = await consumerToken({ issuer: urls.oidc }, { id, secret: client_secret }, { login, password });
    const rti = anonymousClient(register.rest, `Bearer ${token}`);
    const tariffs = async () => {
      const { status, body } = await rti('GET', '/v1/tariff/customer');
      return [status, body['code'] ?? body['data'].map((each: Record<string, string>) => each['tariff_id'])];
    };
    expect(await tariffs()).toEqual([403, 'consent_required']);
    const given = await rti('POST', '/v1/consent', {});
    expect([given.status, given.body['data'].tariffs]).toEqual([201, [{ mpxn, tariff_id: trf(TARIFF.flat) }]]);
    expect(await tariffs()).toEqual([200, [trf(TARIFF.flat)]]);

    const webhook = await rti('POST', '/v1/webhook', { webhook_url: inbox.url('rti-user') });
    expect(webhook.status).toBe(201);
    const received = (event: string) => inbox.event('rti-user', event, webhook.body['signing_secret']);
    const admin = await graphAs(register, 'admin');
    const later = await admin(`mutation { setClockOffset(seconds: ${2 * MINUTES_UNTIL_SOON * 60}) }`);
    expect(later.errors).toEqual([]);
    expect(await received('tariff.update')).toMatchObject({ mpxn, tariff_id: trf(TARIFF.replacement) });
    expect(await tariffs()).toEqual([200, [trf(TARIFF.replacement)]]);
    const supplier = await graphAs(register, 'supplier');
    await supplier(PUBLISH, { input: tariffInput(TARIFF.green, { name: 'Marram Green' }) });
    const { data } = await supplier('{ registerTime }');
    const moved = await supplier(ASSIGN, { mpxn, tariffId: trf(TARIFF.green), from: data.registerTime });
    expect(moved.errors).toEqual([]);
    expect(await received('tariff.change')).toMatchObject({ mpxn, tariff_id: trf(TARIFF.green) });

    expect((await rti('DELETE', `/v1/consent/${given.body['data'].registration_id}`)).status).toBe(204);
    expect(await tariffs()).toEqual([403, 'consent_required']);
    expect(await received('consent.revoked')).toMatchObject({ mpxn });
  });
}
