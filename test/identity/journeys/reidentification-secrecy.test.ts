import { Client } from 'pg';
import { SoftwareAuthenticator } from '../../support/authenticator';
import { type DataUser, identityRecord, mailsTo, newDataUser, newMpxn } from '../../support/customers';
import { graphOf } from '../../support/graph';
import { mailedPath } from '../../support/portal-sign-in';
import { PortalVisitor, type VisitedPage } from '../../support/portal-visitor';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import type { RestResponse } from '../../support/rest-client';
import { loggedSoFar } from '../../support/logged-so-far';
import { type SearchedPlace, findings } from '../../support/secret-scan';

const KEY_OF_AN_IDENTITY_RECORD = /ir_[0-9a-f]{24}/;
const RETURN_URL = 'https://second.example/return';

/** Query for all fields of an access record that its registrant may read. */
const READ = `query ($key: AccessKey!) { accessRecord(key: $key) { id ak version state
  recordMetadata { identityRecordRef duid recordIdentifier } identityRecord { id ir }
  dataUser { duid displayName contactUrl } reidentificationToken
  transitions { nodes { at cause reason } } versions { nodes { version recordedAt } } } }`;
const LIST = '{ accessRecords { nodes { id ak recordMetadata { identityRecordRef } identityRecord { id } } } }';

