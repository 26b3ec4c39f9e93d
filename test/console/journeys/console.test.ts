import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTED_EVENTS } from '../../../console/live/latest-events';
import { liveMessages } from '../../../console/live/live-stream';
import type { Outlet, Visit } from '../../../console/page';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { AccountRole } from '../../../schema/roles';
import { onboarded } from '../../support/administration';
import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { type Customer, type DataUser, identityRecord, newCustomer, newDataUser } from '../../support/customers';
import type { OpenStream } from '../../support/event-source';
import { graphAs, graphOf } from '../../support/graph';
import { logLines } from '../../support/portal-sign-in';
import { registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf, tokenOf } from '../../support/rest-client';
import { until } from '../../support/until';
import { templates } from '../../../web/templates';

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

const SESSION = 'console-session';
const login = (role: AccountRole) => {
  const { account_id, secret_key } = accountOf(register.sandbox, role);
  return [account_id, secret_key] as const;
};

/** Registers a record; answers the id of its event. */
async function newEvent(): Promise<string> {
  return (await anEvent()).id;
}

/** Registers a record; its event is told of once every earlier transaction of the PostgreSQL server has ended. */
async function anEvent(): Promise<{ id: string; cursor: string }> {
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

/** Ids of the events in rows, from the top. */
function listed(html: string): string[] {
  return [...html.matchAll(/data-event="(evt_[0-9a-f]{24})"/g)].map(([, id]) => String(id));
}

/** Ids of the events that came by a stream, in the order in which they came. */
function arrived({ messages }: OpenStream): string[] {
  return messages.filter(({ event }) => event === 'events').flatMap(({ data }) => listed(data.html).toReversed());
}

describe('the sign-in', () => {
  it.each(['admin', 'analyst'] as const)('lets in an account of the role %s', async (role) => {
    const visitor = new ConsoleVisitor(register.console);
    expect(await visitor.signIn(...login(role))).toMatchObject({ status: 303, location: '/' });
    const page = await visitor.get('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`Signed in as ${role}`);
    expect(await visitor.get('/sign-in')).toMatchObject({ status: 303, location: '/' });
  });

  it.each(['data_user', 'data_provider', 'communications_operator', 'portal', 'supplier'] as const)(
    'refuses an account of the role %s',
    async (role) => {
      const visitor = new ConsoleVisitor(register.console);
      const page = await visitor.signIn(...login(role));
      expect(page.status).toBe(403);
      expect(page.text).toContain('This account is not of the back office.');
      expect(visitor.cookies.has(SESSION)).toBe(false);
    },
  );

  it('refuses a wrong secret, an unknown account and nothing at all, without saying which part was wrong', async () => {
    const [account, secret] = login('admin');
    for (const entered of [
      [account, `${secret}x`],
      ['acc_unknown', secret],
      ['', ''],
      [account, ''],
    ] as const) {
      const visitor = new ConsoleVisitor(register.console);
      const page = await visitor.signIn(entered[0], entered[1]);
      expect([entered, page.status]).toEqual([entered, 401]);
      expect(page.text).toContain('Account id or secret key is wrong.');
      expect(page.html).not.toContain(secret);
      expect(visitor.cookies.has(SESSION)).toBe(false);
    }
  });

  it('keeps the token of the register where the browser cannot read it', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { headers } = await visitor.signIn(...login('admin'));
    const [cookie = ''] = headers.getSetCookie().filter((each) => each.startsWith(SESSION));
    expect(cookie).toMatch(/^console-session=[\w-]+; Max-Age=7200; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const kept = Buffer.from(visitor.cookies.get(SESSION) ?? '', 'base64url').toString('latin1');
    expect(kept).not.toMatch(/token|eyJ|ADMIN/);
  });

  it('is of our own form only', async () => {
    const [account, secret] = login('admin');
    const fields = { 'account-id': account, 'secret-key': secret };
    const visitor = new ConsoleVisitor(register.console);
    const page = await visitor.get('/sign-in');
    const genuine = { ...page.forms[0]?.fields, ...fields };
    const attempts = [
      visitor.post('/sign-in', fields),
      visitor.post('/sign-in', genuine, { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }),
      new ConsoleVisitor(register.console).post('/sign-in', genuine),
    ];
    for (const answer of await Promise.all(attempts)) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('This form has expired');
    }
    expect(visitor.cookies.has(SESSION)).toBe(false);
  });

  it('comes first, and again after the sign-out', async () => {
    expect(await new ConsoleVisitor(register.console).get('/')).toMatchObject({ status: 303, location: '/sign-in' });
    const visitor = await backOffice(register);
    const out = await visitor.press(await visitor.get('/'), '/sign-out');
    expect(out).toMatchObject({ status: 303, location: '/sign-in' });
    expect(out.headers.get('clear-site-data')).toBe('"cache"');
    expect(await visitor.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
  });
});

/** How many subscriptions the gateway has open. */
async function subscriptions(): Promise<number> {
  const metrics = await (await fetch(`${register.gateway}/metrics`)).text();
  return Number(/^gateway_subscriptions\{transport="websocket"\} (\d+)$/m.exec(metrics)?.[1]);
}

/** An analyst of its own, who has signed in; and a way to suspend the account. */
async function analyst() {
  const admin = await graphAs(register, 'admin');
  const input = { role: 'ANALYST', displayName: 'Night shift', contactUrl: 'https://register.example/contact' };
  const { accountId, secretKey } = await onboarded(admin, input);
  const visitor = new ConsoleVisitor(register.console);
  await visitor.signIn(accountId, secretKey);
  const suspend = async () => {
    const { errors } = await admin('mutation ($id: ID!) { suspendAccount(accountId: $id) { accountId } }', {
      id: accountId,
    });
    expect(errors).toEqual([]);
  };
  return { visitor, suspend };
}

describe('a session', () => {
  it('ends with the account: the page says so, and a page that is open is told', async () => {
    const { visitor, suspend } = await analyst();
    const stream = await visitor.stream();
    await stream.next('connection');
    await suspend();
    await stream.next('ended');
    await stream.ended;
    const answer = await visitor.get('/');
    expect(answer).toMatchObject({ status: 303, location: '/sign-in?ended' });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect((await visitor.get('/sign-in?ended')).text).toContain('Your session has ended.');
  });

  it('ends with the sign-out: pages that are open in other windows are told, and a copy of its cookie is worth nothing', async () => {
    const visitor = await backOffice(register);
    const elsewhere = await backOffice(register);
    const copy = visitor.cookies.get(SESSION) ?? '';
    const [one, another, others] = [await visitor.stream(), await visitor.stream(), await elsewhere.stream()];
    for (const stream of [one, another, others]) await stream.next('connection', ({ data }) => data.isConnected);
    const followed = await subscriptions();
    await visitor.press(await visitor.get('/'), '/sign-out');
    for (const stream of [one, another]) {
      expect((await stream.next('ended')).data).toEqual({ isSignedOut: true });
      await stream.ended;
    }
    await until(async () => ((await subscriptions()) === followed - 2 ? true : undefined));

    const thief = new ConsoleVisitor(register.console);
    thief.cookies.set(SESSION, copy);
    expect(await thief.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
    thief.cookies.set(SESSION, copy);
    const refused = await thief.stream();
    await refused.ended;
    expect(refused.messages.map(({ event }) => event)).toEqual(['ended']);

    expect(await elsewhere.get('/')).toMatchObject({ status: 200 });
    expect(others.messages.filter(({ event }) => event === 'ended')).toEqual([]);
    others.close();
  });

  it('has no more than so many streams at a time', async () => {
    const visitor = await backOffice(register);
    const streams = await Promise.all(Array.from({ length: 12 }, () => visitor.stream()));
    const refused = await visitor.stream();
    expect([...streams, refused].map(({ status }) => status)).toEqual([...streams.map(() => 200), 429]);
    expect(refused.headers.get('retry-after')).toBe('2');
    streams[0]?.close();
    const again = await until(async () => {
      const stream = await visitor.stream();
      return stream.status === 200 ? stream : undefined;
    });
    for (const stream of [...streams, again]) stream.close();
  });

  it('that was not made here counts as none', async () => {
    const visitor = await backOffice(register);
    const value = visitor.cookies.get(SESSION) ?? '';
    visitor.cookies.set(SESSION, `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`);
    expect(await visitor.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
  });
});

describe('the page of contests', () => {
  it('shows what each Data User asserted and caused, to the back office only, and no person', async () => {
    const rival = await newDataUser(register, 'https://larkhill.example/return');
    const second = `second-${customer.mpxn}@customer.example`;
    await rival.rest('POST', '/v1/identity-records', identityRecord(customer.mpxn, second));
    const visitor = await backOffice(register, 'analyst');
    for (const days of ['', '?days=30']) {
      const { html, text, status } = await visitor.get(`/contests${days}`);
      expect(status).toBe(200);
      expect(text).toMatch(new RegExp(`${rival.name} 1 1 0`));
      for (const personal of [customer.mpxn, second, customer.email]) expect(html).not.toContain(personal);
    }
    expect(await new ConsoleVisitor(register.console).get('/contests')).toMatchObject({
      status: 303,
      location: '/sign-in',
    });
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
    const [row = ''] = new RegExp(`<tr data-event="${later}">.*?</tr>`, 's').exec(html) ?? [];
    expect(row).toContain('access.registered');
    expect(row).toContain(dataUser.name);
    expect(row).toContain('active');
    expect(row).toMatch(/<time datetime="\d{4}-\d\d-\d\dT[^"]+Z"/);
    expect(text).toMatch(/Events last hour \d/);
  });

  it('shows no access key, no meter point number and no e-mail address', async () => {
    const { html } = await (await backOffice(register)).get('/');
    expect(listed(html).length).toBeGreaterThan(0);
    expect(html).not.toMatch(/ak_[0-9a-f]{24}/);
    expect(html).not.toContain(customer.mpxn);
    expect(html).not.toContain('@');
  });

  it('shows what a filter lets through, and says when there is nothing', async () => {
    const visitor = await backOffice(register);
    const event = await newEvent();
    const shown = async (query: string) => (await visitor.get(`/?${query}`)).html;
    expect(listed(await shown(`duid=${dataUser.duid}`))).toContain(event);
    expect(listed(await shown('types=ACCESS_REGISTERED&types=ACCESS_REVOKED'))).toContain(event);
    expect(listed(await shown('types=ACCESS_REVOKED'))).not.toContain(event);
    const none = await visitor.get(`/?duid=duid_${'0'.repeat(24)}`);
    expect(listed(none.html)).toEqual([]);
    expect(none.text).toContain('No events that the filter lets through yet.');
    expect((await visitor.get('/?duid=Larkhill')).text).toContain('That is no identifier of a Data User');
  });

  it('is kept by nobody, framed by nobody, and runs nothing inline or from elsewhere', async () => {
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

const FIGURES = readFileSync(join(REPOSITORY_ROOT, 'console', 'operations', 'readLiveFigures.graphql'), 'utf8');
/** Milliseconds from figures to figures. */
const FIGURES_EVERY = 5_000;

/** The other end of a stream, that takes nothing until it is told to. */
function slowBrowser(after: string) {
  const gone = new AbortController();
  const messages: { event: string; data: unknown }[] = [];
  let questions = 0;
  let behind = true;
  const outlet: Outlet = {
    send: (message) => void messages.push(message),
    isBehind: () => {
      questions++;
      return behind;
    },
    gone: gone.signal,
    end: () => gone.abort(),
  };
  const session = { id: '', token: adminToken, accountId: '', role: 'ADMIN' } as const;
  let figures = 0;
  const visit = {
    session,
    askAsAccount: async (_: string, variables: Record<string, unknown>) => {
      figures++;
      return (await graphOf(register, adminToken)(FIGURES, variables)).data;
    },
  } as Partial<Visit> as Visit;
  liveMessages(visit, { types: [], duid: dataUser.duid }, after).stream(outlet, {
    render: templates([join(REPOSITORY_ROOT, 'console', 'views')]),
    subscriptionsUrl: `${register.gateway.replace('http', 'ws')}/graphql`,
  });
  return {
    messages,
    figures: () => figures,
    isBehind: { asked: () => questions, no: () => void (behind = false) },
    close: () => gone.abort(),
  };
}

describe('the stream of a live page', () => {
  it('brings events as they happen, and figures', async () => {
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

  it('goes on after the last that came: nothing is missed, nothing comes twice', async () => {
    const visitor = await backOffice(register);
    const first = await visitor.watch();
    const seen = await newEvent();
    const { id = '' } = await first.next('events', ({ data }) => listed(data.html).includes(seen));
    first.close();
    const missed = [await newEvent(), await newEvent(), await newEvent()];
    const again = await visitor.stream('after=', { 'last-event-id': id });
    const live = await (async () => {
      await again.next('events', ({ data }) => listed(data.html).includes(missed[2] as string));
      return newEvent();
    })();
    await again.next('events', ({ data }) => listed(data.html).includes(live));
    expect(arrived(again)).toEqual([...missed, live]);
    again.close();
  });

  it('begins where the page says, so that what happened since is there', async () => {
    const visitor = await backOffice(register);
    const { html } = await visitor.get('/');
    const [, after = ''] = /data-after="([^"]*)"/.exec(html) ?? [];
    const event = await newEvent();
    const stream = await visitor.stream(`after=${encodeURIComponent(after)}`);
    await stream.next('events', ({ data }) => listed(data.html).includes(event));
    expect(arrived(stream)).toEqual([event]);
    stream.close();
  });

  it('brings what the filter lets through only', async () => {
    const other = await newDataUser(register, 'https://other.example/back');
    const visitor = await backOffice(register);
    const stream = await visitor.watch(`types=ACCESS_REGISTERED&duid=${other.duid}`);
    await newEvent();
    await newCustomer(other);
    await stream.next('events');
    expect(arrived(stream)).toHaveLength(1);
    stream.close();
  });

  it('brings a browser that is behind the newest only, as many as its list shows', async () => {
    const { cursor } = await anEvent();
    const { messages, isBehind, close } = slowBrowser(cursor);
    const events = await Promise.all(
      Array.from({ length: LISTED_EVENTS + 10 }, () => registered(dataUser.rest, customer.ir)),
    );
    const last = await newEvent();
    const watching = await (await backOffice(register)).stream(`after=${encodeURIComponent(cursor)}`);
    await watching.next('events', ({ data }) => listed(data.html).includes(last));
    watching.close();
    const asked = isBehind.asked();
    await until(() => (isBehind.asked() > asked + 8 ? true : undefined));
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

  it('writes nothing to a browser that is behind: figures are not even asked for, news come when it has caught up', async () => {
    const since = performance.now();
    const { cursor } = await anEvent();
    const { messages, figures, isBehind, close } = slowBrowser(cursor);
    await until(() => (performance.now() - since > FIGURES_EVERY + 500 ? true : undefined));
    expect([messages, figures()]).toEqual([[], 0]);
    isBehind.no();
    await until(() => (messages.some(({ event }) => event === 'figures') ? true : undefined));
    expect(messages.filter(({ event }) => event === 'connection')).toEqual([
      { event: 'connection', data: { isConnected: true } },
    ]);
    close();
  });

  it('tells who is not signed in, and ends', async () => {
    const stream = await new ConsoleVisitor(register.console).stream();
    await stream.ended;
    expect(stream.messages.map(({ event }) => event)).toEqual(['ended']);
  });
});

describe('what nobody asked for', () => {
  it('is answered by a page that says so', async () => {
    const visitor = await backOffice(register);
    expect(await visitor.get('/nowhere')).toMatchObject({ status: 404 });
    expect((await fetch(`${register.console}/%zz`)).status).toBe(400);
    expect((await fetch(`${register.console}/sign-in`, { method: 'POST', body: '{}' })).status).toBe(415);
  });

  it('leaves no secret in the log', async () => {
    const [account, secret] = login('admin');
    await new ConsoleVisitor(register.console).get(`/?duid=${dataUser.duid}&secret=${secret}`);
    const log = logLines(register);
    expect(log).toContain('"route":"/live/stream"');
    for (const text of [secret, account, dataUser.duid]) expect(log.includes(text)).toBe(false);
  });

  it('health: whether the register answers', async () => {
    for (const path of ['/health', '/health/ready', '/health/live']) {
      expect((await fetch(`${register.console}${path}`)).status).toBe(200);
    }
  });
});
