import { Client } from 'pg';
import {
  type DataUser,
  identityRecord,
  linkIn,
  mailsTo,
  newDataUser,
  newMpxn,
  nextMail,
} from '../../support/customers';
import { graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import type { RestResponse, RestClient } from '../../support/rest-client';
import { loggedSoFar } from '../../support/logged-so-far';
import { databasePlaces, findings } from '../../support/secret-scan';

const RETURN_URL = 'https://second.example/return?from=register';

/** A client that records status, headers and body of every response. */
function remembering(client: RestClient, seen: string[]): RestClient {
  return async (method, path, body, headers) => {
    const response = await client(method, path, body, headers);
    seen.push(`${response.status} ${JSON.stringify([...response.headers])} ${JSON.stringify(response.body)}`);
    return response;
  };
}

const codeOf = ({ status, body }: RestResponse) => `${status} ${body['errors']?.[0]['error-code'] ?? ''}`.trim();

/** An access record with a re-identification token instead of an Identity Record. */
function recordWith(token: string) {
  const record = consentRecord('');
  Reflect.deleteProperty(record['record-metadata'], 'identity-record-ref');
  return { ...record, 'reidentification-token': token };
}

describe.each(usualWirings())('A returning customer (%s)', (wiring) => {
  let register: SharedRegister;
  let first: DataUser;
  let second: DataUser;
  /**
   * Client of the second Data User for rejected requests on foreign resources, whose responses repeat the path and are
   * not searched.
   */
  let intruder: RestClient;
  /** All responses that the second Data User received, directly or through the customer. */
  const seen: string[] = [];
  const secrets = new Map<string, string>();
  const email = `returning-${newMpxn()}@customer.example`;
  const mpxn = newMpxn();
  let ir: string;

  beforeAll(async () => {
    register = await sharedRegister(wiring);
    first = await newDataUser(register, 'https://first.example/return');
    const { rest, ...registered } = await newDataUser(register, RETURN_URL);
    second = { ...registered, rest: remembering(rest, seen) };
    intruder = rest;
    ir = String((await first.rest('POST', '/v1/identity-records', identityRecord(mpxn, email))).body['ir']);
    secrets.set('key of the Identity Record', ir).set('e-mail address', email).set('MPxN', mpxn);
  });

  const start = (body: object = {}, headers: Record<string, string> = {}) =>
    second.rest('POST', '/v1/identity-records/reidentify', { mpxn, method: 'magic-link', ...body }, headers);
  const statusOf = async (token: string) =>
    (await second.rest('GET', `/v1/identity-records/reidentify/${token}`)).body['status'];
  const tokenOf = ({ body }: RestResponse) => {
    const token = String((body['magic-link'] ?? body['passkey'])['token-ref']);
    secrets.set(`token-ref ${secrets.size}`, token);
    return token;
  };

  /** Opens the newest of `mails` mails as the customer, and presses the button of the page that it links to. */
  async function confirms(mails: number, received = seen) {
    const secret = linkIn(await nextMail(register, email, mails))
      .split('/')
      .at(-1) as string;
    secrets.set(`secret of link ${mails}`, secret);
    const confirm = 'mutation ($secret: String!) { confirmCeremonyLink(secret: $secret) { organisation returnUrl } }';
    const { data, text } = await graphOf(register)(confirm, { secret });
    received.push(text);
    return data?.confirmCeremonyLink as { organisation: string; returnUrl: string | null };
  }

  /** Starts a re-identification that the customer confirms; returns its token. */
  async function confirmedToken(): Promise<string> {
    const before = (await mailsTo(register, email)).length;
    const token = tokenOf(await start());
    await confirms(before + 1);
    return token;
  }

  describe('to another Data User, from existence check to access record', () => {
    let token: string;
    let key: string;

    it('receives a link, whose response does not disclose the address', async () => {
      const exists = await second.rest('GET', `/v1/identity-records/exists?mpxn=${mpxn}`);
      expect(exists.body['available-methods']).toContain('magic-link');
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => start({ 'redirect-url': RETURN_URL }, { 'idempotency-key': 'once' })),
      );
      expect(new Set(responses.map(tokenOf)).size).toBe(1);
      expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(4);
      const [{ body }] = responses as [RestResponse];
      expect(body['magic-link']['dispatched-to']).toBe('r***@c***.example');
      token = String(body['magic-link']['token-ref']);
      expect(await statusOf(token)).toBe('pending');
    });

    it('presses the button of the page, which names the organisation, and returns with the token', async () => {
      const { organisation, returnUrl } = await confirms(1);
      expect([organisation, returnUrl]).toEqual([second.name, `${RETURN_URL}&dar-reid-token=${token}`]);
      expect(await statusOf(token)).toBe('confirmed');
    });

    it('is registered with the token by its initiator only', async () => {
      expect(codeOf(await first.rest('POST', '/v1/access-records', recordWith(token)))).toBe('403 PRM002');
      const broken = recordWith(token);
      broken['record-metadata']['controller-arrangement']['arrangement-type'] = 'joint';
      const violated = async () =>
        (await second.rest('POST', '/v1/access-records', broken)).body['errors'].map(
          (error: Record<string, string>) => error['error-code'],
        );
      const ofArrangement = await violated();
      expect(new Set(ofArrangement)).toEqual(new Set(['VAL006']));
      const registered = await second.rest('POST', '/v1/access-records', recordWith(token));
      expect(registered.status).toBe(201);
      key = String(registered.body['access-token'].key);
      expect(codeOf(await second.rest('POST', '/v1/access-records', recordWith(token)))).toBe('400 VAL009');
      expect(await violated()).toEqual([...ofArrangement, 'VAL009']);
    });

    it('has an access record whose Identity Record is disclosed nowhere', async () => {
      const read = await second.rest('GET', `/v1/access-records/${key}`);
      expect(read.body['access-record']['record-metadata']['identity-record-ref']).toBeNull();
      for (const path of ['/v1/records', `/v1/meter-points/${mpxn}/access-records`]) {
        const { body } = await second.rest('GET', path);
        const [listed] = body['records'] ?? body['access-records'];
        expect([listed['ak'], listed['record-metadata']['identity-record-ref']]).toEqual([key, null]);
      }
      const replaced = await second.rest('PUT', `/v1/access-records/${key}`, {
        ...recordWith(token),
        'reidentification-token': null,
      });
      expect(replaced.status).toBe(200);
      expect((await second.rest('GET', `/v1/identity-records?mpxn=${mpxn}`)).body['identity-records']).toEqual([]);
      expect(codeOf(await first.rest('GET', `/v1/meter-points/${mpxn}/access-records`))).toBe('403 PRM002');
    });

    it('was mailed once', async () => {
      expect(await mailsTo(register, email)).toHaveLength(1);
    });
  });

  it('redeems a token for one access record, for concurrent requests', async () => {
    const token = await confirmedToken();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => second.rest('POST', '/v1/access-records', recordWith(token))),
    );
    expect(responses.map(codeOf).toSorted()).toEqual(['201', ...Array.from({ length: 9 }, () => '400 VAL009')]);
  });

  it('to its own Data User is re-identified by the key of its record, which others cannot use', async () => {
    const path = `/v1/identity-records/${ir}/re-identify`;
    const mails = (await mailsTo(register, email)).length;
    expect(codeOf(await intruder('POST', path, { method: 'magic-link' }))).toBe('403 PRM002');
    const token = tokenOf(await first.rest('POST', path, { method: 'magic-link' }));
    expect((await confirms(mails + 1, [])).organisation).toBe(first.name);
    expect((await first.rest('GET', `${path}/${token}`)).body).toMatchObject({
      method: 'magic-link',
      status: 'confirmed',
    });
    expect(codeOf(await intruder('GET', `${path}/${token}`))).toBe('403 PRM002');
    expect(codeOf(await intruder('GET', `/v1/identity-records/reidentify/${token}`))).toBe('404 NTF001');
    expect(codeOf(await intruder('POST', '/v1/access-records', recordWith(token)))).toBe('403 PRM002');
    expect((await first.rest('POST', '/v1/access-records', recordWith(token))).status).toBe(201);
  });

  it('is not disclosed to the other Data User: no response names the record, its address or the Data User that registered it', async () => {
    expect(seen.length).toBeGreaterThan(25);
    const values = new Map([
      ['key of the Identity Record', ir],
      ['e-mail address', email],
      ['Data User that enrolled', first.duid],
      ['name of the Data User that enrolled', first.name],
      ['internal id', await internalId(register, ir)],
    ]);
    expect(
      findings(values, [{ name: 'responses to the second Data User', content: Buffer.from(seen.join('\n')) }]),
    ).toEqual([]);
  });

  it('is stored in no table unencrypted: no address, meter point, token or secret', async () => {
    const { 'key of the Identity Record': _, ...hidden } = Object.fromEntries(secrets);
    expect(Object.keys(hidden).length).toBeGreaterThan(8);
    const places = await databasePlaces(register.databaseUrl);
    expect(findings(new Map(Object.entries(hidden)), places)).toEqual([]);
  });

  it('appears in no log: no key, address, token or secret', async () => {
    const log = await loggedSoFar(register);
    expect(log).toContain('/v1/identity-records/reidentify/{token-ref}');
    expect(findings(secrets, [{ name: 'log', content: Buffer.from(log) }])).toEqual([]);
  });
});

/** The internal id of an Identity Record, which no client may read. */
async function internalId({ databaseUrl }: SharedRegister, ir: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('select id from identity.identity_record where ref = $1', [ir]);
    return (rows[0] as { id: string }).id;
  } finally {
    await client.end();
  }
}