describe.each(usualWirings())('A Data User that re-identifies the customer of another (%s)', (wiring) => {
  let register: SharedRegister;
  let first: DataUser;
  let second: DataUser;
  let customer: PortalVisitor;
  let passkeys: SoftwareAuthenticator;
  /** All responses, redirects, pages and mails that the second Data User and the customer received, by source. */
  const shown: SearchedPlace[] = [];
  /** Values that would disclose which Data User registered the customer. */
  const hidden = new Map<string, string>();
  const mpxn = newMpxn();
  const email = `returning-${mpxn}@customer.example`;

  const show = (name: string, ...content: unknown[]) =>
    void shown.push({ name, content: Buffer.from(content.map((each) => JSON.stringify(each)).join('\n')) });
  const rest = async (method: string, path: string, body?: object): Promise<RestResponse> => {
    const response = await second.rest(method, `/v1${path}`, body);
    show(`${method} ${path}`, response.status, [...response.headers], response.body);
    return response;
  };
  const seen = (name: string, page: VisitedPage) => {
    show(name, page.status, [...page.headers], page.html);
    return page;
  };
  /** Opens a page in both languages; returns the English one. */
  const opened = async (path: string) => {
    seen(`${path} in Welsh`, await customer.get(`${path}?lang=cy`));
    return seen(path, await customer.get(`${path}?lang=en`));
  };
  /** Requests options and posts the authenticator's response, as the script of the page does. */
  const usePasskey = async (path: string) => {
    const page = await opened(path);
    const { fields = {} } = page.forms.find(({ action }) => action === path) ?? {};
    const received = await customer.post(`${path}/options`, fields, { accept: 'application/json' });
    const { options } = JSON.parse(seen(`${path}/options`, received).html);
    const credential = options.user === undefined ? passkeys.get(options) : passkeys.create(options);
    return seen(`POST ${path}`, await customer.press(page, path, { credential: JSON.stringify(credential) }));
  };
  const press = async (path: string) => seen(`POST ${path}`, await customer.press(await opened(path), path));
  const start = async (method: string, urls: object = {}) => {
    const { status, body } = await rest('POST', '/identity-records/reidentify', { mpxn, method, ...urls });
    expect(status).toBe(200);
    const { 'token-ref': token, 'redirect-url': redirect } = body['magic-link'] ?? body['passkey'];
    return { token: String(token), path: redirect ? new URL(redirect).pathname : '' };
  };
  const statusOf = async (token: string) => (await rest('GET', `/identity-records/reidentify/${token}`)).body['status'];

  beforeAll(async () => {
    register = await sharedRegister(wiring);
    first = await newDataUser(register, 'https://first.example/return');
    second = await newDataUser(register, RETURN_URL);
    customer = new PortalVisitor(register.portal);
    passkeys = new SoftwareAuthenticator({ origin: new URL(register.portal).origin });
    const { body } = await first.rest('POST', '/v1/identity-records', identityRecord(mpxn, email));
    const ir = String(body['ir']);
    hidden.set('key of the Identity Record', ir).set('internal id', await internalId(register, ir));
    hidden.set('enrolling Data User', first.duid).set('its name', first.name).set('its site', 'first.example');
  });

  it('receives the customer back by a mailed link, and registers and reads the access', async () => {
    await rest('GET', `/identity-records/exists?mpxn=${mpxn}`);
    const { token } = await start('magic-link', { 'redirect-url': RETURN_URL });
    const path = await mailedPath(register, email, 'identify/link');
    expect((await press(path)).location).toBe(`${RETURN_URL}?dar-reid-token=${token}`);
    expect(await statusOf(token)).toBe('confirmed');
    const { 'record-metadata': metadata, ...record } = consentRecord('');
    const { 'identity-record-ref': _, ...unlinked } = metadata;
    const content = { ...record, 'record-metadata': unlinked };
    const registered = await rest('POST', '/access-records', { ...content, 'reidentification-token': token });
    expect(registered.status).toBe(201);
    const key = String(registered.body['access-token'].key);
    await readEverywhere(key);
    expect((await rest('PUT', `/access-records/${key}`, content)).status).toBe(200);
    await readEverywhere(key);
  });

  async function readEverywhere(key: string) {
    const graph = graphOf(register, second.token);
    for (const [query, variables] of [
      [READ, { key }],
      [LIST, {}],
    ] as const) {
      const { text, headers, data, errors } = await graph(query, variables);
      show('GraphQL', text, [...headers]);
      expect([errors, JSON.stringify(data).includes(key)]).toEqual([[], true]);
    }
    for (const path of [`/access-records/${key}`, '/records', `/meter-points/${mpxn}/access-records`])
      expect((await rest('GET', path)).status).toBe(200);
  }

  it('receives the customer back by a new passkey, after a proof by mail', async () => {
    const { token, path } = await start('passkey-register', { 'passkey-return-url': RETURN_URL });
    const sent = await customer.press(await opened(path), `${path}/mail-proof`);
    seen(`POST ${path}/mail-proof`, sent);
    await opened(sent.location as string);
    const proved = await press(await mailedPath(register, email, 'identify/proof'));
    expect((await usePasskey(proved.location as string)).location).toBe(`${RETURN_URL}?dar-passkey-token=${token}`);
    expect(await statusOf(token)).toBe('confirmed');
  });

  it('receives a confirmation by passkey while the customer stays on the page of the register', async () => {
    const { token, path } = await start('passkey-assert');
    const { location } = await usePasskey(path);
    expect(location).toBe('/identify/done');
    expect((await opened(location as string)).text).toContain(second.name);
    expect(await statusOf(token)).toBe('confirmed');
    expect((await opened(path)).status).toBe(404);
  });

  it('cannot find out which Data User registered the customer: from no response, redirect, page or mail', async () => {
    const mails = await mailsTo(register, email);
    expect(mails).toHaveLength(2);
    show('the mails', mails);
    for (const { id } of passkeys.passkeys) hidden.set('credential id', id);
    const disclosed = Buffer.concat(shown.map(({ content }) => content)).toString();
    for (const expected of [second.name, second.duid, 'identify/proof', 'transaction-id'])
      expect(disclosed).toContain(expected);
    expect(shown.filter(({ content }) => KEY_OF_AN_IDENTITY_RECORD.test(content.toString()))).toEqual([]);
    expect(findings(hidden, shown)).toEqual([]);
  });

  it('finds no Identity Record or organisation named in a log either', async () => {
    const log = await loggedSoFar(register);
    expect(log).toContain('/v1/identity-records/reidentify/{token-ref}');
    expect(log).not.toMatch(KEY_OF_AN_IDENTITY_RECORD);
    for (const name of [first.name, email, mpxn]) expect(log).not.toContain(name);
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
