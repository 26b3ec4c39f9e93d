import cy from '../../../web/portal/locales/cy.json';
import en from '../../../web/portal/locales/en.json';
import { SoftwareAuthenticator } from '../../support/authenticator';
import { type DataUser, anonymise, identityRecord, newCustomer, newDataUser } from '../../support/customers';
import { credentialFor, mailedPath, signedInVisitor } from '../../support/portal-sign-in';
import { PortalVisitor, type VisitedPage } from '../../support/portal-visitor';
import { type SharedRegister, sharedRegister } from '../../support/register';

let register: SharedRegister;
let dataUser: DataUser;
let rival: DataUser;

beforeAll(async () => {
  register = await sharedRegister();
  dataUser = await newDataUser(register, 'https://larkhill.example/return');
  rival = await newDataUser(register, 'https://wheatley.example/return');
});

interface ContestedHome {
  /** Address that another Data User registered. */
  readonly other: string;
  /** Key of the Identity Record of that Data User. */
  readonly otherIr: string;
  readonly visitor: PortalVisitor;
}

/** Signs in a customer for whose home another Data User has registered another address. */
async function contestedHome(): Promise<ContestedHome> {
  const customer = await newCustomer(dataUser);
  const other = `second-${customer.mpxn}@customer.example`;
  const { body } = await rival.rest('POST', '/v1/identity-records', identityRecord(customer.mpxn, other));
  const visitor = await signedInVisitor(register, `ir=${customer.ir}`, customer.email);
  return { other, otherIr: String(body['ir']), visitor };
}

describe.each([
  ['en', en],
  ['cy', cy],
] as const)('a customer whose contacts have changed since the page was loaded reads it (%s)', (language, texts) => {
  it('if the link to another address cannot be mailed any more, or a verdict is not stored', async () => {
    const { otherIr, visitor } = await contestedHome();
    const page = await visitor.get(`/contacts?lang=${language}`);
    const { fields = {} } = page.forms.find(({ action }) => action === '/contacts/mail') ?? {};
    await anonymise(register, rival, otherIr);
    const verdict = { ...fields, verdict: 'REJECTED' };
    for (const response of [
      await visitor.press(page, '/contacts/mail'),
      await visitor.post('/contacts/verdict', verdict),
    ]) {
      expect([response.status, response.text]).toEqual([409, expect.stringContaining(texts.contacts.changed)]);
      expect(response.text).not.toContain(texts.contacts.contested);
      expect(response.html).toContain(`href="/contacts?lang=${language === 'en' ? 'cy' : 'en'}"`);
    }
  });
});

it.each<Record<string, string>>([{}, { verdict: '' }, { verdict: 'confirmed' }])(
  'a form with %j instead of a verdict judges nothing',
  async (fields) => {
    const { visitor } = await contestedHome();
    const page = await visitor.get('/contacts');
    const { fields: hidden = {} } = page.forms.find(({ action }) => action === '/contacts/mail') ?? {};
    const response = await visitor.post('/contacts/verdict', { ...hidden, ...fields });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(en.problem.brokenRequest.text)]);
  },
);

describe.each([
  ['en', en],
  ['cy', cy],
] as const)('a customer who proves another address and presses the button again (%s)', (language, texts) => {
  it('reads that the link works once, above the list in which both addresses are the own ones', async () => {
    const { other, visitor } = await contestedHome();
    await visitor.press(await visitor.get(`/contacts?lang=${language}`), '/contacts/mail');
    const path = await mailedPath(register, other, 'contacts/link');
    const page = await visitor.get(path);
    expect(await visitor.press(page, path)).toMatchObject({ status: 303, location: '/contacts' });

    const again = await visitor.press(page, path);
    expect([again.status, again.text]).toEqual([404, expect.stringContaining(texts.contacts.linkUsed)]);
    expect(again.html.match(/data-standing="OWN"/g)).toHaveLength(2);
    expect((await visitor.get(path)).text).not.toMatch(/Nothing has changed|Nid oes dim wedi newid/);
  });
});

describe.each([
  ['en', en],
  ['cy', cy],
] as const)('a customer who proves a passkey and presses the button again (%s)', (language, texts) => {
  it('reads that the list shows what is known to be theirs, with links that lead to a part of the page', async () => {
    const customer = await newCustomer(dataUser);
    const { body } = await rival.rest('POST', '/v1/identity-records', {
      ...identityRecord(customer.mpxn, null),
      'initiate-passkey-registration': true,
      'passkey-return-url': rival.returnUrl,
    });
    const authenticator = new SoftwareAuthenticator({ origin: new URL(register.portal).origin });
    const enrolment = new URL(body['passkey-registration-redirect']).pathname;
    const holder = new PortalVisitor(register.portal);
    const enrolling = await holder.get(enrolment);
    const made = await credentialFor(holder, enrolling, enrolment, authenticator);
    expect((await holder.press(enrolling, enrolment, { credential: made })).status).toBe(303);

    const visitor = await signedInVisitor(register, `ir=${customer.ir}`, customer.email);
    const page = await visitor.get(`/contacts?lang=${language}`);
    const form = '/contacts/passkey';
    const rejected = await visitor.press(page, form, { credential: '' });
    expect([rejected.status, errorLinksOf(rejected)]).toEqual([401, ['passkey']]);
    expect(rejected.html).toContain('id="passkey"');

    const credential = await credentialFor(visitor, page, form, authenticator);
    expect(await visitor.press(page, form, { credential })).toMatchObject({ status: 303, location: '/contacts' });
    const again = await visitor.press(page, form, { credential });
    expect([again.status, again.text]).toEqual([401, expect.stringContaining(texts.contacts.passkeyRefused)]);
    expect(again.text).not.toMatch(/not one of this home|yn un o rai’r cartref/);
    expect(again.html.match(/data-standing="OWN"/g)).toHaveLength(2);
    expect(errorLinksOf(again)).not.toEqual([]);
    for (const id of errorLinksOf(again)) expect(again.html).toContain(`id="${id}"`);
  });
});

/** Returns the ids to which the errors of a page link. */
function errorLinksOf({ html }: VisitedPage): string[] {
  const [summary = ''] = /<div class="govuk-error-summary"[^]*?<\/ul>/.exec(html) ?? [];
  return [...summary.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => id);
}
