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
async function dataUserNamed(displayName: string): Promise<{ rest: RestClient; duid: string }> {
  const contactUrl = 'https://larkhill.example/contact';
  const account = await onboarded(await graphAs(register, 'admin'), { role: 'DATA_USER', displayName, contactUrl });
  const { token } = await signIn(register, account.accountId, account.secretKey);
  return { rest: anonymousClient(register.rest, `Bearer ${token}`), duid: String(account.duid) };
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
  return [...html.matchAll(/<tr data-event="[^]*?<\/tr>/g)].map(([row]) =>
    ['cell-type', 'cell-user', 'cell-state'].map((cell) => {
      const [, content = ''] = new RegExp(`<td class="${cell}">([^]*?)</td>`).exec(row) ?? [];
      return content.replace(/<[^>]*>/g, '').trim();
    }),
  );
}

const rowsShown = async (visitor: ConsoleVisitor) => rowsOf((await visitor.get('/')).html);

/** Waits until an organisation has `count` rows: concurrent transactions of other tests delay the event log. */
function rowsOnceThere(visitor: ConsoleVisitor, organisation: string, count: number): Promise<string[][]> {
  return until(async () => {
    const rows = await rowsShown(visitor);
    return rows.filter(([, name]) => name === organisation).length >= count ? rows : undefined;
  });
}

const comes =
  (...texts: readonly string[]) =>
  (message: StreamMessage) =>
    texts.every((text) => message.data.html.includes(text));

/** Returns a unique name. */
const named = (name: string) => `${name} ${randomInt(1e9)}`;
const ofName = (rows: readonly string[][], name: string) => rows.filter(([, each = '']) => each.startsWith(name));

describe('a row of the live page', () => {
  it('shows the state of the record after the event, even if it has changed since', async () => {
    const name = named('Larkhill Rows');
    const { rest } = await dataUserNamed(name);
    const { ir } = await customerOf(rest);
    await rest('DELETE', `/v1/access-records/${await registered(rest, ir)}`);
    const rows = await rowsOnceThere(await backOffice(register), name, 2);
    expect(ofName(rows, name)).toEqual([
      ['access.revoked', name, 'revoked'],
      ['access.registered', name, 'active'],
    ]);
  });

  it.each(['admin', 'analyst'] as const)(
    'names the organisation that was discovered or has claimed its access: %s',
    async (role: AccountRole) => {
      const name = named(`Gadwall Analytics of ${role}`);
      const { rest } = await dataUserNamed(name);
      const { mpxn, ir } = await customerOf(rest);
      const visitor = await backOffice(register, role);
      const stream = await visitor.watch();
      await discovered(name, mpxn);
      const shown = await stream.next('events', comes('access.discovered', name));
      expect(rowsOf(shown.data.html)).toContainEqual(['access.discovered', `${name} discovered`, 'discovered']);
      await registered(rest, ir);
      await stream.next('events', comes('access.claimed', name));
      stream.close();
      const rows = ofName(await rowsShown(visitor), name);
      expect(rows.toSorted()).toEqual([
        ['access.claimed', `${name} discovered`, 'discovered'],
        ['access.discovered', `${name} discovered`, 'discovered'],
        ['access.registered', name, 'active'],
      ]);
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
    const page = (await visitor.get('/')).html;
    for (const html of [page, ...messages.map(({ data }) => data.html ?? data.subscriptions)]) {
      expect(html).toContain(`&lt;img src=x onerror=&quot;alert(${id})&quot;&gt;&lt;/script&gt;{{7*7}}`);
      expect(html).not.toMatch(/<img src=x|onerror="|<\/script>\{|&gt;49/);
    }
    expect(page.split(`alert(${id})`).length - 1).toBe(4); // two rows, an option of the filter, a subscription
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
