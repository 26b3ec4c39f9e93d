import { confirmedTokens } from '../../support/confirmed-tokens';
import {
  type Customer,
  type DataUser,
  identityRecord,
  linkIn,
  newCustomer,
  newDataUser,
  newMpxn,
  nextMail,
} from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { signedInVisitor } from '../../support/portal-sign-in';
import { consentRecord } from '../../support/records';
import {
  type SharedRegister,
  type TestRegister,
  sharedRegister,
  startTestRegister,
  usualWirings,
} from '../../support/register';
import { anonymousClient, signedInClient } from '../../support/rest-client';
import { until } from '../../support/until';

const LIST = `query ($part: CustomerRecordPart!) {
  customerAccessRecords(part: $part) {
    totalCount
    nodes {
      id version state legalBasis purpose dataTypes registeredAt expiry
      leadControllerName arrangementType controllerCount
      recordMetadata { schemaVersion createdAt identityRecordRef duid controllerArrangement { controllers { name contactUrl } } }
      notice { sharedNotice { termsUrl } }
      processing { legalBasis purpose recipients { name } }
      accessEvent { state registeredAt revokedAt }
      dataUser { displayName status }
      discoveredAccess { organisationName }
      transitions { nodes { to cause reason } } versions { nodes { version legalBasis } }
    }
  }
}`;
const WITHDRAW = 'mutation ($id: ID!) { withdrawConsent(id: $id) { id revokedAt } }';
const LOOKUPS = '{ accessLooks { organisation kind hour count recordId } }';

