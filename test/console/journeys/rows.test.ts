import { randomInt } from 'node:crypto';
import type { AccountRole } from '../../../schema/roles';
import { onboarded, signIn } from '../../support/administration';
import { type ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { identityRecord, newMpxn } from '../../support/customers';
import type { StreamMessage } from '../../support/event-source';
import { graphAs } from '../../support/graph';
import { discoveredAccess, registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type RestClient, anonymousClient, tokenOf } from '../../support/rest-client';
import { until } from '../../support/until';

let register: SharedRegister;
let operator: RestClient;

beforeAll(async () => {
  register = await sharedRegister();
  operator = anonymousClient(register.rest, `Bearer ${await tokenOf(register, 'communications_operator')}`);
});

/** Onboards a Data User with this name; returns a client of Interface A. */
async function dataUserNamed(displayName: string): Promise<{ rest: RestClient; duid: string; accountId: string }> {
  const contactUrl = 'https://larkhill.example/contact';
  const account = await onboarded(await graphAs(register, 'admin'), { role: 'DATA_USER', displayName, contactUrl });
  const { token } = await signIn(register, account.accountId, account.secretKey);
  const rest = anonymousClient(register.rest, `Bearer ${token}`);
  return { rest, duid: String(account.duid), accountId: account.accountId };
}

/** Registers an Identity Record at a new meter point. */
async function customerOf(rest: RestClient): Promise<{ mpxn: string; ir: string }> {
  const mpxn = newMpxn();
  const { body } = await rest('POST', '/v1/identity-records', identityRecord(mpxn, null));
  return { mpxn, ir: String(body['ir']) };
}

/** Reports an unregistered organisation as the communications operator. */
async function discovered(organisation: string, mpxn: string): Promise<void> {
  const { status, body } = await operator('POST', '/v1/discovered-access', discoveredAccess(mpxn, organisation));
  expect({ status, errors: body['errors'] }).toEqual({ status: 201 });
}

/** Returns the rows of a list as type, organisation and state, from the top. */
function rowsOf(html: string): string[][] {
  return [...html.matchAll(/<tr role="row" data-event="[^]*?<\/tr>/g)].map(([row]) =>
    ['cell-type', 'cell-user', 'cell-state'].map((cell) => {
      const [, content = ''] = new RegExp(`<td role="cell" class="${cell}">([^]*?)</td>`).exec(row) ?? [];
      return content.replaceAll(/<span class="cell-name">[^<]*<\/span>|<[^>]*>/g, '').trim();
    }),
  );
}

/** Reads the rows of one Data User: other test files cause events of the shared register. */
const rowsOfDataUser = async (visitor: ConsoleVisitor, duid: string) =>
  rowsOf((await visitor.get(`/?duid=${duid}`)).html);

/** Waits until a Data User has `count` rows: concurrent transactions of other tests delay the event log. */
function rowsOnceThere(visitor: ConsoleVisitor, duid: string, count: number): Promise<string[][]> {
  return until(async () => {
    const rows = await rowsOfDataUser(visitor, duid);
    return rows.length >= count ? rows : undefined;
  });
}

const comes =
  (...texts: readonly string[]) =>
  (message: StreamMessage) =>
    texts.every((text) => message.data.html.includes(text));

/** Returns a unique name. */
const named = (name: string) => `${name} ${randomInt(1e9)}`;

describe('a row of the live page', () => {
  it('shows the state of the record after the event, even if it has changed since', async () => {
    const name = named('Larkhill Rows');
    const { rest, duid } = await dataUserNamed(name);
    const { ir } = await customerOf(rest);
    await rest('DELETE', `/v1/access-records/${await registered(rest, ir)}`);
    expect(await rowsOnceThere(await backOffice(register), duid, 2)).toEqual([
      ['access.revoked', name, 'revoked'],
      ['access.registered', name, 'active'],
    ]);
  });

  it.each(['admin', 'analyst'] as const)(
    'names the organisation that was discovered or has claimed its access: %s',
    async (role: AccountRole) => {
      const name = named(`Gadwall Analytics of ${role}`);
      const { rest, duid } = await dataUserNamed(name);
      const { mpxn, ir } = await customerOf(rest);
      const visitor = await backOffice(register, role);
      const stream = await visitor.watch();
      await discovered(name, mpxn);
      const shown = await stream.next('events', comes('access.discovered', name));
      expect(rowsOf(shown.data.html)).toContainEqual(['access.discovered', `${name} discovered`, 'discovered']);
      await registered(rest, ir);
      const claimed = await stream.next('events', comes('access.claimed', name));
      stream.close();
      expect(rowsOf(claimed.data.html)).toContainEqual(['access.claimed', `${name} discovered`, 'discovered']);
      expect(await rowsOfDataUser(visitor, duid)).toEqual([['access.registered', name, 'active']]);
    },
  );

  it('escapes the name of an organisation', async () => {
    const id = randomInt(1e9);
    const hostile = `<img src=x onerror="alert(${id})"></script>{{7*7}}`;
    const { rest, duid } = await dataUserNamed(hostile);
    const { mpxn, ir } = await customerOf(rest);
    const visitor = await backOffice(register);
    const stream = await visitor.watch();
    await discovered(`Not ${hostile}`, mpxn);
    await registered(rest, ir);
    const webhook = { 'callback-url': 'https://larkhill.example/events', 'alert-email': 'alerts@larkhill.example' };
    expect((await rest('POST', '/v1/webhooks', webhook)).status).toBe(201);
    const messages = [
      await stream.next('events', comes(duid)),
      await stream.next('events', comes('access.discovered', `alert(${id})`)),
      await stream.next('figures', ({ data }) => data.subscriptions.includes(duid)),
    ];
    stream.close();
    const page = (await visitor.get(`/?duid=${duid}`)).html;
    for (const html of [page, ...messages.map(({ data }) => data.html ?? data.subscriptions)]) {
      expect(html).toContain(`&lt;img src=x onerror=&quot;alert(${id})&quot;&gt;&lt;/script&gt;{{7*7}}`);
      expect(html).not.toMatch(/<img src=x|onerror="|<\/script>\{|&gt;49/);
    }
    expect(page.split(`alert(${id})`).length - 1).toBe(3); // a row, an option of the filter, a subscription
  });
});

describe('the list of subscriptions on the live page', () => {
  it('shows the identifier of each subscription, as the audit and Interface A do', async () => {
    const { rest, duid } = await dataUserNamed(named('Larkhill Hooks'));
    const webhook = { 'callback-url': 'https://larkhill.example/events', 'alert-email': 'alerts@larkhill.example' };
    const { body } = await rest('POST', '/v1/webhooks', webhook);
    const [wid] = /wid_[0-9a-f]{24}/.exec(JSON.stringify(body)) ?? [];
    const { html } = await (await backOffice(register, 'analyst')).get('/');
    expect(new RegExp(`title="${duid}"[^]*?</tr>`).exec(html)?.[0]).toContain(`<code>${wid}</code>`);
  });

  it('states that deliveries wait while their Data User is suspended', async () => {
    const name = named('Larkhill Paused');
    const { rest, duid, accountId } = await dataUserNamed(name);
    const webhook = { 'callback-url': 'https://larkhill.example/events', 'alert-email': 'alerts@larkhill.example' };
    expect((await rest('POST', '/v1/webhooks', webhook)).status).toBe(201);
    const visitor = await backOffice(register, 'analyst');
    // While the database is busy, the page states that a part of it is unavailable.
    const row = () =>
      until(async () => new RegExp(`title="${duid}"[^]*?</tr>`).exec((await visitor.get('/')).html)?.[0]);
    expect(await row()).not.toContain('suspended');
    const admin = await graphAs(register, 'admin');
    await admin('mutation ($id: ID!) { suspendAccount(accountId: $id) { status } }', { id: accountId });
    expect(await row()).toContain('suspended: deliveries wait');
  });
});

describe('the page of failed deliveries', () => {
  it('is linked from the figures, and lists a delivery that failed: event, Data User, reason and next attempt', async () => {
    const name = named('Larkhill Silent');
    const { rest } = await dataUserNamed(name);
    const webhook = { 'callback-url': 'https://larkhill.example/events', 'alert-email': 'alerts@larkhill.example' };
    const [wid = ''] =
      /wid_[0-9a-f]{24}/.exec(JSON.stringify((await rest('POST', '/v1/webhooks', webhook)).body)) ?? [];
    const sent = await rest('POST', `/v1/webhooks/${wid}/test`);
    const [eventId = ''] = /evt_[0-9a-f]{24}/.exec(JSON.stringify(sent.body)) ?? [];
    const visitor = await backOffice(register, 'analyst');
    expect((await visitor.get('/')).html).toContain('<a href="/deliveries/failed">Failed attempts</a>');
    const row = await until(async () => {
      const { html } = await visitor.get('/deliveries/failed');
      return new RegExp(`<tr role="row" data-delivery="${eventId}">[^]*?</tr>`).exec(html)?.[0];
    });
    for (const shown of ['webhook.test', name, wid, 'pending', 'name not found']) expect(row).toContain(shown);
    expect(row).toMatch(/Next attempt<\/span> <time datetime="[^"]+Z">[\d-]+ [\d:]+ UTC/);
  });
});

describe('a live page that was opened on an empty log', () => {
  it('misses no event: its stream starts with the first one', async () => {
    const name = named('First of all');
    const { rest, duid } = await dataUserNamed(name);
    const { ir } = await customerOf(rest);
    const visitor = await backOffice(register);
    expect(rowsOf((await visitor.get(`/?duid=${duid}`)).html)).toEqual([]);
    await registered(rest, ir);
    const stream = await visitor.stream(`duid=${duid}&after=`);
    const { data } = await stream.next('events');
    expect(rowsOf(data.html)).toEqual([['access.registered', name, 'active']]);
    stream.close();
  });
});
