import { randomBytes } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { Client } from 'pg';
import pino from 'pino';
import { startIdentity } from '../../../../subgraphs/identity/identity.module';
import { accessOfOrganisations, urls } from '../../../support/identity-surroundings';
import type { CallContext, Caller } from '../../../../subgraphs/server/callers/caller';
import { sessionOptions } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { type FreshDatabase, migratedDatabase } from '../../../support/postgres';
import { readSettings } from '../../../../process/settings/read-settings';
import type { IdentityKeys } from '../../../../subgraphs/identity/keys';

export function guards(): void {
  const MPXN = 'AB12345678';
  const EMAIL = 'ada.lovegood@example.org';
  const address = {
    addressLine1: '7 Quillfeather Row',
    addressLine2: '',
    townCity: 'Otterby',
    county: '',
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
  const personalValues = [
    MPXN,
    EMAIL,
    'Quillfeather',
    'Otterby',
    'OX1 2JD',
    '2019-08-17',
    'case-4711',
    'electoral-roll',
  ];

  const dataUser = (letter: string): Caller => ({
    accountId: `acc_${letter.repeat(24)}`,
    role: 'data_user',
    duid: `duid_${letter.repeat(24)}`,
    mpid: null,
  });
  const owner = dataUser('a');
  const stranger = dataUser('b');
  const withRole = (role: Caller['role'], duid: string | null = null): Caller => ({ ...owner, role, duid });

  const REGISTER = `mutation Register($input: IdentityRecordInput!, $key: String) {
  registerIdentityRecord(input: $input, idempotencyKey: $key) { ir } }`;
  const READ = `query Read($ref: IdentityRecordKey!) { identityRecord(ref: $ref) { ir piiPrincipal { mpxn } } }`;
  const FIND = `query Find($mpxn: MPxN, $email: String) { identityRecords(mpxn: $mpxn, email: $email) { ir piiPrincipal { mpxn } } }`;
  const EXISTS = `query Exists($mpxn: MPxN!) { identityRecordExistence(mpxn: $mpxn) { exists } }`;
  const METER_POINT = 'query MeterPoint($mpxn: MPxN!) { meterPoint(mpxn: $mpxn) { id } }';
  const LINKS = `query Links($refs: [IdentityRecordKey!]!) { identityRecordLinks(refs: $refs) { ref id duid meterPointId anonymised closing } }`;
  const REFERENCES = `query References($of: [_Any!]!) {
  _entities(representations: $of) { ... on IdentityRecord { ir address { postcode } } ... on MeterPoint { id } } }`;

  const keys: IdentityKeys = { indexKey: randomBytes(32), encryptionKey: randomBytes(32), hashKey: randomBytes(32) };
  const logged: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const responded: string[] = [];
  let database: FreshDatabase;
  let admin: Client;
  let identity: Awaited<ReturnType<typeof startIdentity>>;

  beforeAll(async () => {
    database = await migratedDatabase();
    identity = await startIdentity({
      urls,
      access: accessOfOrganisations,
      databaseUrl: database.url,
      logger,
      production: true,
      rateLimitsOff: true,
      limits: readSettings({}).limits,
      keys,
    });
    admin = new Client({ connectionString: database.url });
    await admin.connect();
  });
  /** Frees the limit of records per meter point: all tests register at the same one. */
  afterEach(() =>
    admin.query(
      `set session_replication_role = 'replica'; update identity.identity_record set is_legacy = true; reset session_replication_role`,
    ),
  );
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
    const context: CallContext = { caller, service: null, transactionId: 'tid_test', clientAddress: '::1', ...more };
    const request = { query, variables: variables as Record<string, unknown>, fixed };
    const result = await identity.link.execute(request, context);
    responded.push(JSON.stringify(result.errors ?? []));
    return JSON.parse(JSON.stringify(result)) as ExecutionResult;
  }

  const codes = ({ errors }: ExecutionResult): unknown[] =>
    (errors ?? []).map(({ extensions }) => extensions?.['code']);
  const field = <Value>({ data, errors }: ExecutionResult, name: string): Value => {
    if (errors) throw new Error(JSON.stringify(errors));
    return data?.[name] as Value;
  };
  const register = async (caller: Caller, change: object = {}, key: string | null = null) => {
    const variables = { input: { ...input, ...change }, key };
    return field<{ ir: string }>(await execute(caller, REGISTER, variables), 'registerIdentityRecord');
  };
  const at = (mpxn: string) => ({ piiPrincipal: { ...piiPrincipal, mpxn } });
  const anonymise = (ref: string) =>
    admin.query(
      `with record as (update identity.identity_record set closing_at = now(), anonymised_at = now(), mpxn_index = null, email_index = null, meter_point_id = null
      where ref = $1 returning id) delete from identity_keys.data_key where record_id in (select id from record)`,
      [ref],
    );
  const refer = (caller: Caller | null, ...ids: string[]) =>
    execute(caller, REFERENCES, { of: ids.map((id) => ({ __typename: 'IdentityRecord', id })) });
  const asIdentity = async (statement: string): Promise<string | undefined> => {
    const client = new Client(sessionOptions(databaseAddress(database.url, 'identity', keys.hashKey)));
    await client.connect();
    try {
      await client.query(statement);
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await client.end();
    }
  };
  const DENIED = '42501';
  const REWRITTEN = '23001';
  const texts = ['\0', '\ud800', 'x\udfffx'];
  const coded400 = /^VAL00[138]$/;

  describe('Data for other subgraphs', () => {
    it('consists of the owner and the opaque meter point of a record, readable by services only', async () => {
      const { ir } = await register(owner);
      const anonymous = (await register(stranger)).ir;
      await anonymise(anonymous);
      const refs = [`ir_${'0'.repeat(24)}`, anonymous, ir, ir];
      const links = field<unknown[]>(
        await execute(null, LINKS, { refs }, { service: 'access' }),
        'identityRecordLinks',
      );
      const { id: meterPointId } = field<{ id: string }>(
        await execute(owner, METER_POINT, { mpxn: MPXN }),
        'meterPoint',
      );
      const link = {
        ref: ir,
        id: expect.any(String),
        duid: owner.duid,
        meterPointId,
        anonymised: false,
        closing: false,
      };
      const anonymised = {
        ref: anonymous,
        id: expect.any(String),
        duid: stranger.duid,
        meterPointId: null,
        anonymised: true,
        closing: true,
      };
      expect(links).toEqual([null, anonymised, link, link]);
      expect(meterPointId).toMatch(/^[\w-]{43}$/);
      expect(codes(await execute(owner, LINKS, { refs: [ir] }))).toEqual(['PRM001']);
      expect(codes(await execute(null, LINKS, { refs: [ir] }))).toEqual(['AUT001']);
      expect(codes(await execute(null, LINKS, { refs: Array(501).fill(ir) }, { service: 'access' }))).toEqual([
        'VAL003',
      ]);
    });

    it('resolves references to records for their own Data User only', async () => {
      const { ir } = await register(owner);
      const { rows } = await admin.query<{ id: string }>('select id from identity.identity_record where ref = $1', [
        ir,
      ]);
      const id = rows[0]?.id ?? '';
      expect(field(await refer(owner, id), '_entities')).toEqual([{ ir, address: { postcode: 'OX1 2JD' } }]);
      const unknown = ['00000000-0000-4000-8000-000000000000', 'no uuid'];
      expect(field(await refer(owner, ...unknown), '_entities')).toEqual([null, null]);
      for (const other of [stranger, withRole('portal', owner.duid), withRole('admin'), withRole('analyst')]) {
        const rejected = await refer(other, id);
        expect(codes(rejected)).toEqual(['PRM002']);
        expect(rejected.data?.['_entities']).toEqual([null]);
      }
      expect(codes(await refer(null, id))).toEqual(['AUT001']);
    });

    it('resolves references to meter points by the id stored in their records', async () => {
      const of = [{ __typename: 'MeterPoint', id: 'opaque' }];
      expect(field(await execute(owner, REFERENCES, { of }), '_entities')).toEqual([{ id: 'opaque' }]);
      expect(codes(await execute(withRole('analyst'), METER_POINT, { mpxn: MPXN }))).toEqual(['PRM001']);
    });
  });

  describe('The database', () => {
    it.each([
      ['delete from identity_record', DENIED],
      ['truncate identity_record', DENIED],
      ['truncate identity_keys.data_key', DENIED],
      ['delete from identity_keys.data_key', REWRITTEN],
      [`update identity_keys.data_key set wrapped = ''`, DENIED],
      [`update identity_record set sealed = ''`, DENIED],
      [`update identity_record set duid = 'duid_${'f'.repeat(24)}'`, DENIED],
      [`update identity_record set created_at = now()`, DENIED],
      ['alter table identity_record disable trigger all', DENIED],
      [
        `insert into audit_entry (at, actor, action, subject, detail) values ('2020-01-01', 'a', 'b', 'c', '{}')`,
        DENIED,
      ],
      [
        `insert into audit_entry (id, actor, action, subject, detail) overriding system value values (9, 'a', 'b', 'c', '{}')`,
        DENIED,
      ],
      ['create table identity.other ()', DENIED],
      [`update passkey set record_id = id::uuid`, DENIED],
      [`update passkey set registered_at = now()`, DENIED],
      [`update passkey_regression set presented = 1`, DENIED],
      [`update reidentification set duid = 'duid_${'f'.repeat(24)}'`, DENIED],
      [`update reidentification set expires_at = now()`, DENIED],
      [`update ceremony set proofs = '{}'`, DENIED],
      [`update ceremony set expires_at = now()`, DENIED],
      [`update identity_look set duid = 'duid_${'f'.repeat(24)}'`, DENIED],
      [
        `insert into change_of_tenancy (mpxn_index, effective_date, recorded_at) values (sha256(''), now(), now())`,
        DENIED,
      ],
      [`update change_of_tenancy set effective_date = now()`, DENIED],
      ['delete from change_of_tenancy', DENIED],
      [`update discovered_meter_point set sealed = ''`, DENIED],
      ['truncate discovered_meter_point', DENIED],
      [`update identity_keys.occupancy_key set wrapped = ''`, DENIED],
      ['delete from occupancy_erasure', DENIED],
      [`update identity_record set mpxn_index = sha256('') where mpxn_index is not null`, REWRITTEN],
      [`update identity_record set email_index = sha256('')`, REWRITTEN],
      [`update identity_record set meter_point_id = 'other' where meter_point_id is not null`, REWRITTEN],
      [
        `update identity_record set anonymised_at = null, mpxn_index = sha256(''), meter_point_id = '' where anonymised_at is not null`,
        REWRITTEN,
      ],
      [`update identity_record set anonymised_at = now() where anonymised_at is not null`, REWRITTEN],
      [`update identity_record set closing_at = null where anonymised_at is not null`, REWRITTEN],
      [`update identity_record set closing_at = now() + interval '1 s' where anonymised_at is not null`, REWRITTEN],
    ])('denies the subgraph the statement: %s', async (statement, code) => {
      await register(owner);
      await anonymise((await register(owner)).ir);
      expect(await asIdentity(statement)).toBe(code);
    });
  });

  describe('The stored record', () => {
    it('cannot be changed by the owner of the tables either', async () => {
      await register(owner);
      await expect(
        admin.query(`update identity.identity_record set duid = 'duid_${'f'.repeat(24)}'`),
      ).rejects.toMatchObject({ code: REWRITTEN });
    });

    it('can be decrypted only with its own data key', async () => {
      const { ir } = await register(owner, at('SW11111111'));
      const other = await register(owner, at('SW22222222'));
      await admin.query(
        `update identity_keys.data_key set wrapped = (select wrapped from identity_keys.data_key k
         join identity.identity_record r on r.id = k.record_id where r.ref = $1)
       where record_id = (select id from identity.identity_record where ref = $2)`,
        [ir, other.ir],
      );
      for (const fixed of [true, false]) {
        const read = await execute(owner, READ, { ref: other.ir }, {}, fixed);
        expect(new Set(codes(read))).toEqual(new Set(['SYS001']));
        expect(read.data?.['identityRecord']).toMatchObject({ ir: other.ir, piiPrincipal: null });
      }
    });

    it('is readable after a restart', async () => {
      const { ir } = await register(owner, at('RS11111111'));
      await identity.close();
      identity = await startIdentity({
        urls,
        access: accessOfOrganisations,
        databaseUrl: database.url,
        logger,
        production: true,
        rateLimitsOff: true,
        limits: readSettings({}).limits,
        keys,
      });
      expect(field(await execute(owner, FIND, { mpxn: 'RS11111111' }), 'identityRecords')).toEqual([
        { ir, piiPrincipal: { mpxn: 'RS11111111' } },
      ]);
    });
  });

  describe('Malformed requests', () => {
    it.each([true, false])(
      'are rejected with a code of the error catalogue, never as an internal error (document compiled: %s)',
      async (fixed) => {
        const before = logged.length;
        for (const text of texts) {
          const requests: [string, object][] = [
            [READ, { ref: text }],
            [FIND, { mpxn: text }],
            [FIND, { email: text }],
            [EXISTS, { mpxn: text }],
            [METER_POINT, { mpxn: text }],
            [REGISTER, { input, key: text }],
            [REGISTER, { input: { ...input, email: text } }],
            [REGISTER, { input: { ...input, expressedBy: text } }],
            [REGISTER, { input: { ...input, passkeyReturnUrl: text } }],
            [REGISTER, { input: { ...input, ...at(text) } }],
            [REGISTER, { input: { ...input, piiPrincipal: { ...piiPrincipal, moveInDate: text } } }],
            ...Object.keys(address).map((name): [string, object] => [
              REGISTER,
              { input: { ...input, piiPrincipal: { ...piiPrincipal, address: { ...address, [name]: text } } } },
            ]),
            ...Object.keys(principalVerification).map((name): [string, object] => [
              REGISTER,
              {
                input: {
                  ...input,
                  principalVerification: { ...principalVerification, [name]: name === 'detail' ? { text } : text },
                },
              },
            ]),
          ];
          for (const [query, variables] of requests) {
            const found = codes(await execute(owner, query, variables, {}, fixed));
            expect(found).not.toEqual([]);
            expect({ variables, wrong: found.filter((code) => !coded400.test(String(code))) }).toEqual({
              variables,
              wrong: [],
            });
          }
        }
        expect(logged).toHaveLength(before);
      },
    );

    it.each([true, false])(
      'are rejected without an echo of the correct values (document compiled: %s)',
      async (fixed) => {
        const { expressedBy: _, ...incomplete } = input;
        for (const wrong of [
          incomplete,
          { ...input, unknown: 1 },
          { ...input, email: 5 },
          { ...input, piiPrincipal: { ...piiPrincipal, moveInDate: '2019-02-30' } },
        ]) {
          const { errors } = await execute(owner, REGISTER, { input: wrong }, {}, fixed);
          expect(errors?.length).toBeGreaterThan(0);
          expect(codes({ errors: errors ?? [] }).every((code) => coded400.test(String(code)))).toBe(true);
          for (const value of personalValues)
            expect(JSON.stringify(errors).toUpperCase()).not.toContain(value.toUpperCase());
        }
      },
    );

    it('with wrong values in the document itself are rejected with a code too', async () => {
      expect(codes(await execute(owner, '{ meterPoint(mpxn: "1") { id } }', {}))).toEqual(['VAL001']);
      expect(codes(await execute(owner, '{ meterPoint(mpxn: 1234567890) { id } }', {}))).toEqual(['VAL003']);
    });
  });

  describe('Everything that the tests wrote', () => {
    it('contains no personal value in tables, errors or logs', async () => {
      await register(owner, {}, 'secret-idempotency-key');
      const { rows: tables } = await admin.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('identity', 'identity_keys', 'register')`,
      );
      expect(tables.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['identity.identity_record', 'identity_keys.data_key']),
      );
      let written = [...logged, ...responded].join('\n');
      for (const { name } of tables) {
        const { rows } = await admin.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
        written += rows.map(({ row }) => row).join('\n');
      }
      const haystack = written.toLowerCase();
      for (const value of [...personalValues, 'secret-idempotency-key']) {
        const bytes = Buffer.from(value);
        for (const form of [value, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')]) {
          expect({ form, found: haystack.includes(form.toLowerCase()) }).toEqual({ form, found: false });
        }
      }
    });
  });
}
