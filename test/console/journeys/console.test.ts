import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTED_ENTRIES } from '../../../web/console/audit/audit-list';
import { LISTED_EVENTS } from '../../../web/console/live/latest-events';
import { liveMessages } from '../../../web/console/live/live-stream';
import type { EventStream, PageContext } from '../../../web/console/page';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { AccountRole } from '../../../schema/roles';
import { onboarded, signIn as signedIn } from '../../support/administration';
import { repeated } from '../../support/confirmed-tokens';
import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { type Customer, type DataUser, newCustomer, newDataUser, newMpid } from '../../support/customers';
import type { OpenStream } from '../../support/event-source';
import { graphAs, graphOf } from '../../support/graph';
import { loggedSoFar } from '../../support/logged-so-far';
import { logLines } from '../../support/portal-sign-in';
import { registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf, tokenOf } from '../../support/rest-client';
import { silencedProxy } from '../../support/silenced-proxy';
import { logOfRegisterSettled } from '../../support/settled-log';
import { until } from '../../support/until';
import { templates } from '../../../web/shared/templates';

let register: SharedRegister;
let dataUser: DataUser;
let customer: Customer;
let adminToken: string;

beforeAll(async () => {
  register = await sharedRegister();
  adminToken = await tokenOf(register, 'admin');
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  customer = await newCustomer(dataUser);
});

const login = (role: AccountRole) => {
  const { account_id, secret_key } = accountOf(register.sandbox, role);
  return [account_id, secret_key] as const;
};

/** Registers a number of records; more at once would leave other tests without sessions. */
const registeredRecords = (count: number) => repeated(count, () => registered(dataUser.rest, customer.ir), 4);

/** Registers a record; returns the id of its event. */
async function newEvent(): Promise<string> {
  return (await anEvent()).id;
}

/** Registers a record. Its event is published once every earlier transaction of the PostgreSQL server has ended. */
async function anEvent(): Promise<{ id: string; cursor: string }> {
  await logOfRegisterSettled(register);
  const before = await latestEvent();
  await registered(dataUser.rest, customer.ir);
  return until(async () => {
    const latest = await latestEvent();
    return latest?.id === before?.id ? undefined : latest;
  });
}

async function latestEvent(): Promise<{ id: string; cursor: string } | undefined> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(
    'query ($duid: DUID) { latestRegisterEvents(first: 1, types: [ACCESS_REGISTERED], duid: $duid) { id cursor } }',
    { duid: dataUser.duid },
  );
  return data.latestRegisterEvents[0];
}

/** Returns the ids of the events in rows, from the top. */
function listed(html: string): string[] {
  return [...html.matchAll(/data-event="(evt_[0-9a-f]{24})"/g)].map(([, id]) => String(id));
}

/** Returns the ids of the events that a stream delivered, in order. */
function arrived({ messages }: OpenStream): string[] {
  return messages.filter(({ event }) => event === 'events').flatMap(({ data }) => listed(data.html).toReversed());
}

