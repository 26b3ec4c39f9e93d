import type { AccountRole } from '../../../schema/roles';
import { onboarded } from '../../support/administration';
import { ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { graphAs } from '../../support/graph';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf } from '../../support/rest-client';
import { until } from '../../support/until';

let register: SharedRegister;

beforeAll(async () => {
  register = await sharedRegister();
});

const SESSION = 'console-session';
const PAGE = 'console-page';
const login = (role: AccountRole) => {
  const { account_id, secret_key } = accountOf(register.sandbox, role);
  return [account_id, secret_key] as const;
};

describe('the sign-in', () => {
  it.each(['admin', 'analyst'] as const)('accepts an account with the role %s', async (role) => {
    const visitor = new ConsoleVisitor(register.console);
    expect(await visitor.signIn(...login(role))).toMatchObject({ status: 303, location: '/' });
    const page = await visitor.get('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`Signed in as ${role}`);
    expect(await visitor.get('/sign-in')).toMatchObject({ status: 303, location: '/' });
  });

  it('leads back to the page that required it, with its query, once', async () => {
    const visitor = new ConsoleVisitor(register.console);
    expect(await visitor.get('/contests?days=30')).toMatchObject({ status: 303, location: '/sign-in' });
    expect((await visitor.signIn('acc_unknown', 'wrong')).status).toBe(401);
    expect(await visitor.signIn(...login('admin'))).toMatchObject({ status: 303, location: '/contests?days=30' });
    await visitor.press(await visitor.get('/'), '/sign-out');
    expect(await visitor.signIn(...login('admin'))).toMatchObject({ status: 303, location: '/' });
  });

  it('leads to no page that the console did not store', async () => {
    const visitor = new ConsoleVisitor(register.console);
    visitor.cookies.set('console-page', 'https://elsewhere.example/');
    expect(await visitor.signIn(...login('admin'))).toMatchObject({ status: 303, location: '/' });
  });

  it.each(['data_user', 'data_provider', 'communications_operator', 'portal', 'supplier'] as const)(
    'rejects an account of the role %s',
    async (role) => {
      const visitor = new ConsoleVisitor(register.console);
      const page = await visitor.signIn(...login(role));
      expect(page.status).toBe(403);
      expect(page.text).toContain('This account has no role in the back office.');
      expect(visitor.cookies.has(SESSION)).toBe(false);
    },
  );

  it('rejects a wrong secret, an unknown account and empty input, without revealing which part was wrong', async () => {
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
      expect(page.text).toContain('The account id or the secret key is wrong.');
      expect(page.html).not.toContain(secret);
      expect(visitor.cookies.has(SESSION)).toBe(false);
    }
  });

  it('stores the token where the browser cannot read it', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const { headers } = await visitor.signIn(...login('admin'));
    const [cookie = ''] = headers.getSetCookie().filter((each) => each.startsWith(SESSION));
    expect(cookie).toMatch(/^console-session=[\w-]+; Max-Age=7200; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const kept = Buffer.from(visitor.cookies.get(SESSION) ?? '', 'base64url').toString('latin1');
    expect(kept).not.toMatch(/token|eyJ|ADMIN/);
  });

  it('accepts only its own form', async () => {
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
    for (const response of await Promise.all(attempts)) {
      expect(response.status).toBe(403);
      expect(response.text).toContain('This form has expired');
    }
    expect(visitor.cookies.has(SESSION)).toBe(false);
  });

  it('is required first, and again after the sign-out', async () => {
    expect(await new ConsoleVisitor(register.console).get('/')).toMatchObject({ status: 303, location: '/sign-in' });
    const visitor = await backOffice(register);
    const out = await visitor.press(await visitor.get('/'), '/sign-out');
    expect(out).toMatchObject({ status: 303, location: '/sign-in' });
    expect(out.headers.get('clear-site-data')).toBe('"cache"');
    expect(await visitor.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
  });
});

/** Signs in a new analyst; returns the visitor, and a function that makes a change of the account. */
async function analyst() {
  const admin = await graphAs(register, 'admin');
  const input = { role: 'ANALYST', displayName: 'Night shift', contactUrl: 'https://register.example/contact' };
  const { accountId, secretKey } = await onboarded(admin, input);
  const visitor = new ConsoleVisitor(register.console);
  await visitor.signIn(accountId, secretKey);
  const change = async (mutation: string) => {
    const { errors } = await admin(`mutation ($id: ID!) { ${mutation} }`, { id: accountId });
    expect(errors).toEqual([]);
  };
  return { visitor, accountId, change, suspend: () => change('suspendAccount(accountId: $id) { accountId }') };
}

describe('a session', () => {
  it.each([
    ['the account', 'suspendAccount(accountId: $id) { accountId }'],
    ['its secret', 'rotateAccountSecret(accountId: $id, revokePrevious: true) { secretKey }'],
  ])('ends with %s: open pages show it, too', async (_, mutation) => {
    const { visitor, change } = await analyst();
    const stream = await visitor.stream();
    await stream.next('connection');
    await change(mutation);
    await stream.next('ended');
    await stream.ended;
    const response = await visitor.get('/');
    expect(response).toMatchObject({ status: 303, location: '/sign-in?ended' });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect((await visitor.get('/sign-in?ended')).text).toContain('Your session has ended.');
  });

  it('ends with the sign-out: pages in other windows show it, and a copied cookie is rejected', async () => {
    const visitor = await backOffice(register);
    const elsewhere = await backOffice(register);
    const copy = visitor.cookies.get(SESSION) ?? '';
    const [one, another, others] = [await visitor.stream(), await visitor.stream(), await elsewhere.stream()];
    for (const stream of [one, another, others]) await stream.next('connection', ({ data }) => data.isConnected);
    await visitor.press(await visitor.get('/'), '/sign-out');
    for (const stream of [one, another]) {
      expect((await stream.next('ended')).data).toEqual({ isSignedOut: true });
      await stream.ended;
    }

    const thief = new ConsoleVisitor(register.console);
    thief.cookies.set(SESSION, copy);
    expect(await thief.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
    thief.cookies.set(SESSION, copy);
    const rejected = await thief.stream();
    await rejected.ended;
    expect(rejected.messages.map(({ event }) => event)).toEqual(['ended']);

    expect(await elsewhere.get('/')).toMatchObject({ status: 200 });
    expect(others.messages.filter(({ event }) => event === 'ended')).toEqual([]);
    others.close();
  });

  it('ends with the next sign-in in its browser', async () => {
    const visitor = new ConsoleVisitor(register.console);
    const form = await visitor.get('/sign-in');
    const signIn = ([account, secret]: readonly [string, string]) =>
      visitor.press(form, '/sign-in', { 'account-id': account, 'secret-key': secret });
    await signIn(login('admin'));
    const thief = new ConsoleVisitor(register.console);
    thief.cookies.set(SESSION, visitor.cookies.get(SESSION) ?? '');
    const stream = await visitor.stream();
    await stream.next('connection', ({ data }) => data.isConnected);
    expect(await signIn(login('analyst'))).toMatchObject({ status: 303, location: '/' });
    expect(await thief.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
    expect((await stream.next('ended')).data).toEqual({ isSignedOut: true });
    expect((await visitor.get('/')).text).toContain('Signed in as analyst');
  });

  it('that has ended leads back to its page after a sign-in of its own account only', async () => {
    const admin = await graphAs(register, 'admin');
    const rotate =
      'mutation ($id: ID!) { rotated: rotateAccountSecret(accountId: $id, revokePrevious: true) { secretKey } }';
    const { visitor, accountId } = await analyst();
    const stream = await visitor.stream();
    await stream.next('connection');
    const { data } = await admin(rotate, { id: accountId });
    await stream.next('ended');
    expect(await visitor.get('/contests?days=30')).toMatchObject({ status: 303, location: '/sign-in?ended' });
    const another = new ConsoleVisitor(register.console);
    for (const [name, value] of visitor.cookies) another.cookies.set(name, value);
    expect(await another.signIn(...login('admin'))).toMatchObject({ status: 303, location: '/' });
    another.cookies.set(PAGE, visitor.cookies.get(PAGE) ?? '');
    await another.press(await another.get('/'), '/sign-out');
    expect(another.cookies.has(PAGE)).toBe(false);
    const own = await visitor.signIn(accountId, data.rotated.secretKey);
    expect(own).toMatchObject({ status: 303, location: '/contests?days=30' });
  });

  it('has a limited number of concurrent streams', async () => {
    const visitor = await backOffice(register);
    const streams = await Promise.all(Array.from({ length: 12 }, () => visitor.stream()));
    const rejected = await visitor.stream();
    expect([...streams, rejected].map(({ status }) => status)).toEqual([...streams.map(() => 200), 429]);
    expect(rejected.headers.get('retry-after')).toBe('2');
    streams[0]?.close();
    const again = await until(async () => {
      const stream = await visitor.stream();
      return stream.status === 200 ? stream : undefined;
    });
    for (const stream of [...streams, again]) stream.close();
  });

  it('that the console did not issue is ignored', async () => {
    const visitor = await backOffice(register);
    const value = visitor.cookies.get(SESSION) ?? '';
    visitor.cookies.set(SESSION, `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`);
    expect(await visitor.get('/')).toMatchObject({ status: 303, location: '/sign-in' });
  });
});
