import { Client } from 'pg';
import cy from '../../../web/portal/locales/cy.json';
import en from '../../../web/portal/locales/en.json';
import { SoftwareAuthenticator } from '../../support/authenticator';
import { type Customer, type DataUser, mailsTo, newCustomer, newDataUser, newMpxn } from '../../support/customers';
import { credentialFor, logLines, mailedPath, mailedPaths } from '../../support/portal-sign-in';
import { PortalVisitor, type VisitedPage } from '../../support/portal-visitor';
import { type SharedRegister, sharedRegister } from '../../support/register';
import type { RestClient } from '../../support/rest-client';

let register: SharedRegister;
let enroller: DataUser;
let dataUser: RestClient;
let second: RestClient;
let returnUrl: string;
let organisation: string;
let customers: readonly Customer[];

beforeAll(async () => {
  register = await sharedRegister();
  enroller = await newDataUser(register, 'https://larkhill.example/return');
  dataUser = enroller.rest;
  ({ rest: second, name: organisation, returnUrl } = await newDataUser(register, 'https://wheatley.example/return'));
  customers = await Promise.all([1, 2, 3].map(() => newCustomer(enroller)));
});

const visitor = () => new PortalVisitor(register.portal);
const customer = (index: number) => customers[index] as Customer;

/** The second Data User re-identifies a customer whom the first one enrolled. */
async function reidentified(input: object) {
  const { body, status } = await second('POST', '/v1/identity-records/reidentify', input);
  if (status !== 200) throw new Error(`reidentify responded with ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function mailedConfirmation(
  { mpxn, email }: Customer,
  back: string | null,
  state?: string,
): Promise<{ path: string; token: string }> {
  const before = new Set(await mailedPaths(register.mailbox, email, 'identify/link'));
  const redirect = back === null ? {} : { 'redirect-url': back };
  const body = await reidentified({
    mpxn,
    method: 'magic-link',
    ...redirect,
    ...(state === undefined ? {} : { state }),
  });
  return { path: await mailedPath(register, email, 'identify/link', before), token: body['magic-link']['token-ref'] };
}

/** Target and text of each link of a page. */
const linksOf = ({ html }: VisitedPage) =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href = '', text = '']) => [
    href.replaceAll('&amp;', '&'),
    text.replaceAll('&amp;', '&'),
  ]);

const statusOf = async (token: string) =>
  (await second('GET', `/v1/identity-records/reidentify/${token}`)).body['status'];

describe('a link that is mailed for a re-identification', () => {
  it('opens a page that names the organisation, with one form and one button; opening it confirms nothing', async () => {
    const { path, token } = await mailedConfirmation(customer(0), returnUrl);
    for (const language of ['en', 'cy']) {
      const page = await visitor().get(`${path}?lang=${language}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(organisation);
      expect(page.html).toContain(`<html lang="${language}"`);
      expect(page.forms).toMatchObject([{ action: path, buttons: 1 }]);
      expect(page.html.match(/<button/g)).toHaveLength(1);
      expect(page.html).toMatch(new RegExp(`href="${path}\\?lang=(en|cy)"`));
    }
    const [mail] = await mailsTo(register, customer(0).email);
    expect(mail?.text).toContain(organisation);
    expect(mail?.text).not.toContain(enroller.name);
    expect(await statusOf(token)).toBe('pending');

    const newVisitor = visitor();
    const response = await newVisitor.press(await newVisitor.get(path), path);
    expect(response).toMatchObject({ status: 303, location: `${returnUrl}?dar-reid-token=${token}` });
    expect(await statusOf(token)).toBe('confirmed');

    const again = await newVisitor.get(path);
    expect(again.status).toBe(404);
    expect(again.text).toContain('This link no longer works');
    expect(again.text).toMatch(/tid_[0-9a-f]{24}/);
  });

  it.each([
    ['en', en],
    ['cy', cy],
  ] as const)(
    'leads after a second press of its button to a page that says where to go on (%s)',
    async (language, texts) => {
      const { path, token } = await mailedConfirmation(customer(1), returnUrl);
      const newVisitor = visitor();
      const page = await newVisitor.get(`${path}?lang=${language}`);
      expect((await newVisitor.press(page, path)).status).toBe(303);
      const again = await newVisitor.press(page, path);
      expect([again.status, again.text]).toEqual([404, expect.stringContaining(texts.problem.confirmationUsed.text)]);
      expect(again.html).not.toContain(token);
      expect(await statusOf(token)).toBe('confirmed');
    },
  );

  it('ends on a page of the register if there is no return URL', async () => {
    const { path } = await mailedConfirmation(customer(1), null);
    const newVisitor = visitor();
    const response = await newVisitor.press(await newVisitor.get(path), path);
    expect(response).toMatchObject({ status: 303, location: '/identify/done' });
    const done = await newVisitor.get('/identify/done');
    expect(done.text).toContain(`You have confirmed to ${organisation} that it is you.`);
    expect((await visitor().get('/identify/done')).status).toBe(404);
  });

  it.each([
    ['the return URL of the Data User, with the state and without the token', true],
    ['the start page without one', false],
  ])('has a link that cancels, to %s, and stays valid', async (_, returns) => {
    const state = 'a 7&b';
    const { path, token } = await mailedConfirmation(
      customer(2),
      returns ? returnUrl : null,
      returns ? state : undefined,
    );
    const texts = returns
      ? [`Cancel and go back to ${organisation}`, `Canslo a mynd yn ôl at ${organisation}`]
      : ['Cancel and go to the start page', 'Canslo a mynd i’r dudalen gychwyn'];
    const to = returns ? `${returnUrl}?state=a%207%26b` : `${register.portal}/`;
    for (const [index, language] of ['en', 'cy'].entries())
      expect(linksOf(await visitor().get(`${path}?lang=${language}`))).toContainEqual([to, texts[index]]);
    expect(await statusOf(token)).toBe('pending');
    const newVisitor = visitor();
    expect((await newVisitor.press(await newVisitor.get(path), path)).status).toBe(303);
    expect(await statusOf(token)).toBe('confirmed');
  });

  it('may lead to another site: the policy of its page allows that, the policies of other pages do not', async () => {
    const { path } = await mailedConfirmation(customer(2), returnUrl);
    expect((await visitor().get(path)).headers.get('content-security-policy')).toContain("form-action 'self' https:");
    expect((await visitor().get('/')).headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  it('does not open the page of another ceremony', async () => {
    const { path } = await mailedConfirmation(customer(2), returnUrl);
    expect((await visitor().get(path.replace('/link/', '/proof/'))).status).toBe(404);
    expect((await visitor().get(path.replace('/link/', '/passkey/'))).status).toBe(404);
  });
});

describe('a passkey', () => {
  const mpxn = newMpxn();
  const email = `mair.preece.${mpxn}@customer.example`;
  let authenticator: SoftwareAuthenticator;
  let ir: string;

  beforeAll(() => {
    authenticator = new SoftwareAuthenticator({ origin: new URL(register.portal).origin });
  });

  /** Does what the page's script does: fetches options and submits the authenticator's response. */
  async function useScript(newVisitor: PortalVisitor, page: VisitedPage, form: string): Promise<VisitedPage> {
    return newVisitor.press(page, form, { credential: await credentialFor(newVisitor, page, form, authenticator) });
  }

  /** Ends the five minutes of the redirects to make a passkey of a record. */
  async function expireRedirects(record: string): Promise<void> {
    const owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    await owner.query(
      `update identity.ceremony c set expires_at = register.register_now() - interval '1 s'
        from identity.reidentification i join identity.identity_record r on r.id = i.record_id
        where i.id = c.reidentification_id and c.kind = 'register-passkey' and r.ref = $1`,
      [record],
    );
    await owner.end();
  }

  const pathOf = (url: string) => new URL(url).pathname;
  const cancel = () => [returnUrl, `Cancel and go back to ${organisation}`];

  /** Expects that a page says where to find another way, without scripts and in a browser without passkeys. */
  function expectReturnAdvice({ text, html }: VisitedPage, name: string): void {
    const advice = `or go back to ${name} and choose another way there.`;
    expect(text).toContain(advice);
    expect(/data-unsupported="([^"]*)"/.exec(html)?.[1]).toContain(advice);
  }

  it('is registered on a page that names the Data User who requested it at the registration', async () => {
    const { body } = await dataUser('POST', '/v1/identity-records', {
      'pii-principal': { mpxn, 'move-in-date': '2022-02-02' },
      'expressed-by': 'data-subject',
      'principal-verification': { method: 'Bill', 'verified-at': '2026-01-12T10:00:00Z', outcome: 'verified' },
      email,
      'initiate-passkey-registration': true,
      'passkey-return-url': enroller.returnUrl,
    });
    ir = body['ir'];
    const path = pathOf(body['passkey-registration-redirect']);
    const newVisitor = visitor();
    const page = await newVisitor.get(path);
    expect(page.text).toContain('Make a passkey');
    expect(page.text).toContain(enroller.name);
    expectReturnAdvice(page, enroller.name);
    expect(page.html).toContain('Go back to the organisation that sent you.');
    const response = await useScript(newVisitor, page, path);
    expect(response.status).toBe(303);
    expect(response.location).toContain(enroller.returnUrl);
    expect((await newVisitor.get(path)).status).toBe(404);
    expect((await dataUser('GET', `/v1/identity-records/${ir}`)).body['identity-record'].credentials).toHaveLength(1);
  });

  it('signs in to the portal without any input', async () => {
    const newVisitor = visitor();
    expect(await useScript(newVisitor, await newVisitor.get('/sign-in'), '/sign-in/passkey')).toMatchObject({
      status: 303,
      location: '/access',
    });
    expect((await newVisitor.get('/access')).text).toContain(mpxn);
  });

  it('signs in in the later of two tabs, also after the earlier one was rejected', async () => {
    const newVisitor = visitor();
    const page = await newVisitor.get('/sign-in');
    const { fields = {} } = page.forms.find(({ action }) => action === '/sign-in/passkey') ?? {};
    const credentials = [];
    for (let tab = 0; tab < 2; tab++) {
      const { html } = await newVisitor.post('/sign-in/passkey/options', fields, { accept: 'application/json' });
      credentials.push(JSON.stringify(authenticator.get((JSON.parse(html) as { options: never }).options)));
    }
    const statuses = [];
    for (const credential of credentials)
      statuses.push((await newVisitor.press(page, '/sign-in/passkey', { credential })).status);
    expect(statuses).toEqual([401, 303]);
  });

  it('confirms a re-identification for another Data User', async () => {
    const body = await reidentified({ mpxn, method: 'passkey-assert', 'passkey-return-url': returnUrl });
    const path = pathOf(body['passkey']['redirect-url']);
    const newVisitor = visitor();
    const page = await newVisitor.get(path);
    expect(page.text).toContain(organisation);
    expect(page.text).toMatch(
      /Within an hour of its request, it can register access.* Confirm only if you have just been/,
    );
    expectReturnAdvice(page, organisation);
    const response = await useScript(newVisitor, page, path);
    expect(response.location).toBe(`${returnUrl}?dar-passkey-token=${body['passkey']['token-ref']}`);
  });

  it.each([
    ['en', en.problem.ceremonyUsed],
    ['cy', cy.problem.ceremonyUsed],
  ])('counts if the browser sends the same form again, and the page says so (%s)', async (language, texts) => {
    const body = await reidentified({ mpxn, method: 'passkey-assert', 'passkey-return-url': returnUrl });
    const token = String(body['passkey']['token-ref']);
    const path = pathOf(body['passkey']['redirect-url']);
    const newVisitor = visitor();
    const page = await newVisitor.get(`${path}?lang=${language}`);
    const credential = await credentialFor(newVisitor, page, path, authenticator);
    expect((await newVisitor.press(page, path, { credential })).location).toContain(token);
    expect(await statusOf(token)).toBe('confirmed');
    for (const again of [credential, '']) {
      const { status, text, html, location } = await newVisitor.press(page, path, { credential: again });
      expect([status, location]).toEqual([404, undefined]);
      expect(text).toContain(texts.title);
      expect(text).toContain(texts.text);
      expect(html).not.toContain(token);
    }
  });

  it('leads to an error on the page if the register rejects it', async () => {
    const body = await reidentified({ mpxn, method: 'passkey-assert', 'passkey-return-url': returnUrl });
    const path = pathOf(body['passkey']['redirect-url']);
    const newVisitor = visitor();
    const response = await newVisitor.press(await newVisitor.get(path), path, { credential: '' });
    expect(response.status).toBe(401);
    expect(response.text).toContain('The passkey was not accepted');
    expect(response.html).toMatch(/<title>Error: /);
    expect(linksOf(response)).toContainEqual(cancel());
  });

  it('is added for another Data User only after a proof, an existing passkey or a mailed link, in the same browser', async () => {
    const body = await reidentified({ mpxn, method: 'passkey-register', 'passkey-return-url': returnUrl });
    const path = pathOf(body['passkey']['redirect-url']);
    const asker = visitor();
    const page = await asker.get(path);
    expect(page.text).toContain('First prove that it is you');
    expect(page.html).toContain('Use another browser, or choose another way.');
    expect(page.forms.map(({ action }) => action)).toEqual([path, `${path}/mail-proof`]);
    const sent = await asker.press(page, `${path}/mail-proof`);
    expect(sent).toMatchObject({ status: 303, location: `${path}/mail-sent` });
    await expireRedirects(ir);
    expect((await asker.get(path)).status).toBe(404);
    expect((await asker.get(`${path}/mail-sent`)).text).toContain(`make a passkey for ${organisation}`);
    expect((await visitor().get(`${path}/mail-sent`)).status).toBe(404);

    const proof = await mailedPath(register, email, 'identify/proof');
    const owner = visitor();
    const opened = await owner.get(proof);
    expect(opened.forms).toMatchObject([{ action: proof, buttons: 1 }]);
    const { location = '' } = await owner.press(opened, proof);
    expect(location).toMatch(/^\/identify\/passkey\/[\w-]{43}$/);
    expect(location).not.toBe(path);
    const registration = await owner.get(location);
    for (const each of [page, opened, registration]) expect(linksOf(each)).toContainEqual(cancel());
    const made = await useScript(owner, registration, location);
    expect(made.location).toContain(returnUrl);
    expect((await dataUser('GET', `/v1/identity-records/${ir}`)).body['identity-record'].credentials).toHaveLength(2);
    expect((await asker.get(path)).text).not.toContain('Make a passkey');
  });

  it('is added after the mailed link although its button is pressed twice, in the browser of the first press only', async () => {
    const who = await newCustomer(enroller);
    const body = await reidentified({ mpxn: who.mpxn, method: 'passkey-register', 'passkey-return-url': returnUrl });
    const path = pathOf(body['passkey']['redirect-url']);
    const owner = visitor();
    await owner.press(await owner.get(path), `${path}/mail-proof`);
    const proof = await mailedPath(register, who.email, 'identify/proof');
    const [page, elsewhere] = [await owner.get(proof), visitor()];
    const otherPage = await elsewhere.get(proof);
    const [first, again] = await Promise.all([owner.press(page, proof), owner.press(page, proof)]);
    expect(first).toMatchObject({ status: 303, location: expect.stringMatching(/^\/identify\/passkey\/[\w-]{43}$/) });
    expect(again.location).toBe(first.location);
    expect((await owner.press(page, proof)).location).toBe(first.location);
    expect((await elsewhere.press(otherPage, proof)).status).toBe(404);
    const next = first.location ?? '';
    const made = await useScript(owner, await owner.get(next), next);
    expect(made.location).toContain(returnUrl);
    expect((await owner.press(page, proof)).status).toBe(404);
  });

  /** Registers a customer with a passkey and no address; returns the meter point and the key of the Identity Record. */
  async function enrolledWithoutAddress(): Promise<{ readonly number: string; readonly key: string }> {
    const number = newMpxn();
    const { body } = await dataUser('POST', '/v1/identity-records', {
      'pii-principal': { mpxn: number, 'move-in-date': '2022-02-02' },
      'expressed-by': 'data-subject',
      'principal-verification': null,
      'initiate-passkey-registration': true,
      'passkey-return-url': enroller.returnUrl,
      state: 'wizard & step 2',
    });
    const enrolment = pathOf(body['passkey-registration-redirect']);
    const owner = visitor();
    const enrolled = await useScript(owner, await owner.get(enrolment), enrolment);
    expect(enrolled.location).toMatch(/\?dar-passkey-token=mlr_[0-9a-f]{24}&state=wizard%20%26%20step%202$/);
    return { number, key: body['ir'] };
  }

  it('is the proof that the page offers once no link can be mailed any more', async () => {
    const { number } = await enrolledWithoutAddress();
    const started = await reidentified({ mpxn: number, method: 'passkey-register', 'passkey-return-url': returnUrl });
    const path = pathOf(started['passkey']['redirect-url']);
    const newVisitor = visitor();
    const { forms } = await newVisitor.get(path);
    expect(forms.map(({ action }) => action)).toEqual([path]);
    const page = await newVisitor.post(`${path}/mail-proof`, forms[0]?.fields ?? {});
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(en.ceremony.mailImpossible)]);
    expect(page.forms.map(({ action }) => action)).toEqual([path]);
  });

  it('that is removed while its page is open leads to an error that recommends another method', async () => {
    const { number, key } = await enrolledWithoutAddress();
    const started = await reidentified({ mpxn: number, method: 'passkey-assert', 'passkey-return-url': returnUrl });
    const path = pathOf(started['passkey']['redirect-url']);
    const newVisitor = visitor();
    const page = await newVisitor.get(path);
    const { fields = {} } = page.forms.find(({ action }) => action === path) ?? {};
    const passkeyOptions = await newVisitor.post(`${path}/options`, fields, { accept: 'application/json' });
    const { options } = JSON.parse(passkeyOptions.html) as { options: never };
    const [{ 'credential-id': id }] = (await dataUser('GET', `/v1/identity-records/${key}`)).body['identity-record']
      .credentials;
    await dataUser('DELETE', `/v1/identity-records/${key}/credentials/${id}`);
    const response = await newVisitor.press(page, path, { credential: JSON.stringify(authenticator.get(options)) });
    expect([response.status, response.text]).toEqual([422, expect.stringContaining('This passkey was removed')]);
    const again = await newVisitor.post(`${path}/options`, fields, { accept: 'application/json' });
    expect([again.status, again.html]).toEqual([422, expect.stringContaining('choose another way')]);
    expect(await statusOf(started['passkey']['token-ref'])).toBe('pending');
  });

  it('leaves no secret in the log', () => {
    expect(register.log()).not.toMatch(/identify\/(link|proof|passkey)\/[\w-]{43}/);
    expect(register.log()).toContain('"/identify/passkey/:secret"');
    const log = logLines(register);
    for (const { mpxn: number, email: address } of [...customers, { mpxn, email }]) {
      for (const value of [number, address, 'Lantern Row']) expect(log.includes(value)).toBe(false);
    }
  });
});