describe('the page of the audit', () => {
  /** Texts of the rows, newest first. */
  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr role="row" data-entry="([^"]+)">(.*?)<\/tr>/gs)].map(([, key, row = '']) => ({
      key,
      text: row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    }));

  it('lists changes of all services, newest first, filtered by kind and actor, page by page', async () => {
    const admin = await graphAs(register, 'admin');
    const input = { role: 'ADMIN', displayName: 'Day shift', contactUrl: 'https://register.example/contact' };
    const { accountId, secretKey } = await onboarded(admin, input);
    const visitor = new ConsoleVisitor(register.console);
    await visitor.signIn(accountId, secretKey);
    const actor = graphOf(register, (await signedIn(register, accountId, secretKey)).token);
    const { accountId: changed } = await onboarded(admin, { ...input, role: 'ANALYST', displayName: 'Night shift' });
    const mpid = newMpid();
    const supplier = {
      mpid,
      name: 'Kestrel',
      displayName: 'Kestrel',
      support: 'https://kestrel.example',
      apiUrl: 'https://kestrel.example',
    };
    const setUrl = 'mutation ($id: ID!, $url: URI!) { setContactUrl(accountId: $id, contactUrl: $url) { accountId } }';
    for (let count = 0; count < LISTED_ENTRIES; count++)
      await actor(setUrl, { id: changed, url: `https://register.example/${count}` });
    await actor('mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', { input: supplier });

    const first = await visitor.get(`/audit?actor=${accountId}`);
    const shown = rowsOf(first.html);
    expect(shown).toHaveLength(LISTED_ENTRIES);
    expect(shown[0]?.text).toMatch(
      new RegExp(`^Supplier saved .* UTC Actor ${accountId} Day shift Object ${mpid} .*name Kestrel`),
    );
    expect(shown[1]?.text).toMatch(
      /Settings of an account changed .* Object acc_[0-9a-f]{24} Night shift Values contact URL https:\/\/register.example\/48 → https:\/\/register.example\/49/,
    );
    const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first.html) ?? [];
    const last = await visitor.get(next.replaceAll('&amp;', '&'));
    expect(rowsOf(last.html).map(({ text }) => text)).toEqual([
      expect.stringContaining('contact → https://register.example/0'),
    ]);
    expect(last.html).not.toContain('rel="next"');
    expect(last.text).toContain('Back to the first');

    const suppliers = await visitor.get(`/audit?kind=save-supplier&actor=${accountId}`);
    expect(rowsOf(suppliers.html).map(({ key }) => key)).toEqual([shown[0]?.key]);
    const unknown = await visitor.get(`/audit?kind=unheard-of&actor=${accountId}`);
    expect(unknown.text).toContain('There is no kind “unheard-of”. All kinds are shown.');
    expect(rowsOf(unknown.html)).toHaveLength(LISTED_ENTRIES);
    expect(unknown.html).not.toContain('kind=unheard-of');
    expect((await visitor.get(`/audit?kind=terminate&actor=${accountId}`)).text).toContain(
      'No entry matches this filter.',
    );
  });

  it('is for admins only', async () => {
    expect(await new ConsoleVisitor(register.console).get('/audit')).toMatchObject({
      status: 303,
      location: '/sign-in',
    });
    const analystPage = await (await backOffice(register, 'analyst')).get('/audit');
    expect(analystPage.status).toBe(403);
    expect(analystPage.html).not.toContain('href="/audit"');
    expect((await (await backOffice(register)).get('/')).html).toContain('<a href="/audit">Audit</a>');
  });
});

describe('the page of accounts', () => {
  it('finds an account by its name, and leads to its changes and its events', async () => {
    const visitor = await backOffice(register);
    const { html } = await visitor.get(`/accounts?text=${encodeURIComponent(dataUser.name.toUpperCase())}`);
    const [row = ''] =
      new RegExp(`<tr role="row" data-account="acc_[0-9a-f]{24}">(?:(?!<tr)[^])*${dataUser.duid}[^]*?</tr>`).exec(
        html,
      ) ?? [];
    expect(row).toContain(dataUser.name);
    expect(row).toContain('data user');
    expect(row).toMatch(/href="\/audit\?actor=acc_[0-9a-f]{24}"/);
    expect(row).toContain(`href="/?duid=${dataUser.duid}"`);
    expect((await visitor.get(`/accounts?text=${dataUser.duid}`)).text).toContain('1 account found');
    expect((await visitor.get('/accounts?text=unheard-of')).text).toContain('No account matches.');
  });

  it('is for admins only', async () => {
    expect((await (await backOffice(register, 'analyst')).get('/accounts')).status).toBe(403);
  });
});

describe('the live page, without scripts', () => {
  it('lists the latest events, newest first: type, time, Data User, state of the record', async () => {
    const visitor = await backOffice(register, 'analyst');
    const [earlier, later] = [await newEvent(), await newEvent()];
    const { html, text, status } = await visitor.get('/');
    expect(status).toBe(200);
    expect(listed(html).indexOf(later)).toBeGreaterThanOrEqual(0);
    expect(listed(html).indexOf(earlier)).toBeGreaterThan(listed(html).indexOf(later));
    const [row = ''] = new RegExp(`<tr role="row" data-event="${later}">.*?</tr>`, 's').exec(html) ?? [];
    expect(row).toContain('access.registered');
    expect(row).toContain(dataUser.name);
    expect(row).toContain('active');
    expect(row).toMatch(/<time datetime="(\d{4}-\d\d-\d\d)T([\d:]{8})[^"]+Z">\1 \2 UTC<\/time>/);
    expect(text).toMatch(/Events last hour \d/);
  });

  it('shows no access key, no meter point number and no e-mail address', async () => {
    const { html } = await (await backOffice(register)).get('/');
    expect(listed(html).length).toBeGreaterThan(0);
    expect(html).not.toMatch(/ak_[0-9a-f]{24}/);
    expect(html).not.toContain(customer.mpxn);
    expect(html).not.toContain('@');
  });

  it('shows events that match a filter, or a notice if there are none', async () => {
    const visitor = await backOffice(register);
    const event = await newEvent();
    const shown = async (query: string) => (await visitor.get(`/?${query}`)).html;
    expect(listed(await shown(`duid=${dataUser.duid}`))).toContain(event);
    expect(listed(await shown('types=ACCESS_REGISTERED&types=ACCESS_REVOKED'))).toContain(event);
    expect(listed(await shown('types=ACCESS_REVOKED'))).not.toContain(event);
    const none = await visitor.get(`/?duid=duid_${'0'.repeat(24)}`);
    expect(listed(none.html)).toEqual([]);
    expect(none.text).toContain('No events that match the filter yet.');
    expect((await visitor.get('/?duid=Larkhill')).text).toContain('That is no identifier of a Data User');
  });

  it('is not cached, not framed, and runs nothing inline or from other sites', async () => {
    const visitor = await backOffice(register);
    for (const path of ['/', '/sign-in?ended', '/nowhere']) {
      const { headers, html } = await visitor.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(part);
      }
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('transaction-id')).toMatch(/^tid_[0-9a-f]{24}$/);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle="|\son\w+="/);
    }
  });
});

