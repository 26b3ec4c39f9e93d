import {
  type OnboardedAccount,
  graphFor,
  onboarded,
  runAdmin,
  runAdminCommand,
  signIn,
} from '../../support/administration';
import { newCustomer, newDataUser } from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { rowsOf } from '../../support/backup-fixture';
import { gridArchive, trialFolder } from '../../support/grid-archives';
import { runOperatorCommand } from '../../support/operator-command';
import { freshDatabase } from '../../support/postgres';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister, usualWirings } from '../../support/register';
import { accountOf as demoAccountOf } from '../../support/rest-client';

/**
 * The tests suspend the demo admin, move the clock and read the newest entries of the audit: they need a separate
 * register.
 */
describe.each(usualWirings())('An admin (%s)', (wiring) => {
  let register: TestRegister;
  let admin: Graph;
  let adminId: string;
  beforeAll(async () => {
    register = await startTestRegister(wiring);
    const printed = await runAdminCommand(register, 'create-admin', '--name', 'First Admin');
    const [accountId = ''] = /acc_[0-9a-f]{24}/.exec(printed) ?? [];
    const [secretKey = ''] = /sk_[\w-]{43}/.exec(printed) ?? [];
    adminId = accountId;
    admin = await graphFor(register, { accountId, secretKey, duid: null });
  });
  afterAll(() => register?.close());

  const set = (mutation: string) => admin(`mutation { ${mutation} }`);
  const accountOf = async (id: string) => {
    const fields =
      'accountId role displayName status duid mpid contactUrl privacyUrl dataTypesSupported organisationReference returnUrls oauthIssuer oauthClientId suspendedAt';
    const { data } = await admin(`{ accounts(first: 500) { nodes { ${fields} } } }`);
    return data.accounts.nodes.find(({ accountId }: { accountId: string }) => accountId === id);
  };
  const lastEntries = async (count: number) => {
    const { data } = await admin(`{ auditEntries(first: ${count}) { nodes { actor action subject detail at } } }`);
    return data.auditEntries.nodes as { actor: string; action: string; subject: string; detail: object; at: string }[];
  };

  it('is created by a command before any sign-in, and then reads its own account', async () => {
    const { data } = await admin('{ viewer { accountId role duid dataUser { displayName } } }');
    expect(data.viewer).toEqual({ accountId: adminId, role: 'ADMIN', duid: null, dataUser: null });
  });

  it('reads pages of accounts, and rejects a text that is not a cursor of the list', async () => {
    const page = (after: string) =>
      `{ accounts(first: 1, after: ${after}) { nodes { accountId } pageInfo { endCursor } } }`;
    const first = (await admin(page('null'))).data.accounts;
    const second = (await admin(page(`"${first.pageInfo.endCursor}"`))).data.accounts;
    expect(second.nodes[0].accountId > first.nodes[0].accountId).toBe(true);
    expect(failuresOf(await admin(page('"zzz"')))).toEqual(['VAL001 accounts']);
  });

  it('finds accounts by a part of the name, and by any of their identifiers', async () => {
    const found = async (filter: object, first = 10) => {
      const query = `query ($filter: AccountFilter) { accounts(first: ${first}, filter: $filter) { nodes { accountId } totalCount } }`;
      const { data } = await admin(query, { filter });
      return {
        ids: data.accounts.nodes.map((each: { accountId: string }) => each.accountId),
        total: data.accounts.totalCount,
      };
    };
    const input = {
      role: 'DATA_USER',
      displayName: 'Tallow_Brook 100% Metering',
      contactUrl: 'https://tallow.example/contact',
    };
    const { accountId, duid } = await onboarded(admin, input);
    for (const text of ['tallow_BROOK', '100% met', accountId, duid])
      expect([text, await found({ text })]).toEqual([text, { ids: [accountId], total: 1 }]);
    expect(await found({ text: 'tallow%brook' })).toEqual({ ids: [], total: 0 });
    expect(await found({ ids: [adminId, duid] })).toEqual({ ids: [adminId, accountId].toSorted(), total: 2 });
    expect(await found({ ids: [adminId, duid], text: 'Tallow' })).toEqual({ ids: [accountId], total: 1 });
    expect(await found({ ids: [adminId, duid] }, 1)).toMatchObject({ total: 2 });
    expect(failuresOf(await admin('{ accounts(filter: { ids: [] }) { nodes { accountId } } }'))).toEqual([
      'VAL003 accounts',
    ]);
  });

  it('onboards a Data User and reads its secret once', async () => {
    const account = await onboarded(admin, {
      role: 'DATA_USER',
      displayName: 'Lowfell Energy Ltd',
      contactUrl: 'https://lowfell.example/contact',
      dataTypesSupported: ['HH_CONSUMPTION'],
    });
    expect(account).toEqual({
      accountId: expect.stringMatching(/^acc_[0-9a-f]{24}$/),
      duid: expect.stringMatching(/^duid_[0-9a-f]{24}$/),
      secretKey: expect.stringMatching(/^sk_[\w-]{43}$/),
    });
    expect((await signIn(register, account.accountId, account.secretKey)).status).toBe(200);
    expect(await accountOf(account.accountId)).toMatchObject({
      role: 'DATA_USER',
      status: 'ACTIVE',
      displayName: 'Lowfell Energy Ltd',
      returnUrls: [],
    });
    expect(failuresOf(await admin('{ accounts { nodes { secretKey } } }'))).toEqual(['VAL003']);
  });

  it('reads all violations of an onboarding, which has no effect', async () => {
    const count = async () => (await admin('{ accounts { totalCount } }')).data.accounts.totalCount as number;
    const before = await count();
    const input = {
      role: 'SUPPLIER',
      displayName: ' ',
      contactUrl: 'nowhere',
      returnUrls: ['https://fine.example/', 'ftp://no.example/'],
    };
    const { errors } = await admin('mutation ($input: AccountInput!) { onboardAccount(input: $input) { secretKey } }', {
      input,
    });
    expect(errors[0]?.extensions.violations?.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([
      'VAL003 displayName',
      'VAL008 contactUrl',
      'VAL008 returnUrls/1',
      'VAL001 mpid',
    ]);
    expect(await count()).toBe(before);
  });

  describe('looking after a supplier', () => {
    let supplier: OnboardedAccount;
    beforeAll(async () => {
      supplier = await onboarded(admin, { role: 'SUPPLIER', displayName: 'Tarnside Supply Ltd', mpid: 'TARN' });
    });

    it('sets each setting by its own mutation', async () => {
      const id = supplier.accountId;
      await set(`setContactUrl(accountId: "${id}", contactUrl: "https://tarnside.example/contact") { accountId }`);
      await set(`setPrivacyUrl(accountId: "${id}", privacyUrl: "https://tarnside.example/privacy") { accountId }`);
      await set(
        `setDataTypesSupported(accountId: "${id}", dataTypesSupported: [HH_EXPORT, TARIFF_EXPORT]) { accountId }`,
      );
      await set(`setOrganisationReference(accountId: "${id}", organisationReference: "ORG-7") { accountId }`);
      await set(`setReturnUrls(accountId: "${id}", returnUrls: ["https://tarnside.example/return"]) { accountId }`);
      await set(
        `setSupplierOAuth(accountId: "${id}", issuer: "https://login.tarnside.example", clientId: "register", clientSecret: "kept-to-ourselves") { accountId }`,
      );
      expect(await accountOf(id)).toEqual({
        accountId: id,
        role: 'SUPPLIER',
        displayName: 'Tarnside Supply Ltd',
        status: 'ACTIVE',
        duid: null,
        mpid: 'TARN',
        contactUrl: 'https://tarnside.example/contact',
        privacyUrl: 'https://tarnside.example/privacy',
        dataTypesSupported: ['HH_EXPORT', 'TARIFF_EXPORT'],
        organisationReference: 'ORG-7',
        returnUrls: ['https://tarnside.example/return'],
        oauthIssuer: 'https://login.tarnside.example',
        oauthClientId: 'register',
        suspendedAt: null,
      });
    });

    it('leaves an entry in the audit for each, newest first, without a secret in it', async () => {
      const entries = await lastEntries(7);
      expect(entries.map(({ action }) => action)).toEqual([
        'set-supplier-oauth',
        'set',
        'set',
        'set',
        'set',
        'set',
        'onboard',
      ]);
      for (const { actor, subject } of entries) expect([actor, subject]).toEqual([adminId, supplier.accountId]);
      expect(entries.slice(1, 6).map(({ detail }) => detail)).toEqual([
        { from: { returnUrls: [] }, to: { returnUrls: ['https://tarnside.example/return'] } },
        { from: { organisationReference: null }, to: { organisationReference: 'ORG-7' } },
        { from: { dataTypesSupported: [] }, to: { dataTypesSupported: ['HH-EXPORT', 'TARIFF-EXPORT'] } },
        { from: { privacyUrl: null }, to: { privacyUrl: 'https://tarnside.example/privacy' } },
        { from: { contactUrl: null }, to: { contactUrl: 'https://tarnside.example/contact' } },
      ]);
      expect(entries[0]?.detail).toEqual({
        from: { oauthIssuer: null, oauthClientId: null, secret: null },
        to: {
          ...{ oauthIssuer: 'https://login.tarnside.example', oauthClientId: 'register' },
          secret: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      });
      expect(entries[6]?.detail).toEqual({
        from: null,
        to: {
          ...{ role: 'supplier', mpid: 'TARN', displayName: 'Tarnside Supply Ltd' },
          ...{
            contactUrl: null,
            privacyUrl: null,
            organisationReference: null,
            dataTypesSupported: [],
            returnUrls: [],
          },
          secret: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      });
      expect(JSON.stringify(entries)).not.toMatch(/kept-to-ourselves|sk_/);
    });

    it('issues an API key, which is no sign-in secret', async () => {
      const { data } = await set(
        `issueSupplierApiKey(accountId: "${supplier.accountId}") { secretKey account { accountId } }`,
      );
      const { secretKey } = data.issueSupplierApiKey;
      expect(secretKey).toMatch(/^sk_[\w-]{43}$/);
      expect((await signIn(register, supplier.accountId, secretKey)).status).toBe(401);
      expect((await signIn(register, supplier.accountId, supplier.secretKey)).status).toBe(200);
    });

    it('cannot be onboarded twice with one market participant id', async () => {
      const input = { role: 'SUPPLIER', displayName: 'Tarnside Supply Ltd', mpid: 'TARN' };
      const response = await admin('mutation ($input: AccountInput!) { onboardAccount(input: $input) { secretKey } }', {
        input,
      });
      expect(response.errors[0]?.extensions).toMatchObject({
        code: 'VAL003',
        violations: [{ code: 'VAL003', path: ['mpid'], message: 'is in use' }],
      });
    });

    it('cannot make a supplier of another account', async () => {
      const response = await set(`issueSupplierApiKey(accountId: "${adminId}") { secretKey }`);
      expect(response.errors[0]?.extensions).toMatchObject({ code: 'VAL003', violations: [{ path: ['accountId'] }] });
    });

    it.each([
      ['a contact URL that is none', 'setContactUrl(accountId: "$", contactUrl: "nowhere")', 'VAL008', ['contactUrl']],
      [
        'a list with a return URL that is none',
        'setReturnUrls(accountId: "$", returnUrls: ["https://a.example/", "nowhere"])',
        'VAL008',
        ['returnUrls', 1],
      ],
      [
        'a data type twice',
        'setDataTypesSupported(accountId: "$", dataTypesSupported: [HH_EXPORT, HH_EXPORT])',
        'VAL003',
        ['dataTypesSupported'],
      ],
      [
        'an empty reference',
        'setOrganisationReference(accountId: "$", organisationReference: "")',
        'VAL003',
        ['organisationReference'],
      ],
    ])('may not set %s', async (_, mutation, code, path) => {
      const response = await set(`${mutation.replace('$', supplier.accountId)} { accountId }`);
      expect(response.errors[0]?.extensions).toMatchObject({ code, violations: [{ code, path }] });
    });
  });

  it.each(['suspendAccount', 'reactivateAccount', 'terminateAccount', 'rotateAccountSecret'])(
    'receives an error from %s if an account is unknown',
    async (mutation) => {
      const selection = mutation === 'rotateAccountSecret' ? 'secretKey' : 'status';
      expect(failuresOf(await set(`${mutation}(accountId: "acc_${'0'.repeat(24)}") { ${selection} }`))).toEqual([
        `NTF001 ${mutation}`,
      ]);
    },
  );

  it('suspends an account with effect at once, over the graph and at a sign-in, too', async () => {
    const account = await onboarded(admin, { role: 'ANALYST', displayName: 'Short Visit' });
    const analyst = await graphFor(register, account);
    const signInStatus = async () => (await signIn(register, account.accountId, account.secretKey)).status;
    expect((await analyst('{ viewer { role } }')).data).toEqual({ viewer: { role: 'ANALYST' } });
    const suspended = await set(`suspendAccount(accountId: "${account.accountId}") { status suspendedAt }`);
    expect(suspended.data.suspendAccount).toEqual({ status: 'SUSPENDED', suspendedAt: expect.any(String) });
    const rejected = await analyst('{ viewer { role } }');
    expect([rejected.status, rejected.headers.get('www-authenticate'), ...failuresOf(rejected)]).toEqual([
      401,
      'Bearer error="invalid_token"',
      'AUT001',
    ]);
    expect(await signInStatus()).toBe(401);
    await set(`reactivateAccount(accountId: "${account.accountId}") { status }`);
    expect((await analyst('{ viewer { role } }')).status).toBe(200);
    await set(`terminateAccount(accountId: "${account.accountId}") { status }`);
    expect((await analyst('{ viewer { role } }')).status).toBe(401);
    expect(await signInStatus()).toBe(401);
    const again = await set(`reactivateAccount(accountId: "${account.accountId}") { status }`);
    expect(failuresOf(again)).toEqual(['CNF001 reactivateAccount']);
    expect((await lastEntries(3)).map(({ action, detail }) => [action, detail])).toEqual([
      ['terminate', { from: { status: 'active' }, to: { status: 'terminated' } }],
      ['reactivate', { from: { status: 'suspended' }, to: { status: 'active' } }],
      ['suspend', { from: { status: 'active' }, to: { status: 'suspended' } }],
    ]);
  });

  it('replaces a stolen secret: every earlier one ends at once, also within 24 hours of a rotation, and so does every token', async () => {
    const { accountId, secretKey } = await onboarded(admin, { role: 'ANALYST', displayName: 'Robbed' });
    const secrets = [secretKey];
    const tokens: string[] = [];
    const viewer = async (token: string) => (await graphOf(register, token)('{ viewer { role } }')).status;
    const rotate = async (more: string) => {
      tokens.push((await signIn(register, accountId, secrets.at(-1) as string)).token);
      const { data } = await set(`rotateAccountSecret(accountId: "${accountId}"${more}) { secretKey }`);
      secrets.push(String(data.rotateAccountSecret.secretKey));
    };
    await rotate('');
    expect(await Promise.all(tokens.map(viewer))).toEqual([200]); // a rotation in time ends neither token nor secret
    await rotate(', revokePrevious: true');
    await rotate(', revokePrevious: true');
    const statuses = await Promise.all(
      secrets.map(async (secret) => (await signIn(register, accountId, secret)).status),
    );
    expect(statuses).toEqual([401, 401, 401, 200]);
    expect(await Promise.all(tokens.map(viewer))).toEqual([401, 401, 401]);
    const [second, first, usual] = (await lastEntries(3)).map(({ detail }) => detail) as Record<string, object>[];
    expect(usual).toEqual({ from: { secret: expect.any(String) }, to: { secret: expect.any(String) } });
    expect(first).toEqual({
      from: { ...usual?.['to'], tokenSeries: null },
      to: { secret: expect.any(String), tokenSeries: expect.any(String) },
    });
    expect(second?.['from']).toEqual(first?.['to']);
  });

  it('is rescued by the operator from a thief of its own secret, without a sign-in', async () => {
    const robbed = await onboarded(admin, { role: 'ADMIN', displayName: 'Robbed Admin' });
    const thief = await graphFor(register, robbed);
    const printed = JSON.parse(await runAdminCommand(register, 'revoke-secret', '--account', robbed.accountId));
    expect((await thief('{ viewer { role } }')).status).toBe(401);
    expect((await signIn(register, robbed.accountId, robbed.secretKey)).status).toBe(401);
    expect((await signIn(register, printed.account_id, printed.secret_key)).status).toBe(200);
    expect(await lastEntries(1)).toMatchObject([
      { actor: 'operator', action: 'rotate-secret', subject: robbed.accountId },
    ]);
    await set(`terminateAccount(accountId: "${robbed.accountId}") { status }`);
  });

  it('with a mistyped id cannot be rescued by the operator, and the command says so', async () => {
    await expect(runAdminCommand(register, 'revoke-secret', '--account', 'acc_unknown')).rejects.toMatchObject({
      stderr: expect.stringMatching(/^--account: there is no account with this id\n/),
    });
  });

  it('has every move of the clock in the audit', async () => {
    await set('setClockOffset(seconds: 60)');
    const { data } = await set('setClockOffset(seconds: 0)');
    expect(Math.abs(Date.parse(data.setClockOffset) - Date.now())).toBeLessThan(30_000);
    expect((await lastEntries(2)).map(({ action, detail }) => [action, detail])).toEqual([
      ['set-clock-offset', { from: { seconds: 60 }, to: { seconds: 0 } }],
      ['set-clock-offset', { from: { seconds: 0 }, to: { seconds: 60 } }],
    ]);
  });

  it('makes time pass: a record expires at that instant, which is that of its last transition, on a page of its own, too', async () => {
    const dataUser = await newDataUser(register, 'https://lowfell.example/back');
    const record = consentRecord((await newCustomer(dataUser)).ir);
    const expiry = new Date(Date.now() + 1_800_000).toISOString();
    Object.assign(record['access-event'], { expiry });
    const { body } = await dataUser.rest('POST', '/v1/access-records', record);
    const { key } = body['access-token'];
    const state = async () =>
      (await dataUser.rest('GET', `/v1/access-records/${key}`)).body['access-record']['access-event'].state;
    expect(await state()).toBe('ACTIVE');
    await set('setClockOffset(seconds: 1900)');
    expect(await state()).toBe('EXPIRED');
    const query = `query ($key: AccessKey!) { accessRecord(key: $key) {
      all: transitions { nodes { from to cause reason at } } last: transitions(after: "1") { nodes { from to cause at } } none: transitions(after: "2") { nodes { to } } } }`;
    const { data } = await graphOf(register, dataUser.token)(query, { key });
    await set('setClockOffset(seconds: 0)');
    expect(data.accessRecord).toEqual({
      all: {
        nodes: [
          { from: null, to: 'ACTIVE', cause: 'REGISTERED', reason: null, at: expect.any(String) },
          { from: 'ACTIVE', to: 'EXPIRED', cause: 'EXPIRED', reason: null, at: expiry },
        ],
      },
      last: { nodes: [{ from: 'ACTIVE', to: 'EXPIRED', cause: 'EXPIRED', at: expiry }] },
      none: { nodes: [] },
    });
  });

  it('reads the audit page by page, from the newest entry to the first one', async () => {
    const ids: number[] = [];
    let after: string | null = null;
    for (let hasNextPage = true; hasNextPage;) {
      const { data } = await admin(
        'query ($after: String) { auditEntries(first: 10, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }',
        { after },
      );
      ids.push(...data.auditEntries.nodes.map(({ id }: { id: string }) => Number(id)));
      ({ endCursor: after, hasNextPage } = data.auditEntries.pageInfo);
    }
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect(new Set(ids).size).toBe(ids.length);
    const [first] = (
      await admin(`{ auditEntries(first: 1, after: "${(ids.at(-1) ?? 0) + 1}") { nodes { action actor } } }`)
    ).data.auditEntries.nodes;
    expect(first).toEqual({ action: 'onboard', actor: 'sandbox' });
    expect(failuresOf(await admin('{ auditEntries(after: "x") { nodes { id } } }'))).toEqual(['VAL001 auditEntries']);
  });

  it('cannot be suspended or terminated as the last active admin', async () => {
    const { account_id: other } = demoAccountOf(register.sandbox, 'admin');
    expect((await set(`suspendAccount(accountId: "${other}") { status }`)).errors).toEqual([]);
    for (const change of ['suspend', 'terminate']) {
      const { errors } = await set(`${change}Account(accountId: "${adminId}") { status }`);
      expect(errors).toMatchObject([
        { message: 'The last active admin cannot be suspended or terminated.', extensions: { code: 'CNF001' } },
      ]);
    }
    expect((await set(`terminateAccount(accountId: "${other}") { status }`)).errors).toEqual([]);
    expect((await admin('{ viewer { role } }')).status).toBe(200);
  });

  it('is the only one who may do all this', async () => {
    const analyst = await graphAs(register, 'analyst');
    for (const graph of [analyst, await graphAs(register, 'data_user')]) {
      expect(failuresOf(await graph(`mutation { suspendAccount(accountId: "${adminId}") { status } }`))).toEqual([
        'PRM001',
      ]);
    }
    expect(failuresOf(await graphOf(register)('{ auditEntries { nodes { id } } }'))).toEqual(['AUT001']);
  });
});

describe('The commands in production', () => {
  it('create keys, the first admin and a grid model with the login of DATABASE_URL, and create no login', async () => {
    const [database, folder] = [await freshDatabase(), await trialFolder()];
    try {
      const lines = (await runAdmin({}, 'create-keys')).trim().split('\n');
      const keys = Object.fromEntries(
        lines.map((line) => line.split(/=(.*)/s).map((part) => part.replace(/^'|'$/g, ''))),
      );
      const production = {
        ...(keys as Record<string, string>),
        NODE_ENV: 'production',
        BASE_URL: 'https://register.example/v1',
        PORTAL_URL: 'https://portal.register.example',
        CONSOLE_URL: 'https://console.register.example',
        SMTP_URL: 'smtps://user:password@mail.example',
        MPXN_PROFILE: 'gb',
        DATABASE_URL: database.url,
      };
      expect(await runAdmin(production, 'create-admin', '--name', 'Back office')).toMatch(/acc_[0-9a-f]{24}/);
      const words = ['--area', 'EPN', '--year', '2026', '--period', '01', '--project', 'P'];
      const archive = await folder.write('project.zip', await gridArchive());
      const published = await runOperatorCommand('commands/publish-grid', [...words, archive], production).ended;
      expect(published).toMatchObject({ code: 0, output: expect.stringContaining('"version":1') });
      const logins = "select rolname from pg_roles where strpos(rolname, '_' || current_database() || '_') > 0";
      expect(await rowsOf(database.url, logins)).toEqual([]);
    } finally {
      await Promise.all([database.drop(), folder.remove()]);
    }
  });
});