describe.each(usualWirings())('A signed-in customer (%s)', (wiring) => {
  let register: SharedRegister;
  let dataUser: DataUser;
  let customer: Customer;
  let session: Graph;
  let consentId: string;
  let contractId: string;

  beforeAll(async () => {
    register = await sharedRegister(wiring);
    dataUser = await newDataUser(register, 'https://larkhill.example/return');
    customer = await newCustomer(dataUser);
    const contract = consentRecord(customer.ir, { 'legal-basis': 'uk-contract' });
    await dataUser.rest('POST', '/v1/access-records', {
      ...contract,
      notice: null,
      'access-event': { ...contract['access-event'], consent: null },
    });
    session = await signedIn(register, customer);
    const { nodes } = await listed('CURRENT');
    [contractId, consentId] = nodes.map(({ id }: { id: string }) => id);
  });

  async function listed(part: 'CURRENT' | 'HISTORY') {
    const response = await session(LIST, { part });
    expect(failuresOf(response)).toEqual([]);
    return response.data.customerAccessRecords;
  }

  it('reads who has access, but neither access keys nor the key of the Identity Record', async () => {
    const response = await session(LIST, { part: 'CURRENT' });
    const { totalCount, nodes } = response.data.customerAccessRecords;
    expect([totalCount, nodes.length]).toEqual([2, 2]);
    expect(nodes[1]).toMatchObject({
      legalBasis: 'UK_CONSENT',
      state: 'ACTIVE',
      recordMetadata: { identityRecordRef: null, duid: dataUser.duid },
      dataUser: { displayName: dataUser.name },
      transitions: { nodes: [{ to: 'ACTIVE', cause: 'REGISTERED', reason: null }] },
      versions: { nodes: [{ version: 1, legalBasis: 'UK_CONSENT' }] },
    });
    expect(response.text).not.toContain(customer.key);
    expect(response.text).not.toContain(customer.ir);
  });

  it.each(['ak', 'recordMetadata { recordIdentifier }', 'identityRecord { id }'])(
    'may not read fields that are not for customers: %s',
    async (field) => {
      const response = await session(`query ($id: ID!) { customerAccessRecord(id: $id) { state ${field} } }`, {
        id: consentId,
      });
      expect(failuresOf(response).map((failure) => failure.split(' ')[0])).toEqual(['PRM002']);
      expect(response.text).not.toContain(customer.key);
    },
  );

  it('reads by access key the same fields as other callers with the key, but not the history', async () => {
    const byKey = 'query ($key: AccessKey!) { accessRecord(key: $key) { state transitions { nodes { to } } } }';
    expect(failuresOf(await session(byKey, { key: customer.key }))).toEqual(['PRM002 accessRecord.transitions']);
  });

  it('cannot read or withdraw access at another meter point', async () => {
    const neighbour = await newCustomer(dataUser);
    const neighbours = await signedIn(register, neighbour);
    const { data } = await neighbours(LIST, { part: 'CURRENT' });
    const [{ id }] = data.customerAccessRecords.nodes;
    const one = 'query ($id: ID!) { customerAccessRecord(id: $id) { state } }';
    expect((await session(one, { id })).data).toEqual({ customerAccessRecord: null });
    expect(failuresOf(await session(WITHDRAW, { id }))).toEqual(['NTF001 withdrawConsent']);
    expect(failuresOf(await session(WITHDRAW, { id: 'no id' }))).toEqual(['NTF001 withdrawConsent']);
    expect((await neighbours(one, { id })).data).toEqual({ customerAccessRecord: { state: 'ACTIVE' } });
  });

  it('reads lookups by hour, with the names of organisations that authenticated', async () => {
    const anonymous = anonymousClient(register.rest);
    await anonymous('GET', `/v1/access-records/${customer.key}`);
    await anonymousClient(register.rest, 'Bearer nonsense')('GET', `/v1/access-records/${customer.key}`);
    const provider = await signedInClient(register, 'data_provider');
    await provider('GET', `/v1/access-records/${customer.key}`);
    await dataUser.rest('GET', `/v1/meter-points/${customer.mpxn}/access-records`);
    const lookups = await until(async () => {
      const { data } = await session(LOOKUPS);
      const seen = data.accessLooks.filter(
        ({ recordId, organisation }: { recordId: string; organisation: string | null }) =>
          recordId === consentId && organisation !== 'Register Back Office', // other tests list all records of the register
      );
      return seen.filter(({ kind }: { kind: string }) => kind === 'VERIFICATION').length >= 2 ? seen : undefined;
    });
    expect(lookups).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ organisation: null, kind: 'VERIFICATION' }),
        expect.objectContaining({ organisation: 'Brackenfield Meter Data Ltd', kind: 'VERIFICATION', count: 1 }),
        expect.objectContaining({ organisation: dataUser.name, kind: 'LISTING', count: 1 }),
      ]),
    );
    expect(lookups).toHaveLength(3);
    for (const { hour } of lookups) expect(hour).toMatch(/:00:00\.000Z$/);
  });

  it('withdraws consent only, which every verification reads before the response', async () => {
    expect(failuresOf(await session(WITHDRAW, { id: contractId }))).toEqual(['CNF001 withdrawConsent']);
    const { data } = await session(WITHDRAW, { id: consentId });
    const { body } = await anonymousClient(register.rest)('GET', `/v1/access-records/${customer.key}`);
    expect(body['access-record']['access-event']).toMatchObject({
      state: 'REVOKED',
      'revoked-at': data.withdrawConsent.revokedAt,
    });
    expect(failuresOf(await session(WITHDRAW, { id: consentId }))).toEqual(['CNF001 withdrawConsent']);
    const { nodes } = await listed('HISTORY');
    expect(nodes).toMatchObject([
      {
        id: consentId,
        state: 'REVOKED',
        transitions: {
          nodes: [{ cause: 'REGISTERED' }, { to: 'REVOKED', cause: 'WITHDRAWN', reason: 'CUSTOMER_REQUEST' }],
        },
      },
    ]);
    expect((await listed('CURRENT')).nodes.map(({ id }: { id: string }) => id)).toEqual([contractId]);
  });

  it('who moves in reads the version that applied then, and later ones, but no earlier version', async () => {
    const { ir, mpxn, key } = await newCustomer(dataUser);
    const replace = async (purpose: string, noticeVersion: string) => {
      const body = consentRecord(ir, { purpose });
      body.notice['shared-notice']['notice-version'] = noticeVersion;
      const { status } = await dataUser.rest('PUT', `/v1/access-records/${key}`, body);
      expect(status).toBe(200);
    };
    await replace('Before the move', '2026-02');
    const operator = await signedInClient(register, 'communications_operator');
    const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Europe/London' });
    const change = { mpxn, 'effective-date': today, 'source-reference': 'COT-1' };
    expect((await operator('POST', '/v1/cot-events', change)).status).toBe(201);
    const email = `coming-${mpxn}@customer.example`;
    const other = await newDataUser(register, 'https://larkhill.example/coming');
    const incoming = { ...identityRecord(mpxn, email), 'pii-principal': { mpxn, 'move-in-date': today } };
    expect((await other.rest('POST', '/v1/identity-records', incoming)).status).toBe(201);
    const occupant = await signedIn(register, { mpxn, email });
    const query = `{ customerAccessRecords(part: CURRENT) { nodes {
      versions { nodes { version purpose replacedSections } } newest: versions(first: 1, newestFirst: true) { nodes { version } nextCursor } } } }`;
    const versions = async () => (await occupant(query)).data.customerAccessRecords.nodes;
    const applied = { version: 2, purpose: 'Before the move', replacedSections: [] };
    expect(await versions()).toEqual([
      { versions: { nodes: [applied] }, newest: { nodes: [{ version: 2 }], nextCursor: null } },
    ]);
    await replace('After the move', '2026-03');
    expect(await versions()).toEqual([
      {
        versions: { nodes: [applied, { version: 3, purpose: 'After the move', replacedSections: ['NOTICE'] }] },
        newest: { nodes: [{ version: 3 }], nextCursor: expect.any(String) },
      },
    ]);
  });

  it.each([
    ['without a Change of Tenancy', null],
    ['after one of a day before both move-in dates', '2021-03-01'],
  ])('whom two Data Users enrolled reads the same list in a third-party portal, %s', async (_, effective) => {
    const mpxn = newMpxn();
    if (effective !== null) {
      const operator = await signedInClient(register, 'communications_operator');
      const change = { mpxn, 'effective-date': effective, 'source-reference': 'COT-1' };
      expect((await operator('POST', '/v1/cot-events', change)).status).toBe(201);
    }
    const email = `twice-${mpxn}@customer.example`;
    const later = await newDataUser(register, 'https://larkhill.example/later');
    for (const [{ rest }, movedIn, ended] of [
      [dataUser, '2021-04-01', '2022-06-01T00:00:00Z'],
      [later, '2023-01-01', '2024-06-01T00:00:00Z'],
    ] as const) {
      const identity = { ...identityRecord(mpxn, email), 'pii-principal': { mpxn, 'move-in-date': movedIn } };
      const ir = String((await rest('POST', '/v1/identity-records', identity)).body['ir']);
      const record = consentRecord(ir);
      const event = { ...record['access-event'], 'registered-at': '2022-01-01T00:00:00Z', expiry: ended };
      for (const body of [record, { ...record, 'access-event': event }])
        expect((await rest('POST', '/v1/access-records', body)).status).toBe(201);
    }
    const customers = await signedIn(register, { mpxn, email });
    type Listed = { expiry: string | null; dataUser: { displayName: string } };
    const nameOf = ({ expiry, dataUser: { displayName } }: Listed) => `${displayName} ${expiry}`;
    const own = ['CURRENT', 'HISTORY'].map(async (part) => {
      const { nodes } = (await customers(LIST, { part })).data.customerAccessRecords;
      return nodes.map(nameOf);
    });
    const portal = await newDataUser(register, 'https://larkhill.example/portal', 'PORTAL');
    const [token] = await confirmedTokens(register, portal, { mpxn, email }, 1);
    const list = `query ($mpxn: MPxN!, $token: String!) { meterPoint(mpxn: $mpxn) {
      accessRecords(first: 10, reidentificationToken: $token) { nodes { expiry dataUser { displayName } } } } }`;
    const { data } = await graphOf(register, portal.token)(list, { mpxn, token });
    const ofPortal = data.meterPoint.accessRecords.nodes.map(nameOf);
    const inPortal = (await Promise.all(own)).flat();
    expect(inPortal).toHaveLength(4);
    expect(ofPortal.toSorted()).toEqual(inPortal.toSorted());
  });

  it('is the only role that may use these operations', async () => {
    const fields = [LIST.replace('$part)', 'CURRENT)').replace('($part: CustomerRecordPart!)', ''), LOOKUPS];
    for (const query of fields) {
      expect(failuresOf(await graphOf(register)(query))[0]).toMatch(/^AUT001/);
      for (const role of ['data_user', 'admin', 'portal'] as const) {
        expect(failuresOf(await (await graphAs(register, role))(query))[0]).toMatch(/^PRM001/);
      }
    }
    expect(failuresOf(await (await graphAs(register, 'admin'))(WITHDRAW, { id: contractId }))[0]).toMatch(/^PRM001/);
  });

  it('cannot read any more once the session has ended', async () => {
    expect(failuresOf(await session('mutation { endCustomerSession }'))).toEqual([]);
    expect(failuresOf(await session(LOOKUPS))[0]).toMatch(/^AUT001/);
    expect(failuresOf(await session(WITHDRAW, { id: contractId }))[0]).toMatch(/^AUT001/);
  });
});