const FIGURES = readFileSync(join(REPOSITORY_ROOT, 'web', 'console', 'operations', 'readLiveFigures.graphql'), 'utf8');
/** Interval between figures. */
const FIGURES_INTERVAL_MS = 5_000;

/** A stream whose browser is behind until `isBehind.no` is called. */
function slowBrowser(after: string | undefined, gateway = register.gateway) {
  const gone = new AbortController();
  const messages: { event: string; data: unknown }[] = [];
  let behindChecks = 0;
  let behind = true;
  const stream: EventStream = {
    send: (message) => void messages.push(message),
    isBehind: () => {
      behindChecks++;
      return behind;
    },
    closed: gone.signal,
    end: () => gone.abort(),
  };
  const session = { id: '', token: adminToken, accountId: '', role: 'ADMIN' } as const;
  let figures = 0;
  const context = {
    session,
    executeAsAccount: async (_: string, variables: Record<string, unknown>) => {
      figures++;
      return (await graphOf(register, adminToken)(FIGURES, variables)).data;
    },
  } as Partial<PageContext> as PageContext;
  liveMessages(context, { types: [], duid: dataUser.duid }, after).streamTo(stream, {
    render: templates([join(REPOSITORY_ROOT, 'web', 'console', 'views')]),
    subscriptions: { url: `${gateway.replace('http', 'ws')}/graphql`, agent: undefined },
  });
  return {
    messages,
    figures: () => figures,
    isBehind: { checks: () => behindChecks, no: () => void (behind = false) },
    close: () => gone.abort(),
  };
}

