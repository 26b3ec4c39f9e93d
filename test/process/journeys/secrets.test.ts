import { Client } from 'pg';
import { graphAs, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister, usualWirings } from '../../support/register';
import { accountOf, anonymousClient, signedInClient, tokenOf } from '../../support/rest-client';
import { type KnownValues, databasePlaces, findings } from '../../support/secret-scan';
import { logLines } from '../../support/portal-sign-in';

const PERSONAL = {
  MPxN: '1900112233',
  'e-mail address': 'Quillon.Thistlewood@Customer.example',
  'first line of the address': '73 Thistlewood Crescent',
  'town of the address': 'Lesser Quillingham',
  postcode: 'QU7 3TW',
  'move-in date of the person': '1987-07-13',
  'reference of the evidence': 'EVIDENCE-TW-5561',
  'detail of the evidence': 'passport-of-thistlewood',
};
const IDEMPOTENCY_KEY = 'retry-of-thistlewood-0001';
const REIDENTIFICATION_TOKEN = 'mlr_5f0e1d2c3b4a59687706a5b4';
const CLIENT_SECRET = 'client-secret-of-tidewater-91';

/**
 * Sends valid and invalid requests with secrets in every position; returns the values that must not be stored or logged
 * in clear.
 */
async function useTheRegister(register: TestRegister): Promise<KnownValues> {
  const { sandbox, rest } = register;
  const values = new Map(Object.entries(PERSONAL));
  for (const { role, account_id, secret_key } of sandbox.accounts)
    values.set(`secret of ${role} ${account_id}`, secret_key);
  values.set('API key of the supplier', accountOf(sandbox, 'supplier').api_key ?? '');
  for (const role of ['data_user', 'admin', 'data_provider'] as const)
    values.set(`token of ${role}`, await tokenOf(register, role));
  for (const [name, key] of Object.entries(sandbox.samples.access_keys)) values.set(`access key ${name}`, key);
  for (const { mpxn, email, oidc_password } of sandbox.customers)
    values
      .set(`MPxN ${mpxn}`, mpxn)
      .set(`e-mail address ${email}`, email)
      .set(`supplier password ${email}`, oidc_password);
  values
    .set('idempotency key', IDEMPOTENCY_KEY)
    .set('re-identification token', REIDENTIFICATION_TOKEN)
    .set('client secret', CLIENT_SECRET);

  const dataUser = await signedInClient(register, 'data_user');
  const { body: identity } = await dataUser('POST', '/v1/identity-records', identityRecord(), {
    'idempotency-key': IDEMPOTENCY_KEY,
  });
  const ir = String(identity['ir']);
  const registered = await dataUser('POST', '/v1/access-records', consentRecord(ir), {
    'idempotency-key': IDEMPOTENCY_KEY,
  });
  const key = String(registered.body['access-token'].key);
  values.set('access key of a new record', key);
  await sendValidRequests(register, key, ir);
  await sendInvalidRequests(register, key, ir);
  await anonymousClient(rest, `Basic ${Buffer.from(`nobody:${CLIENT_SECRET}`).toString('base64')}`)(
    'GET',
    '/v1/auth/token',
  );
  return values;
}

function identityRecord() {
  return {
    'pii-principal': {
      mpxn: PERSONAL.MPxN,
      'move-in-date': PERSONAL['move-in date of the person'],
      address: {
        addressLine1: PERSONAL['first line of the address'],
        townCity: PERSONAL['town of the address'],
        postcode: PERSONAL.postcode,
      },
    },
    'expressed-by': 'data-subject',
    'principal-verification': {
      method: 'document',
      'verified-at': '2026-01-04T16:20:00Z',
      outcome: 'verified',
      reference: PERSONAL['reference of the evidence'],
      detail: { document: PERSONAL['detail of the evidence'] },
    },
    email: PERSONAL['e-mail address'],
  };
}

async function sendValidRequests(register: TestRegister, key: string, ir: string): Promise<void> {
  const dataUser = await signedInClient(register, 'data_user');
  const email = encodeURIComponent(PERSONAL['e-mail address']);
  for (const path of [
    `/v1/access-records/${key}`,
    '/v1/records',
    `/v1/meter-points/${PERSONAL.MPxN}/access-records`,
    `/v1/identity-records/${ir}`,
    `/v1/identity-records?mpxn=${PERSONAL.MPxN}&email=${email}`,
    `/v1/identity-records/exists?mpxn=${PERSONAL.MPxN}`,
  ]) {
    expect([path, (await dataUser('GET', path)).status]).toEqual([path, 200]);
  }
  expect(
    (await dataUser('PUT', `/v1/access-records/${key}`, consentRecord(ir, { purpose: 'Something else' }))).status,
  ).toBe(200);
  expect((await dataUser('DELETE', `/v1/access-records/${key}`)).status).toBe(200);
  const admin = await graphAs(register, 'admin');
  const { account_id } = accountOf(register.sandbox, 'supplier');
  await admin(
    `mutation { setSupplierOAuth(accountId: "${account_id}", issuer: "https://login.example", clientId: "c", clientSecret: "${CLIENT_SECRET}") { accountId } }`,
  );
}

