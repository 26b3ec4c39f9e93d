import { randomBytes } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import { Client } from 'pg';
import pino from 'pino';
import { generatedKey } from '../../../../process/settings/generated-key';
import { type Authentication, type Identification, authentication } from '../../../../gateway/callers/authentication';
import { admit } from '../../../../gateway/callers/audiences';
import { RegisterError } from '../../../../schema/register-error';
import { startAccess } from '../../../../subgraphs/access/access.module';
import { AccountAdmission } from '../../../../subgraphs/access/accounts/account-admission.queries';
import { openDatabase } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type SigningKeys, issueBearerToken, localVerifier } from '../../../../subgraphs/server/callers/bearer-token';
import type { CallContext } from '../../../../subgraphs/server/callers/caller';
import { remoteLink } from '../../../../subgraphs/server/graph/remote-link';
import { subgraphCalls } from '../../../../subgraphs/server/graph/subgraph-calls';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { absentSubgraph, urls } from '../../../support/identity-surroundings';
import { LinkedServices } from '../../../support/linked-installation';
import { expectWait } from '../../../support/limit-period';
import { freshDatabase } from '../../../support/postgres';
import { readSettings } from '../../../../process/settings/read-settings';

export function supplierKeys(): void {
  const MOST_REQUESTS = 40;
  const MOST_FAILURES = 3;
  const ORIGIN = { transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };

  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let owner: Client;
  let access: Awaited<ReturnType<typeof startAccess>>;
  let signing: SigningKeys;
  let callers: Authentication;
  let accountId: string;
  let mpid: string;
  let suppliers = 0;
  let key: string;
  const lines: string[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    signing = { issuer: 'http://register', keys: [generatedKey('ed25519').export({ format: 'jwk' })] };
    access = await started(false);
    owner = new Client({ connectionString: database.url, options: '-c search_path=access,register' });
    await owner.connect();
    callers = callersOver(absentSubgraph('tariffs'));
  });
  beforeEach(async () => {
    await owner.query('truncate rate_limit');
    mpid = `T${String((suppliers += 1)).padStart(3, '0')}`;
    const { account } = await access.accounts.onboard('test', { role: 'supplier', displayName: 'Tidewater', mpid });
    accountId = account.accountId;
    key = (await access.accounts.issueSupplierApiKey('test', accountId)).secretKey;
  });
  afterAll(async () => {
    await access?.close();
    await owner?.end();
    await database?.drop();
  });

  const keys = { hashKey: randomBytes(32), encryptionKey: randomBytes(32) };

  const started = (rateLimitsOff: boolean) =>
    startAccess({
      databaseUrl: database.url,
      logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
      production: false,
      clockOffsetSeconds: 0,
      rateLimitsOff,
      limits: { ...readSettings({}).limits, requests: MOST_REQUESTS, failedSignIns: MOST_FAILURES },
      keys,
      signing,
      identity: absentSubgraph('identity'),
      mail: { smtpUrl: undefined, mailFrom: urls.mailFrom },
      webhookAllowLoopback: true,
      discoveredMaxAgeDays: undefined,
    });

  function callersOver(tariffs: SubgraphLink | undefined, { link } = access): Authentication {
    const verifier = localVerifier(signing);
    return authentication({
      service: 'gateway',
      verifier,
      access: link,
      identity: absentSubgraph('identity'),
      tariffs,
    });
  }

  interface Credentials {
    readonly supplierKey?: string;
    readonly authorization?: string;
    readonly clientAddress?: string;
    readonly isCounted?: boolean;
  }

  async function identified(credentials: Credentials, by = callers): Promise<Identification> {
    return by.identify({ ...ORIGIN, ...credentials });
  }

  /** Returns the code with which credentials are rejected; undefined if they are valid. */
  async function rejection(credentials: Credentials, by = callers): Promise<string | undefined> {
    return (await identified(credentials, by)).error?.code;
  }

  const supplierBearer = async () =>
    `Bearer ${await issueBearerToken(signing, { accountId, role: 'supplier', duid: null, mpid }, new Date())}`;

  describe('The API key of a supplier', () => {
    it('authenticates its account, as its bearer token does', async () => {
      const caller = { accountId, role: 'supplier', duid: null, mpid };
      const { context, error, token, supplierKeyId } = await identified({ supplierKey: key });
      expect(error).toBeUndefined();
      expect(context).toEqual({ ...ORIGIN, service: null, caller, vouched: true });
      expect(token).toBeUndefined();
      expect(supplierKeyId).toMatch(/^[0-9a-f-]{36}$/);
      expect((await identified({ authorization: await supplierBearer() })).context.caller).toEqual(caller);
    });

    it.each<[string, () => string]>([
      ['is empty', () => ''],
      ['is not a key', () => 'key'],
      ['is unknown', () => `sk_${'A'.repeat(43)}`],
      ['has lost a character', () => key.slice(0, -1)],
      ['has gained a character', () => `${key}A`],
      ['is sent twice', () => `${key}, ${key}`],
      ['is in capitals', () => key.toUpperCase()],
      ['is sent like a bearer token', () => `Bearer ${key}`],
      ['is followed by other text', () => `${key}' or true --`],
    ])('that %s is rejected: AUT003', async (_, sent) => {
      expect(await rejection({ supplierKey: sent() })).toBe('AUT003');
    });

    it('is not the secret of the account', async () => {
      const { secretKey } = await access.accounts.rotateSecret('test', accountId);
      expect(await rejection({ supplierKey: secretKey })).toBe('AUT003');
    });

    it('becomes invalid at once when another is issued', async () => {
      expect(await rejection({ supplierKey: key })).toBeUndefined();
      const { secretKey } = await access.accounts.issueSupplierApiKey('test', accountId);
      expect(await rejection({ supplierKey: key })).toBe('AUT003');
      expect(await rejection({ supplierKey: secretKey })).toBeUndefined();
    });

    it('is rejected while its account is suspended, and for good once it is terminated', async () => {
      await access.accounts.changeStatus('test', accountId, 'suspend');
      expect(await rejection({ supplierKey: key })).toBe('AUT003');
      await access.accounts.changeStatus('test', accountId, 'reactivate');
      expect(await rejection({ supplierKey: key })).toBeUndefined();
      await access.accounts.changeStatus('test', accountId, 'terminate');
      expect(await rejection({ supplierKey: key })).toBe('AUT003');
    });

    it('excludes a bearer token: a request with both is unauthenticated', async () => {
      for (const authorization of [await supplierBearer(), 'Bearer x', 'Basic x', '']) {
        const { error, context } = await identified({ supplierKey: key, authorization });
        expect(error).toMatchObject({ code: 'AUT001', message: expect.stringContaining('Send one credential') });
        expect(context.caller).toBeNull();
      }
    });

    it('counts towards the limit of its account: LIM002', async () => {
      const authorization = await supplierBearer();
      for (let count = 0; count < MOST_REQUESTS / 2; count++) {
        expect(await rejection({ supplierKey: key })).toBeUndefined();
        expect(await rejection({ authorization })).toBeUndefined();
      }
      expect((await identified({ supplierKey: key })).error).toMatchObject({
        code: 'LIM002',
        extensions: { retryAfter: expect.any(Number) },
      });
    });

    it('and its bearer token do not count a second time for a request that was admitted before its body', async () => {
      const authorization = await supplierBearer();
      for (let count = 0; count < MOST_REQUESTS; count++) {
        expect(await rejection({ supplierKey: key, isCounted: true })).toBeUndefined();
        expect(await rejection({ authorization, isCounted: true })).toBeUndefined();
      }
      expect(await rejection({ supplierKey: key })).toBeUndefined();
    });

    it('is not logged, even if the register fails while it is read', async () => {
      await owner.query('alter table account rename to account_away');
      const code = await rejection({ supplierKey: key });
      await owner.query('alter table account_away rename to account');
      expect(code).toBe('SYS001');
      expect(lines.join('')).toContain('supplierAdmission');
      expect(lines.join('')).not.toMatch(/sk_[\w-]{43}/);
    });

    it('can be checked by its id for a replacement', async () => {
      const { supplierKeyId } = await identified({ supplierKey: key });
      const accounts = openDatabase(databaseAddress(database.url, 'access', keys.hashKey));
      const admission = new AccountAdmission(accounts, keyedHash(keys.hashKey, 'account-secret'));
      const live = async () => admission.liveSupplierKeys([String(supplierKeyId)]);
      expect(await live()).toEqual([supplierKeyId]);
      await access.accounts.issueSupplierApiKey('test', accountId);
      expect(await live()).toEqual([]);
      await accounts.close();
    });
  });

  describe('Unknown keys', () => {
    it('are limited by network, whatever their form: LIM002 with the rest of a minute to wait; a valid key is admitted', async () => {
      const startedAt = performance.now();
      for (const supplierKey of ['', 'key', `sk_${'A'.repeat(43)}`])
        expect(await rejection({ supplierKey, clientAddress: '2001:db8::1' })).toBe('AUT003');
      for (const supplierKey of ['key', `sk_${'B'.repeat(43)}`]) {
        const { error } = await identified({ supplierKey, clientAddress: '2001:db8::2' });
        expect(error?.code).toBe('LIM002');
        expectWait(error?.extensions.retryAfter as number, 60, startedAt);
      }
      expect(await rejection({ supplierKey: key, clientAddress: '2001:db8::2' })).toBeUndefined();
      expect(await rejection({ supplierKey: 'key', clientAddress: '2001:db8:0:1::1' })).toBe('AUT003');
    });

    it('count towards the limit, valid ones do not', async () => {
      for (let count = 0; count < 2 * MOST_FAILURES; count++)
        expect(await rejection({ supplierKey: key })).toBeUndefined();
      for (let count = 0; count < MOST_FAILURES; count++)
        expect(await rejection({ supplierKey: 'key' })).toBe('AUT003');
      expect(await rejection({ supplierKey: 'key' })).toBe('LIM002');
    });

    it('are not limited with RATE_LIMITS=off', async () => {
      const unlimited = await started(true);
      try {
        const by = callersOver(undefined, unlimited);
        for (let count = 0; count < 2 * MOST_FAILURES; count++)
          expect(await rejection({ supplierKey: 'key' }, by)).toBe('AUT003');
      } finally {
        await unlimited.close();
      }
    });
  });

  describe('A public operation', () => {
    const tolerant = {
      open: true,
      lenient: true,
      verifies: false,
      endsSession: false,
      admitsInactive: false,
      fields: [['anyone']],
      introspection: undefined,
    };
    const exact = { ...tolerant, lenient: false, fields: [['public']] };
    const outcome = (
      audience: typeof tolerant,
      code?: 'AUT001' | 'AUT002' | 'AUT003' | 'RTI001' | 'LIM002' | 'SYS002',
    ) => {
      const context: CallContext = { caller: null, service: null, ...ORIGIN };
      try {
        return admit(audience, code ? { context, error: new RegisterError(code) } : { context }).caller;
      } catch (error) {
        return (error as RegisterError).code;
      }
    };

    it.each([
      ['AUT001', null, 'AUT001'],
      ['AUT002', null, 'AUT002'],
      ['AUT003', 'AUT003', 'AUT003'],
      ['LIM002', null, 'LIM002'],
      ['RTI001', null, null],
      ['SYS002', null, 'SYS002'],
      [undefined, null, null],
    ] as const)(
      'treats the credential error %s leniently as %s, and in Interface D as %s',
      (code, tolerated, exactly) => {
        expect([outcome(tolerant, code), outcome(exact, code)]).toEqual([tolerated, exactly]);
      },
    );
  });

  describe('A bearer token of another issuer', () => {
    const foreign = new UnsecuredJWT({ iss: 'https://supplier.example' }).encode();

    it('is verified by tariffs, which never receives a token of the register', async () => {
      const shown: unknown[] = [];
      const tariffs: SubgraphLink = {
        name: 'tariffs',
        execute: async ({ variables }) => {
          shown.push(variables?.['token']);
          return { errors: [new RegisterError('RTI001')] };
        },
      };
      const by = callersOver(tariffs);
      expect((await identified({ authorization: `Bearer ${foreign}` }, by)).error?.code).toBe('RTI001');
      expect((await identified({ authorization: await supplierBearer() }, by)).error).toBeUndefined();
      for (const authorization of [
        'Bearer x',
        `Bearer ${new UnsecuredJWT({}).encode()}`,
        `bearer ${new UnsecuredJWT({ iss: 'http://register' }).encode()}`,
      ])
        expect((await identified({ authorization }, by)).error?.code).toBe('AUT001');
      expect(shown).toEqual([foreign]);
    });

    it('is rejected without the service tariffs, and cannot be verified while that is unavailable', async () => {
      const authorization = `Bearer ${foreign}`;
      expect((await identified({ authorization }, callersOver(undefined))).error?.code).toBe('AUT001');
      expect((await identified({ authorization })).error?.code).toBe('SYS002');
    });
  });

  describe('A subgraph in a separate process', () => {
    const USER = `usr_${'a'.repeat(32)}`;
    const claimed = { mpxns: ['1012345678'], scopes: ['tariff:read'] };
    const consumer = {
      issuer: 'https://supplier.example',
      subject: 'rowan',
      userId: USER,
      issuedAt: new Date(),
      ...claimed,
    };
    const caller = { accountId: USER, role: 'consumer', duid: null, mpid: 'TIDE' } as const;
    let services: LinkedServices;
    let seen: CallContext[];
    beforeEach(() => {
      services = new LinkedServices();
      seen = [];
    });
    afterEach(() => services.close());

    async function linkTo(name: 'access' | 'tariffs'): Promise<SubgraphLink> {
      const link: SubgraphLink = {
        name,
        execute: async (_, context) => {
          seen.push(context);
          return { data: {} };
        },
      };
      const foreignCaller = async (token: string) => {
        if (token !== 'the token of a supplier') throw new RegisterError('AUT001');
        return { ...caller, consumer };
      };
      const verifier = localVerifier(signing);
      const calls = subgraphCalls({ name, link, verifier, ...(name === 'tariffs' ? { foreignCaller } : {}) });
      const { url } = await services.serve(name, calls);
      return remoteLink(name, services.link('gateway', name, url));
    }

    const execute = async (link: SubgraphLink, context: Partial<CallContext>) => {
      const whole: CallContext = { caller: null, service: null, ...ORIGIN, ...context };
      const rejected = (error: RegisterError) => ({ errors: [error] });
      const { errors } = await link.execute({ query: '{ x }' }, whole).catch(rejected);
      return errors?.[0]?.extensions?.['code'] ?? seen.at(-1);
    };

    it('trusts the gateway that a supplier sent its key, and never receives the key', async () => {
      const { context } = await identified({ supplierKey: key });
      expect(await execute(await linkTo('tariffs'), context)).toMatchObject({ caller: context.caller, service: null });
      expect(JSON.stringify(seen)).not.toContain(key);
    });

    it('rejects callers that the gateway does not attest', async () => {
      const { context } = await identified({ supplierKey: key });
      const { vouched: _, ...unvouched } = context;
      expect(await execute(await linkTo('tariffs'), unvouched)).toBe('SYS002');
    });

    it('verifies the token of a consumer again, and reads its claims', async () => {
      const link = await linkTo('tariffs');
      const bearer = 'the token of a supplier';
      const changed = { ...caller, consumer: { ...consumer, scopes: ['consent:write'] } };
      expect(await execute(link, { caller: changed, bearer })).toMatchObject({
        caller: { ...caller, consumer },
        bearer,
      });
      expect(await execute(link, { caller: changed, bearer: 'another' })).toBe('SYS002');
      expect(await execute(link, { caller: { ...changed, mpid: 'FELL' }, bearer })).toBe('SYS002');
      expect(await execute(link, { caller: { ...changed, accountId: `usr_${'b'.repeat(32)}` }, bearer })).toBe(
        'SYS002',
      );
      expect(await execute(link, { caller: { ...changed, role: 'admin' }, bearer })).toBe('SYS002');
    });

    it('without consumers receives only the information that a consumer calls', async () => {
      const bearer = 'the token of a supplier';
      expect(await execute(await linkTo('access'), { caller: { ...caller, consumer }, bearer })).toMatchObject({
        caller,
      });
      expect(JSON.stringify(seen)).not.toMatch(/1012345678|rowan|the token/);
    });
  });
}
