import { Client } from 'pg';
import { databaseIn, runIn, testPostgres } from '../../support/postgres';
import { newServiceLogins, runMigrationJob } from '../../support/service-logins';
import {
  type Place,
  type RegisterProcess,
  placeOf,
  sandboxOf,
  spawnRegisterProcess,
  startRegisterProcess,
  startTogether,
} from '../../support/register';
import { accountOf, anonymousClient } from '../../support/rest-client';
import { freePorts } from '../../support/run/templates';
import { silencedProxy } from '../../support/silenced-proxy';
import { until } from '../../support/until';

const NO_RIGHT = '42501';
const SCHEMAS = { IDENTITY: 'identity', ACCESS: 'access', GRID_MODELS: 'grid_models', TARIFFS: 'tariffs' } as const;
type Prefix = keyof typeof SCHEMAS;
const TABLES: Readonly<Record<Prefix, string>> = {
  IDENTITY: 'identity_keys.data_key',
  ACCESS: 'access.account',
  GRID_MODELS: 'grid_models.content',
  TARIFFS: 'tariffs.tariff',
};

describe('Services with logins that the migration job has created', () => {
  let place: Place;
  let logins: Record<string, string>;
  let rest: string;
  let common: Record<string, string>;
  let identity: RegisterProcess;
  let others: RegisterProcess;
  const OTHERS = 'access,grid-models,tariffs,gateway,rest-adapter';

  const loginOf = (prefix: Prefix) => logins[`${prefix}_DATABASE_URL`] as string;
  const loginsOf = (...prefixes: Prefix[]) =>
    Object.fromEntries(prefixes.map((prefix) => [`${prefix}_DATABASE_URL`, loginOf(prefix)]));

  beforeAll(async () => {
    place = await placeOf();
    logins = newServiceLogins(place.databaseUrl);
    const { DATABASE_URL: _, ...environment } = place.environment;
    const ports = await freePorts();
    rest = `http://localhost:${ports.REST_PORT}`;
    common = { ...(environment as Record<string, string>), ...ports, LOG_LEVEL: 'error' };
    const job = await runMigrationJob(place.databaseUrl, logins);
    expect(job).toMatchObject({ code: 0 });
    [identity, others] = (await startTogether([
      { ...common, ...loginsOf('IDENTITY'), SERVICES: 'identity' },
      { ...common, ...loginsOf('ACCESS', 'GRID_MODELS', 'TARIFFS'), SERVICES: OTHERS },
    ])) as [RegisterProcess, RegisterProcess];
  });
  afterAll(async () => {
    await Promise.all([identity?.stop(), others?.stop()]);
    await place.remove();
  });

  /** Statuses of a sign-in, a public lookup of a record and a read with a token. */
  async function statuses(token?: string): Promise<number[]> {
    const { account_id, secret_key } = accountOf(sandboxOf(place.dataDir), 'data_user');
    const { active } = sandboxOf(place.dataDir).samples.access_keys;
    const signIn = anonymousClient(rest, `Basic ${btoa(`${account_id}:${secret_key}`)}`);
    const bearer = anonymousClient(rest, token === undefined ? undefined : `Bearer ${token}`);
    return [
      (await signIn('GET', '/v1/auth/token')).status,
      (await anonymousClient(rest)('GET', `/v1/access-records/${active}`)).status,
      ...(token === undefined ? [] : [(await bearer('GET', '/v1/webhooks')).status]),
    ];
  }

  it('serve requests without the login of the owner', async () => {
    expect(await statuses()).toEqual([200, 200]);
  });

  it.each(Object.keys(SCHEMAS) as Prefix[])('can read as %s only their own tables, and create none', async (prefix) => {
    const session = new Client({ connectionString: loginOf(prefix) });
    await session.connect();
    const codeOf = (statement: string) =>
      session.query(statement).then(
        () => 'done',
        ({ code }: { code: string }) => code,
      );
    try {
      for (const [each, table] of Object.entries(TABLES))
        expect([table, await codeOf(`select from ${table}`)]).toEqual([table, each === prefix ? 'done' : NO_RIGHT]);
      for (const schema of [SCHEMAS[prefix], 'register', 'public'])
        expect([schema, await codeOf(`create table ${schema}.other ()`)]).toEqual([schema, NO_RIGHT]);
      expect(await codeOf(`alter table ${TABLES[prefix]} add column other text`)).toBe(NO_RIGHT);
      expect(await codeOf('create role other_role')).toBe(NO_RIGHT);
    } finally {
      await session.end();
    }
  });

  it('continue to serve over open connections when a password changes; new connections get 503 until the restart', async () => {
    const { account_id, secret_key } = accountOf(sandboxOf(place.dataDir), 'data_user');
    const signIn = await anonymousClient(rest, `Basic ${btoa(`${account_id}:${secret_key}`)}`)('GET', '/v1/auth/token');
    const token = String(signIn.body['bearer-token']);
    expect(await statuses(token)).toEqual([200, 200, 200]);
    logins = { ...logins, ACCESS_DATABASE_URL: newServiceLogins(place.databaseUrl)['ACCESS_DATABASE_URL'] as string };
    expect(await runMigrationJob(place.databaseUrl, logins)).toMatchObject({ code: 0 });
    expect(await statuses(token)).toEqual([200, 200, 200]);

    const user = new URL(loginOf('ACCESS')).username;
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = '${user}'`;
    await runIn(place.databaseUrl, end);
    await until(async () => ((await statuses(token)).every((status) => status === 503) ? true : undefined));
    expect(await statuses(token)).toEqual([503, 503, 503]);

    await others.stop();
    others = await startRegisterProcess({
      ...common,
      ...loginsOf('ACCESS', 'GRID_MODELS', 'TARIFFS'),
      SERVICES: OTHERS,
    });
    expect(await statuses(token)).toEqual([200, 200, 200]);
  });

  it('change to another login without an interruption: both have the rights until the first is dropped', async () => {
    const next = { ...logins, ...newServiceLogins(place.databaseUrl, 'next') };
    expect(await runMigrationJob(place.databaseUrl, next)).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual([200, 200]);
    const session = new Client({ connectionString: next['ACCESS_DATABASE_URL'] as string });
    await session.connect();
    expect((await session.query('select from access.account limit 1')).rowCount).toBe(1);
    await session.end();
  });

  it('receive no password from the migration job if their URLs have none, also if the owner has one in PGPASSWORD', async () => {
    const withoutPassword = Object.entries(newServiceLogins(place.databaseUrl, 'certificate')).map(([name, text]) => {
      const url = new URL(text);
      url.password = '';
      return [name, url.href];
    });
    const environment = { ...Object.fromEntries(withoutPassword), PGPASSWORD: 'of the owner' };
    expect(await runMigrationJob(place.databaseUrl, environment)).toMatchObject({ code: 0 });
    const owner = new Client({ connectionString: place.databaseUrl });
    await owner.connect();
    const passwords = await owner.query(
      `select rolname from pg_authid where rolname like '%\\_certificate' and rolpassword is not null`,
    );
    await owner.end();
    expect(passwords.rows).toEqual([]);
  });

  it('start with a clock of CLOCK_OFFSET_SECONDS, which the migration job reads, too', async () => {
    const clock = { CLOCK_CAN_MOVE: '', CLOCK_OFFSET_SECONDS: '0' };
    expect(await runMigrationJob(place.databaseUrl, { ...logins, ...clock })).toMatchObject({ code: 0 });
    const { TARIFFS_PORT } = await freePorts();
    const tariffs = await startRegisterProcess({
      ...{ ...common, ...loginsOf('TARIFFS'), ...clock },
      ...{ SERVICES: 'tariffs', TARIFFS_PORT },
    });
    await tariffs.stop();
  });

  it('start with the tables of a later release, and warn once of its migrations', async () => {
    await runIn(place.databaseUrl, `insert into tariffs.migration (timestamp, name) values (1, 'OfLater1')`);
    const { TARIFFS_PORT } = await freePorts();
    const environment = { ...common, ...loginsOf('TARIFFS'), SERVICES: 'tariffs', TARIFFS_PORT, LOG_LEVEL: 'warn' };
    const tariffs = await startRegisterProcess(environment);
    await tariffs.stop();
    const warnings = tariffs.output().match(/^.*migrations of a later release.*$/gm) ?? [];
    expect(warnings.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 40, schema: 'tariffs', migrations: ['OfLater1'] }),
    ]);
    await runIn(place.databaseUrl, `delete from tariffs.migration where name = 'OfLater1'`);
  });

  describe('do not start', () => {
    /** Starts `tariffs` alone and returns what it printed before it ended. */
    async function rejection(environment: Record<string, string>): Promise<string> {
      const { ended, output, ready } = spawnRegisterProcess({ ...common, SERVICES: 'tariffs', ...environment });
      await ready.catch(() => undefined);
      expect(await ended).toBe(1);
      return output();
    }

    it('with the login of the owner', async () => {
      expect(await rejection({ TARIFFS_DATABASE_URL: place.databaseUrl })).toMatch(
        /TARIFFS_DATABASE_URL cannot be used: a service must not have the login of the owner/,
      );
    });

    it('with the login of another service', async () => {
      expect(await rejection({ TARIFFS_DATABASE_URL: loginOf('IDENTITY') })).toMatch(
        /TARIFFS_DATABASE_URL cannot be used: the schema tariffs is not there for this login/,
      );
    });

    it('with a wrong password, and name the variable, not the password', async () => {
      const wrong = new URL(loginOf('TARIFFS'));
      wrong.password = 'guessed';
      const output = await rejection({ TARIFFS_DATABASE_URL: wrong.href });
      expect(output).toMatch(
        /TARIFFS_DATABASE_URL cannot be used: password authentication failed for .*; run the migration job/,
      );
      expect(output).not.toMatch(/guessed/);
    });

    it('with a login to which the migration job has granted nothing', async () => {
      const url = new URL(Object.values(newServiceLogins(place.databaseUrl, 'new'))[0] as string);
      await runIn(place.databaseUrl, `create role ${url.username} login password '${url.password}'`);
      expect(await rejection({ TARIFFS_DATABASE_URL: url.href })).toMatch(
        /TARIFFS_DATABASE_URL cannot be used: permission denied for schema register; run the migration job/,
      );
    });

    it('before the migration job has applied the migrations of their version', async () => {
      await runIn(place.databaseUrl, "update tariffs.migration set name = name || '_' where name like 'TariffOutbox%'");
      expect(await rejection(loginsOf('TARIFFS'))).toMatch(
        /1 migrations of tariffs have not been applied; run the migr/,
      );
      await runIn(place.databaseUrl, "update tariffs.migration set name = rtrim(name, '_')");
    });

    it('with another CLOCK_CAN_MOVE than that of the migration job', async () => {
      expect(await rejection({ ...loginsOf('TARIFFS'), CLOCK_CAN_MOVE: 'false' })).toMatch(/CLOCK_CAN_MOVE differs/);
    });

    it('with another key than the one with which the database was created', async () => {
      const key = Buffer.alloc(32, 1).toString('base64');
      expect(await rejection({ ...loginsOf('TARIFFS'), TARIFFS_HASH_KEY: key })).toMatch(
        /TARIFFS_HASH_KEY: not the key/,
      );
    });
  });

  describe('neither start nor are created', () => {
    it('in a database that cannot store every name: both name the encoding, and the job creates no table', async () => {
      const server = (await testPostgres()).url;
      const name = `latin_${process.pid}`;
      await runIn(server, `create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
      try {
        const url = databaseIn(server, name);
        const reason =
          /PostgreSQL 15 to 18 with the encoding UTF8 is needed, this database has version \d+\S* .*LATIN1/;
        const printed = expect.stringMatching(reason);
        expect(await runMigrationJob(url, newServiceLogins(url))).toMatchObject({ code: 1, printed });
        await expect(runIn(url, 'select from identity.migration')).rejects.toMatchObject({ code: '42P01' });
        const tariffs = spawnRegisterProcess({ ...common, SERVICES: 'tariffs', TARIFFS_DATABASE_URL: url });
        await tariffs.ready.catch(() => undefined);
        expect(await tariffs.ended).toBe(1);
        expect(tariffs.output()).toMatch(reason);
      } finally {
        await runIn(server, `drop database ${name}`);
      }
    });
  });

  describe('are not created', () => {
    it('if the connection of the job is lost: it prints the reason in one line', async () => {
      const proxy = await silencedProxy(place.databaseUrl, 'has_schema_privilege');
      try {
        const urls = Object.entries(logins).map(([name, text]) => {
          const url = new URL(text);
          url.host = new URL(proxy.url).host;
          return [name, url.href];
        });
        const job = runMigrationJob(proxy.url, Object.fromEntries(urls));
        await until(() => (proxy.withheld() === 1 ? true : undefined));
        proxy.reset();
        const printed = expect.stringMatching(/^read ECONNRESET \(LOG_LEVEL.*\)\n$/);
        expect(await job).toMatchObject({ code: 1, printed });
      } finally {
        await proxy.close();
      }
    });

    it('unless the job has all URLs; it lists what is missing', async () => {
      const { code, printed } = await runMigrationJob('', { CLOCK_CAN_MOVE: 'maybe' });
      expect(code).toBe(1);
      for (const variable of ['DATABASE_URL', 'CLOCK_CAN_MOVE', ...Object.keys(logins)])
        expect(printed).toMatch(`- ${variable}: `);
    });

    it('for the owner, or for a user with rights on the schema of another service', async () => {
      const owner = { ...logins, ACCESS_DATABASE_URL: place.databaseUrl };
      expect(await runMigrationJob(place.databaseUrl, owner)).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/ACCESS_DATABASE_URL: must not have the user of DATABASE_URL/),
      });
      const exchanged = {
        ...logins,
        ACCESS_DATABASE_URL: loginOf('IDENTITY'),
        IDENTITY_DATABASE_URL: loginOf('ACCESS'),
      };
      expect(await runMigrationJob(place.databaseUrl, exchanged)).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/IDENTITY_DATABASE_URL: its user has rights on the schema access/),
      });
    });

    it.each(['createrole', 'replication'])('for a user with the right %s', async (right) => {
      const strong = new URL(newServiceLogins(place.databaseUrl, right)['TARIFFS_DATABASE_URL'] as string);
      await runIn(place.databaseUrl, `create role ${strong.username} ${right}`);
      expect(await runMigrationJob(place.databaseUrl, { ...logins, TARIFFS_DATABASE_URL: strong.href })).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/has more rights than a service may have/),
      });
    });
  });
});
