import { randomUUID } from 'node:crypto';
import type { PageContext } from '../../../web/console/page';
import { contactRejectionsForm } from '../../../web/console/pages/contact-rejections';
import { OperationError } from '../../../web/shared/operation-error';
import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import {
  type Customer,
  type DataUser,
  identityRecord,
  newCustomer,
  newDataUser,
  newMpxn,
} from '../../support/customers';
import { graphAs, graphOf } from '../../support/graph';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { until } from '../../support/until';

/** Periods in which an event of this test is counted, also if midnight in the UK follows it. */
const SEVERAL_DAYS = [7, 30];

let register: SharedRegister;
let dataUser: DataUser;
let customer: Customer;

beforeAll(async () => {
  register = await sharedRegister();
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  customer = await newCustomer(dataUser);
});

describe('the page of contests', () => {
  it.each([
    ['', 'Today'],
    ['?days=30', 'Last 30 days'],
  ])('marks the chosen period, and states the time zone of its days: /contests%s', async (query, chosen) => {
    const { html, text } = await (await backOffice(register, 'analyst')).get(`/contests${query}`);
    expect(text).toContain('Days start at midnight, UK time.');
    expect(html).toMatch(new RegExp(`<p class="periods">.*<a [^>]*aria-current="true">${chosen}</a>`, 's'));
    const [stylesheet = ''] = /[^"]+\/console\.css/.exec(html) ?? [];
    const css = await (await fetch(new URL(stylesheet, register.console))).text();
    expect(css).toMatch(/\.periods \[aria-current\][^{]*\{[^}]*font-weight/);
    const ofAnotherRelease = await fetch(new URL('/assets/0123456789abcdef/console.css', register.console));
    expect([await ofAnotherRelease.text(), ofAnotherRelease.headers.get('cache-control')]).toEqual([css, 'no-store']);
  });

  it('shows the counts of each Data User to the back office only, and no personal data', async () => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    const second = `second-${customer.mpxn}@customer.example`;
    await rival.rest('POST', '/v1/identity-records', identityRecord(customer.mpxn, second));
    const visitor = await backOffice(register, 'analyst');
    for (const days of SEVERAL_DAYS) {
      const { html, text, status } = await visitor.get(`/contests?days=${days}`);
      expect(status).toBe(200);
      expect(text).toMatch(new RegExp(`${rival.name} 1 1 0`));
      for (const personal of [customer.mpxn, second, customer.email]) expect(html).not.toContain(personal);
    }
    expect(await new ConsoleVisitor(register.console).get('/contests')).toMatchObject({
      status: 303,
      location: '/sign-in',
    });
  });

  it('states which Data Users are suspended', async () => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    await rival.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), `of-${rival.duid}@customer.example`));
    const { accountId } = (await graphOf(register, rival.token)('{ viewer { accountId } }')).data.viewer;
    await (
      await graphAs(register, 'admin')
    )(`mutation { suspendAccount(accountId: "${accountId}") { status } }`);
    const { text } = await (await backOffice(register, 'analyst')).get('/contests?days=7');
    expect(text).toContain(`${rival.name} suspended 1 0 0`);
  });
});

