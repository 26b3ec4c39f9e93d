import { randomBytes } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { Client } from 'pg';
import pino from 'pino';
import { startIdentity } from '../../../../subgraphs/identity/identity.module';
import { accessOfOrganisations, urls } from '../../../support/identity-surroundings';
import type { CallContext, Caller } from '../../../../subgraphs/server/callers/caller';
import { type FreshDatabase, migratedDatabase } from '../../../support/postgres';
import { readSettings } from '../../../../process/settings/read-settings';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import type { IdentityKeys } from '../../../../subgraphs/identity/keys';

export function identityRecords(): void {
  const MPXN = 'AB12345678';
  const EMAIL = 'ada.lovegood@example.org';
  const address = {
    addressLine1: '7 Quillfeather Row',
    addressLine2: 'Flat 2',
    townCity: 'Otterby',
    county: 'Kesteven',
    postcode: 'OX1 2JD',
  };
  const principalVerification = {
    method: 'passport reading',
    verifiedAt: '2026-01-02T03:04:05+01:00',
    outcome: 'VERIFIED',
    reference: 'case-4711-reference',
    submitted: 'passport-scan',
    verifiedAgainst: 'electoral-roll-of-otterby',
    detail: { checker: 'Bartholomew', scores: [1, 2.5, null], nested: { kept: true } },
  };
  const piiPrincipal = { mpxn: MPXN, moveInDate: '2019-08-17', address };
  const input = { piiPrincipal, expressedBy: 'DATA_SUBJECT', principalVerification, email: ` ${EMAIL.toUpperCase()} ` };

  const dataUser = (letter: string): Caller => ({
    accountId: `acc_${letter.repeat(24)}`,
    role: 'data_user',
    duid: `duid_${letter.repeat(24)}`,
    mpid: null,
  });
  const owner = dataUser('a');
  const stranger = dataUser('b');
  const withRole = (role: Caller['role'], duid: string | null = null): Caller => ({
    accountId: `acc_${'c'.repeat(24)}`,
    role,
    duid,
    mpid: null,
  });

  const REGISTER = `mutation Register($input: IdentityRecordInput!, $key: String) {
  registerIdentityRecord(input: $input, idempotencyKey: $key) { ir passkeyRegistrationRedirect replayed } }`;
  const FIELDS = `ir createdAt expressedBy hasEmail anonymisedAt credentials { credentialId registeredAt transports }
  piiPrincipal { mpxn moveInDate address { ...lines } } address { ...lines }
  principalVerification { method verifiedAt outcome reference submitted verifiedAgainst detail }`;
  const LINES = 'fragment lines on UKAddress { addressLine1 addressLine2 townCity county postcode }';
  const READ = `query Read($ref: IdentityRecordKey!) { identityRecord(ref: $ref) { ${FIELDS} } } ${LINES}`;
  const FIND = `query Find($mpxn: MPxN, $email: String) { identityRecords(mpxn: $mpxn, email: $email) { ir piiPrincipal { mpxn } } }`;
  const EXISTS = `query Exists($mpxn: MPxN!) { identityRecordExistence(mpxn: $mpxn) { mpxn exists availableMethods } }`;

  const keys: IdentityKeys = { indexKey: randomBytes(32), encryptionKey: randomBytes(32), hashKey: randomBytes(32) };
  let database: FreshDatabase;
  let admin: Client;
  let identity: Awaited<ReturnType<typeof startIdentity>>;

  beforeAll(async () => {
    database = await migratedDatabase();
    identity = await startIdentity({
      urls,
      access: accessOfOrganisations,
      databaseUrl: database.url,
      logger: pino({ level: 'silent' }),
      production: true,
      rateLimitsOff: true,
      limits: readSettings({}).limits,
      keys,
    });
    admin = new Client({ connectionString: database.url });
    await admin.connect();
  });
  afterAll(async () => {
    await identity?.close();
    await admin?.end();
    await database?.drop();
  });

  async function execute(
    caller: Caller | null,
    query: string,
    variables: object,
    more: Partial<CallContext> = {},
    fixed = true,
  ): Promise<ExecutionResult> {
    const context: CallContext = {
      caller,
      service: null,
      transactionId: 'tid_test',
      clientAddress: '127.0.0.1',
      ...more,
    };
    const result = await identity.link.execute(
      { query, variables: variables as Record<string, unknown>, fixed },
      context,
    );
    return JSON.parse(JSON.stringify(result)) as ExecutionResult;
  }

  const codes = ({ errors }: ExecutionResult): unknown[] =>
    (errors ?? []).map(({ extensions }) => extensions?.['code']);
  const field = <Value>({ data, errors }: ExecutionResult, name: string): Value => {
    if (errors) throw new Error(JSON.stringify(errors));
    return data?.[name] as Value;
  };
  const register = async (caller: Caller, change: object = {}, key: string | null = null) =>
    field<{ ir: string; replayed: boolean }>(
      await execute(caller, REGISTER, { input: { ...input, ...change }, key }),
      'registerIdentityRecord',
    );
  const at = (mpxn: string) => ({ piiPrincipal: { ...piiPrincipal, mpxn } });
  const anonymise = (ref: string) =>
    admin.query(
      `with record as (update identity.identity_record set closing_at = now(), anonymised_at = now(), mpxn_index = null, email_index = null, meter_point_id = null
      where ref = $1 returning id) delete from identity_keys.data_key where record_id in (select id from record)`,
      [ref],
    );
  const stored = async (mpxn: string) =>
    field<unknown[]>(await execute(owner, FIND, { mpxn }), 'identityRecords').length;

  describe('An Identity Record', () => {
    it.each([true, false])('is returned as it was registered (document compiled: %s)', async (fixed) => {
      const { ir, replayed } = await register(owner);
      expect(ir).toMatch(/^ir_[0-9a-f]{24}$/);
      expect(replayed).toBe(false);
      const record = field<Record<string, unknown>>(
        await execute(owner, READ, { ref: ir }, {}, fixed),
        'identityRecord',
      );
      expect(record).toEqual({
        ir,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        expressedBy: 'DATA_SUBJECT',
        hasEmail: true,
        anonymisedAt: null,
        credentials: [],
        piiPrincipal,
        address,
        principalVerification: { ...principalVerification, verifiedAt: '2026-01-02T02:04:05.000Z' },
      });
    });

    it('needs neither address nor evidence nor e-mail', async () => {
      const least = {
        piiPrincipal: { mpxn: MPXN, moveInDate: '2019-08-17' },
        expressedBy: 'AUTHORISED_REPRESENTATIVE',
      };
      const made = await execute(owner, REGISTER, { input: least });
      const { ir } = field<{ ir: string }>(made, 'registerIdentityRecord');
      const record = field<Record<string, unknown>>(await execute(owner, READ, { ref: ir }), 'identityRecord');
      expect(record).toMatchObject({
        hasEmail: false,
        address: null,
        principalVerification: null,
        expressedBy: 'AUTHORISED_REPRESENTATIVE',
      });
      expect(record['piiPrincipal']).toEqual({ ...least.piiPrincipal, address: null });
    });

    it('is readable only by the Data User that created it', async () => {
      const { ir } = await register(owner);
      const reader = async (caller: Caller | null, more = {}) => codes(await execute(caller, READ, { ref: ir }, more));
      expect(await reader(owner)).toEqual([]);
      expect(await reader(stranger)).toEqual(['PRM002']);
      expect(await reader(null)).toEqual(['AUT001']);
      expect(await reader(null, { service: 'access' })).toEqual(['SYS001']); // a fault of the register, which is logged
      for (const role of [
        'data_provider',
        'communications_operator',
        'portal',
        'supplier',
        'admin',
        'analyst',
      ] as const) {
        expect(await reader(withRole(role, owner.duid))).toEqual(['PRM001']);
      }
      expect(field(await execute(owner, READ, { ref: `ir_${'0'.repeat(24)}` }), 'identityRecord')).toBeNull();
    });

    it('contains no personal data once its data key is destroyed', async () => {
      const { ir } = await register(owner);
      await anonymise(ir);
      const record = field<Record<string, unknown>>(await execute(owner, READ, { ref: ir }), 'identityRecord');
      expect(record).toMatchObject({
        ir,
        hasEmail: false,
        piiPrincipal: null,
        address: null,
        principalVerification: null,
      });
      expect(record['anonymisedAt']).toEqual(expect.any(String));
    });
  });

  describe('A new Identity Record', () => {
    it('that violates rules is rejected with all violations, and nothing is stored', async () => {
      const wrong = {
        ...at('XY99999999'),
        email: 'nobody',
        passkeyReturnUrl: 'http://example.org',
        initiatePasskeyRegistration: true,
      };
      const { errors } = await execute(owner, REGISTER, { input: { ...input, ...wrong } });
      const violations = errors?.[0]?.extensions?.['violations'] as { code: string; path: string[] }[];
      expect(violations.map(({ code, path }) => [code, ...path])).toEqual([
        ['VAL001', 'email'],
        ['VAL008', 'passkeyReturnUrl'],
      ]);
      expect(field(await execute(owner, FIND, { mpxn: 'XY99999999' }), 'identityRecords')).toEqual([]);
    });

    it('is registered by Data Users only', async () => {
      expect(codes(await execute(null, REGISTER, { input }))).toEqual(['AUT001']);
      expect(codes(await execute(withRole('portal', owner.duid), REGISTER, { input }))).toEqual(['PRM001']);
    });
  });

  describe('Finding Identity Records', () => {
    it('returns own live records of a meter point or an e-mail address, newest first', async () => {
      const mpxn = 'FD11111111';
      const first = await register(owner, { ...at(mpxn), email: 'grace@example.org' });
      const second = await register(owner, { ...at(mpxn), email: 'edith@example.org' });
      await anonymise((await register(owner, at(mpxn))).ir);
      await register(stranger, { ...at(mpxn), email: 'grace@example.org' });
      const found = async (search: object) =>
        field<{ ir: string }[]>(await execute(owner, FIND, search), 'identityRecords').map(({ ir }) => ir);
      expect(await found({ mpxn })).toEqual([second.ir, first.ir]);
      expect(await found({ email: ' GRACE@example.org' })).toEqual([first.ir]);
      expect(await found({ mpxn, email: 'edith@example.org' })).toEqual([second.ir]);
      expect(await found({ mpxn: 'FD22222222', email: 'edith@example.org' })).toEqual([]);
      const opened = field<unknown[]>(await execute(owner, FIND, { email: 'grace@example.org' }), 'identityRecords');
      expect(opened).toEqual([{ ir: first.ir, piiPrincipal: { mpxn } }]);
    });

    it('requires a meter point or an e-mail address', async () => {
      const { errors } = await execute(owner, FIND, {});
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'VAL002', violations: [{ path: ['mpxn'] }] });
      expect(codes(await execute(withRole('portal', owner.duid), FIND, { mpxn: MPXN }))).toEqual(['PRM001']);
    });
  });

  describe('The existence check', () => {
    it('returns for all Data Users whether a meter point has a live record, and its methods', async () => {
      const mpxn = 'EX11111111';
      const check = async (caller: Caller) => field(await execute(caller, EXISTS, { mpxn }), 'identityRecordExistence');
      expect(await check(stranger)).toEqual({ mpxn, exists: false, availableMethods: [] });
      await register(owner, { ...at(mpxn), email: null });
      expect(await check(stranger)).toEqual({ mpxn, exists: true, availableMethods: ['PASSKEY_REGISTER'] });
      const { ir } = await register(owner, at(mpxn));
      expect(await check(withRole('portal', stranger.duid))).toEqual({
        mpxn,
        exists: true,
        availableMethods: ['MAGIC_LINK', 'PASSKEY_REGISTER'],
      });
      await anonymise(ir);
      expect(await check(owner)).toEqual({ mpxn, exists: true, availableMethods: ['PASSKEY_REGISTER'] });
      expect(codes(await execute(withRole('admin'), EXISTS, { mpxn }))).toEqual(['PRM001']);
    });
  });

  describe('An idempotency key', () => {
    it('returns one record and one response to twenty concurrent requests', async () => {
      const change = at('KD11111111');
      const results = await Promise.all(Array.from({ length: 20 }, () => register(owner, change, 'key-1')));
      expect(new Set(results.map(({ ir }) => ir)).size).toBe(1);
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await stored('KD11111111')).toBe(1);
    });

    it('belongs to its account and its body', async () => {
      const change = at('KD22222222');
      const { ir } = await register(owner, change, 'key-2');
      expect(await register(owner, change, 'key-2')).toMatchObject({ ir, replayed: true });
      expect((await register(stranger, change, 'key-2')).ir).not.toBe(ir);
      expect(
        codes(await execute(owner, REGISTER, { input: { ...input, ...change, email: null }, key: 'key-2' })),
      ).toEqual(['CNF004']);
      expect(await stored('KD22222222')).toBe(1);
    });

    it('that 0.1.0 stored returns its response after the upgrade', async () => {
      const former = { piiPrincipal: { mpxn: 'KD44444444', moveInDate: '2019-08-17' }, expressedBy: 'DATA_SUBJECT' };
      const send = (more: object = {}) => execute(owner, REGISTER, { input: { ...former, ...more }, key: 'key-4' });
      const { ir } = field<{ ir: string }>(await send(), 'registerIdentityRecord');
      const text = `{"email":null,"expressedBy":"data-subject","initiatePasskeyRegistration":false,"passkeyReturnUrl":null,"piiPrincipal":{"address":null,"moveInDate":"2019-08-17","mpxn":"KD44444444"},"principalVerification":null}`;
      const keyHash = keyedHash(keys.hashKey, 'idempotency-key')('key-4');
      const { rowCount } = await admin.query(
        'update identity.idempotency_key set body_hash = $1 where key_hash = $2 and account_id = $3',
        [keyedHash(keys.hashKey, 'idempotency-body')(text), keyHash, owner.accountId],
      );
      expect(rowCount).toBe(1);
      expect(field(await send(), 'registerIdentityRecord')).toMatchObject({ ir, replayed: true });
      expect(codes(await send({ state: 'new' }))).toEqual(['CNF004']);
      expect(await stored('KD44444444')).toBe(1);
    });

    it('expires after 24 hours', async () => {
      const change = at('KD33333333');
      await register(owner, change, 'key-3');
      const pass = (time: string) =>
        admin.query(`update identity.idempotency_key set expires_at = expires_at - interval '${time}'`);
      await pass('23 hours 55 minutes');
      expect(await register(owner, change, 'key-3')).toMatchObject({ replayed: true });
      await pass('5 minutes');
      expect(await register(owner, change, 'key-3')).toMatchObject({ replayed: false });
      expect(await stored('KD33333333')).toBe(2);
    });

    it.each(['', 'k'.repeat(256), 'two words', 'ключ', '\0'])(
      'must be visible ASCII of 1 to 255 characters: %j',
      async (key) => {
        expect(codes(await execute(owner, REGISTER, { input, key }))).toEqual(['VAL001']);
      },
    );
  });
}