async function sendInvalidRequests(register: TestRegister, key: string, ir: string): Promise<void> {
  const dataUser = await signedInClient(register, 'data_user');
  const dataProvider = await signedInClient(register, 'data_provider');
  const email = encodeURIComponent(PERSONAL['e-mail address']);
  const wrong = [
    await dataUser('POST', '/v1/identity-records', { ...identityRecord(), 'expressed-by': PERSONAL.postcode }),
    await dataUser('POST', '/v1/identity-records', JSON.stringify(identityRecord()).slice(0, -2)),
    await dataUser('POST', '/v1/access-records', {
      ...consentRecord(ir),
      'reidentification-token': REIDENTIFICATION_TOKEN,
    }),
    await dataUser('PUT', `/v1/access-records/${key}`, consentRecord(PERSONAL.MPxN)),
    await dataUser('GET', `/v1/meter-points/${PERSONAL.MPxN}0000/access-records`),
    await dataUser('GET', `/v1/${key}/${PERSONAL.MPxN}?email=${email}`),
    await dataUser('PATCH', `/v1/access-records/${key}`),
    await dataProvider('GET', `/v1/identity-records?email=${email}`),
    await anonymousClient(register.rest, `Bearer ${key}`)('GET', '/v1/records'),
  ];
  for (const { status } of wrong) expect(status).toBeGreaterThanOrEqual(400);
  for (const graph of [await graphAs(register, 'data_user'), graphOf(register)]) {
    await graph(`query ${key} { ${key}: accessRecord(key: "${key}") { state transitions { nodes { at } } } }`);
    await graph(
      `{ accessRecord(key: "${PERSONAL.MPxN}") { state } identityRecords(email: "${PERSONAL['e-mail address']}") { ir } }`,
    );
    await graph('query ($mpxn: MPxN!) { meterPoint(mpxn: $mpxn) { accessRecords(after: "x") { nextCursor } } }', {
      mpxn: PERSONAL.MPxN,
    });
    await graph(`{ identityRecords(mpxn: "${PERSONAL.MPxN}"`);
  }
}

describe.each(usualWirings())('The data that the register stores (%s)', (wiring) => {
  let register: TestRegister;
  let values: KnownValues;
  beforeAll(async () => {
    register = await startTestRegister(wiring, { environment: { RATE_LIMITS: 'on', LOG_LEVEL: 'trace' } });
    values = await useTheRegister(register);
  });
  afterAll(() => register.close());

  it('contain no secret and no personal data in any table, in any encoding', async () => {
    const places = await databasePlaces(register.databaseUrl);
    const filled = places.filter(({ content }) => content.length > 1).map(({ name }) => name);
    expect(filled).toEqual(
      expect.arrayContaining([
        'access.access_record.key_sealed',
        'identity.identity_record.sealed',
        'access.idempotency_key.answer',
        'access.rate_limit.key',
      ]),
    );
    expect(findings(values, places)).toEqual([]);
    expect(findings(new Map([['network address', '127.0.0.1']]), places)).toEqual([]);
  });

  it('are searched by a scan that finds planted values', async () => {
    const client = new Client({ connectionString: register.databaseUrl });
    await client.connect();
    const text = `before ${PERSONAL.MPxN} after`;
    await client.query('create table access.planted (clear text, bytes bytea, document jsonb, encoded text)');
    await client.query('insert into access.planted values ($1, $2, $3, $4)', [
      text,
      Buffer.from(text),
      { deep: [{ text }] },
      Buffer.from(text).toString('base64'),
    ]);
    const found = findings(values, await databasePlaces(register.databaseUrl));
    await client.query('drop table access.planted');
    await client.end();
    expect(new Set(found.map((line) => line.split(' in access.planted.')[1]))).toEqual(
      new Set(['clear', 'bytes', 'document', 'encoded']),
    );
  });

  it('contain none in the logs, which have a line for every request', async () => {
    await register.close(); // writes the log buffer
    const log = logLines(register); // without the demo logins that the sandbox prints
    expect(log).toContain('/v1/access-records/{ak}');
    expect(log.split('\n').length).toBeGreaterThan(40);
    expect(findings(values, [{ name: 'log', content: Buffer.from(log) }])).toEqual([]);
  });
});

describe('The search for secrets', () => {
  const SECRET = 'ak_5d3f9a1c7be2048643d1e0fa';
  const found = (text: string | Buffer) =>
    findings(new Map([['key', SECRET]]), [{ name: 'place', content: Buffer.from(text) }]);

  it.each([
    ['in clear', `{"key":"${SECRET}"}`],
    ['in capitals', SECRET.toUpperCase()],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in hexadecimal capitals', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 after one character', Buffer.from(`a${SECRET}b`).toString('base64')],
    ['in base64url after two characters', Buffer.from(`ab${SECRET}`).toString('base64url')],
    ['in UTF-16', Buffer.from(SECRET, 'utf16le')],
  ])('finds a value %s', (_, text) => {
    expect(found(text)).not.toEqual([]);
  });

  it('finds nothing in other text', () => {
    expect(found('ak_5d3f9a1c7be2048643d1e0f')).toEqual([]);
  });
});