describe('the page of rejected contacts', () => {
  const PATH = '/contests/rejections';
  const SESSION = 'console-session';

  it('rejects the contacts of a Data User after a confirmation that states the consequences, and shows the progress', async () => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    const email = `planted-${randomUUID()}@customer.example`;
    await rival.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), email));
    const visitor = await backOffice(register);
    expect((await visitor.get('/contests?days=7')).html).toContain(`href="${PATH}?data-user=${rival.duid}"`);
    const form = await visitor.get(`${PATH}?data-user=${rival.duid}`);
    expect(form.html).toContain(`value="${rival.duid}"`);
    const confirmation = await visitor.press(form, PATH, { 'data-user': rival.duid, since: '' });
    expect(confirmation.text).toMatch(new RegExp(`Reject contacts of ${rival.name}.*1 verified Identity Record of`));
    expect((await visitor.get(PATH)).text).not.toMatch(new RegExp(`${rival.name} all`));
    expect(await visitor.press(confirmation, PATH)).toMatchObject({ status: 303, location: PATH });
    const progress = new RegExp(`${rival.name} all [^U]+ UTC acc_[0-9a-f]{24} 1 0 1 [^U]+ UTC`);
    await until(async () => (progress.test((await visitor.get(PATH)).text) ? true : undefined));
  });

  it('shows the list to an admin who confirms a rejection twice, and an error to one who confirms another', async () => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    const visitor = await backOffice(register);
    const form = await visitor.get(PATH);
    const confirm = () => visitor.press(form, PATH, { 'data-user': rival.duid, confirmed: 'yes' });
    const accepted = { status: 303, location: PATH };
    expect(await Promise.all([confirm(), confirm()])).toEqual([accepted, accepted].map(expect.objectContaining));
    expect(await confirmedWhileOneRuns('acc_1', '')).toEqual({ seeOther: PATH });
    const conflict = { status: 409, model: { error: expect.stringContaining('An earlier rejection') } };
    expect(await confirmedWhileOneRuns('acc_2', '')).toMatchObject(conflict);
    expect(await confirmedWhileOneRuns('acc_1', '2026-01-01T00:00')).toMatchObject(conflict);
  });

  /** Submits the confirmed form of an account while a rejection of all contacts by `acc_1` is not finished. */
  function confirmedWhileOneRuns(accountId: string, since: string) {
    const running = {
      dataUser: { duid: 'duid_1' },
      since: null,
      requestedAt: '2026-02-01T00:00:00Z',
      requestedBy: 'acc_1',
    };
    return contactRejectionsForm.respond({
      form: { 'data-user': 'duid_1', since, confirmed: 'yes' },
      session: { id: '', token: '', accountId, role: 'ADMIN' },
      executeAsAccount: async (name: string) => {
        if (name === 'RejectAssertedContacts') throw new OperationError('CNF001');
        return { rejections: [{ ...running, finishedAt: null }] };
      },
    } as Partial<PageContext> as PageContext);
  }

  it.each([
    ['was ended elsewhere', (visitor: ConsoleVisitor) => new Map(visitor.cookies)],
    ['has expired', ({ cookies }: ConsoleVisitor) => new Map([...cookies].filter(([name]) => name !== SESSION))],
  ])('states that a form had no effect if the session %s', async (_, cookiesLeft) => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    const visitor = await backOffice(register);
    const form = await visitor.get(PATH);
    const fields = { 'data-user': rival.duid, confirmed: 'yes' };
    const later = new ConsoleVisitor(register.console);
    for (const [name, value] of cookiesLeft(visitor)) later.cookies.set(name, value);
    await visitor.press(await visitor.get('/'), '/sign-out');
    const { status, location = '' } = await later.press(form, PATH, fields);
    expect(status).toBe(303);
    const page = await later.get(location);
    expect(page.text).toContain('Your session had ended, so the form had no effect. Nothing was changed.');
    expect((await (await backOffice(register)).get(PATH)).text).not.toContain(rival.name);
  });

  it('rejects nothing for an unknown Data User or a future time, and is for admins only', async () => {
    const visitor = await backOffice(register);
    const form = await visitor.get(PATH);
    const press = (fields: Record<string, string>) => visitor.press(form, PATH, { confirmed: 'yes', ...fields });
    expect(await press({ 'data-user': 'duid_1' })).toMatchObject({ status: 400 });
    expect(await press({ 'data-user': `duid_${'0'.repeat(24)}` })).toMatchObject({ status: 404 });
    const future = await press({ 'data-user': dataUser.duid, since: '2999-01-01T00:00' });
    expect(future).toMatchObject({ status: 400, text: expect.stringContaining('The time is in the future.') });
    const reader = await backOffice(register, 'analyst');
    expect((await reader.get(PATH)).status).toBe(403);
    expect((await reader.get('/contests')).html).not.toContain(PATH);
  });
});
