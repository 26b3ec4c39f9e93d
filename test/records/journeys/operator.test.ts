import { type DataUser, identityRecord, newCustomer, newDataUser } from '../../support/customers';
import { type Graph, failuresOf, graphAs } from '../../support/graph';
import { signedInVisitor } from '../../support/portal-sign-in';
import type { PortalVisitor } from '../../support/portal-visitor';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';

const REPORT = `mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { ak state isNew } }`;
const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { activeRecordsAffected dataUsersNotified isNew } }`;

let register: SharedRegister;
let operator: Graph;
let customer: PortalVisitor;
let gadwall: DataUser;
let mpxn: string;
let ak: string;

beforeAll(async () => {
  register = await sharedRegister('a process each');
  operator = await graphAs(register, 'communications_operator');
  gadwall = await newDataUser(register, 'https://gadwall.example/back');
  const { ir, email, ...known } = await newCustomer(await newDataUser(register, 'https://larkhill.example/back'));
  ({ mpxn } = known);
  customer = await signedInVisitor(register, `ir=${ir}`, email);
});

const seen = (change: object = {}) => ({
  mpxn,
  organisationName: gadwall.name,
  organisationReference: 'ORG-7731',
  firstSeen: '2026-03-01',
  lastSeen: '2026-06-11',
  dataTypesObserved: ['ANNUAL_CONSUMPTION'],
  sourceReference: 'REPORT-1',
  ...change,
});

/** The access of an organisation on a page: its id, and what is read of it. */
function partOf(html: string, name: string): { id: string; text: string } | undefined {
  const part = html.split('<article').find((each) => each.includes(name));
  const [, id] = /data-access="([^"]+)"/.exec(part ?? '') ?? [];
  return part === undefined ? undefined : { id: String(id), text: part.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') };
}

describe('An organisation that the communications operator discovered', () => {
  it('has a key by which its record reads DISCOVERED, over the whole graph', async () => {
    const { data, errors } = await operator(REPORT, { input: seen() });
    expect(errors).toEqual([]);
    ({ ak } = data.reportDiscoveredAccess);
    expect(data.reportDiscoveredAccess).toMatchObject({ state: 'DISCOVERED', isNew: true });
    const read = await operator(
      'query ($key: AccessKey!) { accessRecord(key: $key) { state legalBasis expiry processing { purpose } dataUser { duid } } }',
      { key: ak },
    );
    expect(read.errors).toEqual([]);
    expect(read.data.accessRecord).toEqual({
      state: 'DISCOVERED',
      legalBasis: null,
      expiry: null,
      processing: { purpose: null },
      dataUser: null,
    });
    const { status, body } = await anonymousClient(register.rest)('GET', `/v1/access-records/${ak}`);
    expect([status, body['access-record']['access-event'].state]).toEqual([200, 'DISCOVERED']);
    expect(body['access-record'].processing['legal-basis']).toBeNull();
  });

  it('is shown to the customer as not registered, with its sightings and data types', async () => {
    const page = await customer.get('/access');
    expect(page.text).toContain('Organisations that are not registered');
    expect(page.html.split('<article').find((part) => part.includes(gadwall.name))).toContain(
      'portal-card--discovered',
    );
    const { text } = partOf(page.html, gadwall.name) as { text: string };
    for (const words of ['Not registered', 'Data they asked for', '1 March 2026', '11 June 2026'])
      expect(text).toContain(words);
    expect(page.text).not.toContain(ak);
  });

  it('is in both downloads', async () => {
    expect((await customer.get('/history.csv')).html).toContain(gadwall.name);
    const data = JSON.parse((await customer.get('/history.json')).html);
    expect(data['access-records']).toContainEqual(
      expect.objectContaining({
        state: 'DISCOVERED',
        'legal-basis': null,
        'data-user': null,
        'discovered-access': expect.objectContaining({ 'organisation-name': gadwall.name, 'first-seen': '2026-03-01' }),
      }),
    );
  });

  it('cannot be withdrawn: the page names the contact, and the form changes nothing', async () => {
    const { id } = partOf((await customer.get('/access')).html, gadwall.name) as { id: string };
    const page = await customer.get(`/access/${id}/withdraw`);
    expect(page.text).toContain('This organisation is not registered');
    expect(page.text).toContain(`has seen ${gadwall.name} ask for data of your meter`);
    expect(page.forms.filter(({ action }) => action.includes('withdraw'))).toEqual([]);
    const shown = await customer.get('/access');
    const [form] = shown.forms;
    await customer.post(`/access/${id}/withdraw`, form?.fields ?? {});
    const { data } = await operator('query ($key: AccessKey!) { accessRecord(key: $key) { state } }', { key: ak });
    expect(data.accessRecord.state).toBe('DISCOVERED');
  });

  it("is no Data User's to replace or revoke over REST", async () => {
    const revoked = await gadwall.rest('DELETE', `/v1/access-records/${ak}`);
    expect([revoked.status, revoked.body['errors'][0]['error-code']]).toEqual([403, 'PRM002']);
    const { body } = await gadwall.rest('POST', '/v1/identity-records', identityRecord(mpxn, null));
    const replaced = await gadwall.rest('PUT', `/v1/access-records/${ak}`, consentRecord(String(body['ir'])));
    expect([replaced.status, replaced.body['errors'][0]['error-code']]).toEqual([403, 'PRM002']);
  });

  it('leaves the warnings for the history once it registers', async () => {
    const { body } = await gadwall.rest('POST', '/v1/identity-records', identityRecord(mpxn, null));
    const purpose = 'Tariff advice, registered at last';
    const registered = await gadwall.rest('POST', '/v1/access-records', consentRecord(String(body['ir']), { purpose }));
    expect(registered.status).toBe(201);
    const page = await customer.get('/access');
    const warnings = page.html.split('<article').filter((part) => part.includes('portal-card--discovered'));
    expect(warnings.filter((part) => part.includes(gadwall.name))).toEqual([]);
    expect(page.text).toContain(purpose);
    const { text } = partOf((await customer.get('/history')).html, gadwall.name) as { text: string };
    expect(text).toContain('The organisation has registered its access since');
    const { data } = await operator('query ($key: AccessKey!) { accessRecord(key: $key) { state } }', { key: ak });
    expect(data.accessRecord.state).toBe('DISCOVERED');
  });
});

describe('A Change of Tenancy', () => {
  it('is announced once to every Data User with ACTIVE access there', async () => {
    const input = { mpxn, effectiveDate: '2020-01-01', sourceReference: 'COT-4711' };
    const responses = [await operator(RECORD, { input }), await operator(RECORD, { input })];
    expect(responses.flatMap(failuresOf)).toEqual([]);
    const [first, again] = responses.map(({ data }) => data.recordChangeOfTenancy);
    expect(first.isNew).toBe(true);
    expect(first.dataUsersNotified).toContain(gadwall.duid);
    expect(first.activeRecordsAffected).toBeGreaterThanOrEqual(first.dataUsersNotified.length);
    expect(again).toEqual({ ...first, isNew: false });
  });
});