describe('A customer of a register with limits', () => {
  let register: TestRegister;
  beforeAll(async () => {
    register = await startTestRegister('one process', { environment: { RATE_LIMITS: 'on', LIMIT_REQUESTS: '100' } });
  });
  afterAll(() => register?.close());

  it('reads the name of an organisation that verifies above its request rate', async () => {
    const customer = await newCustomer(await newDataUser(register, 'https://larkhill.example/return'));
    const session = await signedIn(register, customer);
    const { rest, name, duid } = await newDataUser(register, 'https://larkhill.example/other');
    await until(async () => ((await rest('GET', `/v1/data-users/${duid}`)).status === 429 ? true : undefined));
    expect((await rest('GET', `/v1/access-records/${customer.key}`)).status).toBe(200);
    const lookups = await until(async () => {
      const { data } = await session(LOOKUPS);
      return data.accessLooks.length > 0 ? data.accessLooks : undefined;
    });
    expect(lookups).toMatchObject([{ organisation: name, kind: 'VERIFICATION', count: 1 }]);
  });

  it('has a limit for each session', async () => {
    const dataUser = await newDataUser(register, 'https://larkhill.example/return');
    const [session, other] = [
      await signedIn(register, await newCustomer(dataUser)),
      await signedIn(register, await newCustomer(dataUser)),
    ];
    const read = '{ customerSession { mpxn } }';
    const { errors, headers } = await until(async () => {
      const response = await session(read);
      return response.status === 429 ? response : undefined;
    });
    expect(errors).toMatchObject([{ extensions: { code: 'LIM002' } }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(failuresOf(await other(read))).toEqual([]);
  });

  it('can sign out above that limit, once', async () => {
    const customer = await newCustomer(await newDataUser(register, 'https://larkhill.example/return'));
    const visitor = await signedInVisitor(register, `mpxn=${customer.mpxn}`, customer.email);
    const page = await visitor.get('/access');
    const token = visitor.cookies.get('register-session') ?? '';
    await until(async () => ((await visitor.get('/access')).status === 429 ? true : undefined));
    const session = graphOf(register, token);
    const end = 'mutation { endCustomerSession }';
    expect(failuresOf(await session(end))[0]).toMatch(/^LIM002/); // by a document of the client's own
    expect(await visitor.press(page, '/sign-out')).toMatchObject({ status: 303, location: '/signed-out' });
    expect(failuresOf(await session(end))[0]).toMatch(/^AUT001/);
    visitor.cookies.set('register-session', token); // a thief repeats the sign-out
    expect(await visitor.get('/access')).toMatchObject({ status: 401 });
  });

  it('does not let an organisation above its request rate read more than anyone may by a verification that it wrote', async () => {
    const dataUser = await newDataUser(register, 'https://larkhill.example/return');
    const { key } = await newCustomer(dataUser);
    const query = 'query ($key: AccessKey!) { accessRecord(key: $key) { version versions { nodes { version } } } }';
    const graph = graphOf(register, dataUser.token);
    expect((await graph(query, { key })).data).toEqual({
      accessRecord: { version: 1, versions: { nodes: [{ version: 1 }] } },
    });
    await until(async () => ((await dataUser.rest('GET', '/v1/records')).status === 429 ? true : undefined));
    const { data, errors } = await graph(query, { key });
    expect(data).toEqual({ accessRecord: { version: 1, versions: null } });
    expect(errors).toMatchObject([{ path: ['accessRecord', 'versions'], extensions: { code: 'AUT001' } }]);
  });
});

/** Signs a customer in by a mailed link. */
async function signedIn(register: SharedRegister, { mpxn, email }: Pick<Customer, 'mpxn' | 'email'>): Promise<Graph> {
  const graph = graphOf(register);
  const requestLink = 'mutation ($mpxn: MPxN!) { requestSignInLink(entry: { mpxn: $mpxn }, language: EN) }';
  expect(failuresOf(await graph(requestLink, { mpxn }))).toEqual([]);
  const secret = linkIn(await nextMail(register, email))
    .split('/')
    .at(-1);
  const { data, text } = await graph('mutation ($secret: String!) { signInWithLink(secret: $secret) { token } }', {
    secret,
  });
  if (!data?.signInWithLink) throw new Error(`the link did not sign in: ${text}`);
  return graphOf(register, data.signInWithLink.token);
}