describe('the stream of a live page', () => {
  it('sends events as they happen, and figures', async () => {
    const visitor = await backOffice(register);
    const stream = await visitor.watch();
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect((await stream.next('connection')).data).toEqual({ isConnected: true });
    const event = await newEvent();
    const message = await stream.next('events', ({ data }) => listed(data.html).includes(event));
    expect(message.id).toMatch(/./);
    const { data } = await stream.next('figures');
    expect(data.perMinute.total).toBeGreaterThan(0);
    expect(data.figures).toContain('Undelivered');
    stream.close();
  });

  it('continues after the last received event, without gaps and duplicates', async () => {
    const visitor = await backOffice(register);
    const own = `duid=${dataUser.duid}`; // other test files cause events of the shared register
    const first = await visitor.watch(own);
    const seen = await newEvent();
    const { id = '' } = await first.next('events', ({ data }) => listed(data.html).includes(seen));
    first.close();
    const missed = [await newEvent(), await newEvent(), await newEvent()];
    const again = await visitor.stream(`${own}&after=`, { 'last-event-id': id });
    const live = await (async () => {
      await again.next('events', ({ data }) => listed(data.html).includes(missed[2] as string));
      return newEvent();
    })();
    await again.next('events', ({ data }) => listed(data.html).includes(live));
    expect(arrived(again)).toEqual([...missed, live]);
    again.close();
  });

  it('starts at the cursor of the page, so that later events are included', async () => {
    const visitor = await backOffice(register);
    const own = `duid=${dataUser.duid}`;
    const { html } = await visitor.get(`/?${own}`);
    const [, after = ''] = /data-after="([^"]*)"/.exec(html) ?? [];
    const event = await newEvent();
    const stream = await visitor.stream(`${own}&after=${encodeURIComponent(after)}`);
    await stream.next('events', ({ data }) => listed(data.html).includes(event));
    expect(arrived(stream)).toEqual([event]);
    stream.close();
  });

  it('starts with the newest events for a page that has missed many, and continues after them', async () => {
    const visitor = await backOffice(register);
    const own = `duid=${dataUser.duid}`;
    await registeredRecords(LISTED_EVENTS);
    const last = await newEvent();
    const { html } = await visitor.get(`/?${own}`);
    const stream = await visitor.stream(`${own}&from=newest`);
    const first = await stream.next('events');
    expect(first.id).toMatch(/./);
    expect(listed(first.data.html)).toEqual(listed(html));
    expect([listed(first.data.html)[0], listed(first.data.html).length]).toEqual([last, LISTED_EVENTS]);
    const live = await newEvent();
    await stream.next('events', ({ data }) => listed(data.html).includes(live));
    expect(arrived(stream).length).toBe(LISTED_EVENTS + 1);
    stream.close();
    const again = await visitor.stream(`${own}&from=newest`, { 'last-event-id': String(first.id) });
    await again.next('events', ({ data }) => listed(data.html).includes(live));
    expect(arrived(again)).toEqual([live]); // a browser that reopens the stream itself continues after its last event
    again.close();
  });

  it('sends only events that match the filter', async () => {
    const other = await newDataUser(register, 'https://other.example/back');
    const visitor = await backOffice(register);
    const stream = await visitor.watch(`types=ACCESS_REGISTERED&duid=${other.duid}`);
    await newEvent();
    await newCustomer(other);
    await stream.next('events');
    expect(arrived(stream)).toHaveLength(1);
    stream.close();
  });

  it('sends a browser that was behind only the newest events, as many as its list shows', async () => {
    const { cursor } = await anEvent();
    const { messages, isBehind, close } = slowBrowser(cursor);
    const events = await registeredRecords(LISTED_EVENTS + 10);
    const last = await newEvent();
    const watching = await (await backOffice(register)).stream(`after=${encodeURIComponent(cursor)}`);
    await watching.next('events', ({ data }) => listed(data.html).includes(last));
    watching.close();
    const checks = isBehind.checks();
    await until(() => (isBehind.checks() > checks + 8 ? true : undefined));
    expect(messages.filter(({ event }) => event === 'events')).toEqual([]);
    isBehind.no();
    const rows = await until(() => {
      const ids = messages.flatMap(({ event, data }) =>
        event === 'events' ? listed((data as { html: string }).html) : [],
      );
      return ids.includes(last) ? ids : undefined;
    });
    expect(events.length).toBeGreaterThan(LISTED_EVENTS);
    expect(rows).toHaveLength(LISTED_EVENTS);
    expect(rows[0]).toBe(last);
    close();
  });

  it('sends nothing to a browser that is behind and reads no figures for it, until it has caught up', async () => {
    const since = performance.now();
    const { cursor } = await anEvent();
    const { messages, figures, isBehind, close } = slowBrowser(cursor);
    await until(() => (performance.now() - since > FIGURES_INTERVAL_MS + 500 ? true : undefined));
    expect([messages, figures()]).toEqual([[], 0]);
    isBehind.no();
    await until(() => (messages.some(({ event }) => event === 'figures') ? true : undefined));
    expect(messages.filter(({ event }) => event === 'connection')).toEqual([
      { event: 'connection', data: { isConnected: true } },
    ]);
    close();
  });

  it('ends its subscription at the gateway with the browser', async () => {
    const proxy = await silencedProxy(register.gateway);
    const { close } = slowBrowser(undefined, proxy.url);
    await until(() => (proxy.connections() === 1 ? true : undefined));
    close();
    expect(await until(() => (proxy.connections() === 0 ? true : undefined))).toBe(true);
    await proxy.close();
  });

  it('is not opened by HEAD', async () => {
    const { status, headers } = await (await backOffice(register)).head('/live/stream?');
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('reports that the session has ended, and ends', async () => {
    const stream = await new ConsoleVisitor(register.console).stream();
    await stream.ended;
    expect(stream.messages.map(({ event }) => event)).toEqual(['ended']);
  });
});

describe('other requests', () => {
  it('get an error page', async () => {
    const visitor = await backOffice(register);
    expect(await visitor.get('/nowhere')).toMatchObject({ status: 404 });
    expect((await fetch(`${register.console}/%zz`)).status).toBe(400);
    expect((await fetch(`${register.console}/sign-in`, { method: 'POST', body: '{}' })).status).toBe(415);
  });

  it('write no secret to the log', async () => {
    const [account, secret] = login('admin');
    await new ConsoleVisitor(register.console).get(`/?duid=${dataUser.duid}&secret=${secret}`);
    await loggedSoFar(register);
    const log = logLines(register);
    expect(log).toContain('"route":"/live/stream"');
    for (const text of [secret, account, dataUser.duid]) expect(log.includes(text)).toBe(false);
  });

  it('for health report whether the register responds', async () => {
    for (const path of ['/health', '/health/ready', '/health/live']) {
      expect((await fetch(`${register.console}${path}`)).status).toBe(200);
    }
  });
});
