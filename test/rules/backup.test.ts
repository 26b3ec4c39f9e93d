import { existsSync } from 'node:fs';
import fileSystem, { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { readLists, takeList } from '../../backup/anonymised-list';
import { backupsOf } from '../../backup/backup-folder';
import { restore } from '../../backup/restore';
import { takeBackup } from '../../backup/take-backup';
import { newKeyVariables, sandboxKeyVariables } from '../../sandbox/keys';
import { launchPostgres } from '../../sandbox/postgres/launch-postgres';
import { readSettings } from '../../process/settings';
import { openAccounts } from '../../subgraphs/access/access';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../support/customers';
import { failuresOf, graphOf } from '../support/graph';
import { runOperatorCommand } from '../support/operator-command';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type TestRegister, startTestRegister } from '../support/register';
import { anonymousClient } from '../support/rest-client';
import { restorePlan } from '../support/restore-plan';
import { type SearchedPlace, databasePlaces, findings } from '../support/secret-scan';
import { until } from '../support/until';

/** What the demo tariffs lead to is written a moment after the start. */
const UNTOLD =
  'select from tariffs.tariff_effect where done_at is null and cancelled_at is null and due_at <= register.register_now()';
const ANONYMISE = 'mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';
const PERSON = {
  mpxn: '1900112244',
  email: 'wilhelmina.quist@customer.example',
  line: '19 Wilhelmina Passage',
  town: 'Nether Quisting',
  postcode: 'QU9 4ZZ',
  'move-in date': '1983-11-27',
};

let register: TestRegister;
let dataUser: DataUser;
let keyVariables: Record<string, string>;
let root: string;
let databases: FreshDatabase[] = [];

beforeAll(async () => {
  register = await startTestRegister('one process');
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  keyVariables = await sandboxKeyVariables(register.dataDir);
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'register-backup-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await Promise.all(databases.map((database) => database.drop()));
  databases = [];
});
afterAll(async () => {
  await register?.close();
});

const backUp = (keptDays = 7) => takeBackup(register.databaseUrl, root, keptDays);

async function emptyDatabase(): Promise<string> {
  const database = await freshDatabase();
  databases.push(database);
  return database.url;
}

const planFor = (databaseUrl: string, variables = keyVariables) => restorePlan(root, databaseUrl, variables);

async function asked<Row extends object>(url: string, question: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(question, values)).rows;
  } finally {
    await client.end();
  }
}

/** Every table that is backed up, as a hash of its rows. */
async function contents(url: string, tables: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await asked<{ hash: string }>(
      url,
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as hash from ${table} t`,
    );
    hashes[table] = row?.hash ?? '';
  }
  return hashes;
}

async function backedUpTables(): Promise<string[]> {
  const folders = await Promise.all(
    ['register', 'data-keys'].map(async (kind) =>
      (await readdir(join(root, kind))).map((name) => join(root, kind, name)),
    ),
  );
  const files = await Promise.all(folders.flat().map((folder) => readdir(folder)));
  return [...new Set(files.flat().filter((name) => name.endsWith('.copy')))].map((name) => name.replace(/\.copy$/, ''));
}

const takenAtOf = async (folder: string) =>
  (JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { takenAt: string }).takenAt;

const anonymise = async ({ ir }: Customer) =>
  expect(failuresOf(await graphOf(register, dataUser.token)(ANONYMISE, { ir }))).toEqual([]);
const revoke = ({ key }: Customer) => dataUser.rest('DELETE', `/v1/access-records/${key}`);

async function standing(url: string, { ir }: Customer) {
  const [row] = await asked<Record<string, unknown>>(
    url,
    `select r.anonymised_at is not null as anonymised, r.mpxn_index is null and r.email_index is null as unfindable,
      not exists (select from identity_keys.data_key k where k.record_id = r.id) as unreadable,
      (select string_agg(state, ' ') from access.access_record a where a.identity_record_id = r.id) as access,
      (select bool_and(meter_point_id is null) from access.access_record a where a.identity_record_id = r.id) as unlinked,
      exists (select from access.closed_identity_link c where c.identity_record_id = r.id) as closed
     from identity.identity_record r where ref = $1`,
    [ir],
  );
  return row;
}
const LIVE = {
  anonymised: false,
  unfindable: false,
  unreadable: false,
  access: 'ACTIVE',
  unlinked: false,
  closed: false,
};
const GONE = { anonymised: true, unfindable: true, unreadable: true, access: 'REVOKED', unlinked: true, closed: true };

/** Every file below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return found.flat();
}

async function filesAsPlaces(): Promise<SearchedPlace[]> {
  return Promise.all((await filesBelow(root)).map(async (name) => ({ name, content: await readFile(name) })));
}

describe('A backup', () => {
  it('is restored row by row; the register goes on from it', async () => {
    const customer = await newCustomer(dataUser);
    await until(async () => (await asked(register.databaseUrl, UNTOLD)).length === 0 || undefined);
    await backUp();
    const url = await emptyDatabase();
    const done = await restore(planFor(url));
    expect(done).toMatchObject({ anonymisedAgain: 0, withoutDataKey: 0, revoked: 0 });
    const tables = await backedUpTables();
    expect(tables).toEqual(
      expect.arrayContaining([
        'access.access_record',
        'access.audit_entry',
        'identity.identity_record',
        'identity.passkey',
        'identity_keys.data_key',
      ]),
    );
    expect(await contents(url, tables)).toEqual(await contents(register.databaseUrl, tables));

    const restored = await startTestRegister('one process', { databaseUrl: url, environment: keyVariables });
    try {
      const rest = anonymousClient(restored.rest, `Bearer ${dataUser.token}`);
      const verified = await rest('GET', `/v1/access-records/${customer.key}`);
      expect(verified.body['access-record']['access-event'].state).toBe('ACTIVE');
      const { body } = await rest('GET', `/v1/identity-records/${customer.ir}`);
      expect(body['identity-record']['pii-principal'].mpxn).toBe(customer.mpxn);
      await expect(asked(url, 'delete from access.audit_entry')).rejects.toMatchObject({ code: '23001' });
      await expect(
        asked(url, `update access.access_record set state = 'REVOKED', revoked_at = now() where state = 'ACTIVE'`),
      ).rejects.toMatchObject({ code: '23001' });
    } finally {
      await restored.close();
    }
  });

  it('holds no session, link or token that could live again', async () => {
    await backUp();
    const doors = /customer_session|sign_in|reidentification|ceremony|alias|consumed|rate_limit|job/;
    expect((await backedUpTables()).filter((name) => doors.test(name))).toEqual([]);
  });

  it('is for its owner’s eyes only', async () => {
    await backUp();
    const modes = await Promise.all((await filesBelow(root)).map(async (file) => (await stat(file)).mode & 0o777));
    expect(new Set(modes)).toEqual(new Set([0o600]));
    for (const folder of ['register', 'data-keys']) expect((await stat(join(root, folder))).mode & 0o777).toBe(0o700);
  });

  it('tells neither an access key nor a person; nor does anything else once the person is anonymised', async () => {
    const customer = await newCustomer(dataUser, {
      'pii-principal': {
        mpxn: PERSON.mpxn,
        'move-in-date': PERSON['move-in date'],
        address: { addressLine1: PERSON.line, townCity: PERSON.town, postcode: PERSON.postcode },
      },
      email: PERSON.email,
    });
    const secrets = new Map(Object.entries({ ...PERSON, 'access key': customer.key }));
    for (const { account_id, secret_key } of register.sandbox.accounts)
      secrets.set(`secret of ${account_id}`, secret_key);
    for (const { mpxn, email } of register.sandbox.customers)
      secrets.set(`MPxN ${mpxn}`, mpxn).set(`e-mail ${email}`, email);
    await dataUser.rest('GET', `/v1/identity-records?mpxn=${PERSON.mpxn}&email=${encodeURIComponent(PERSON.email)}`);
    await backUp();
    expect(findings(secrets, await filesAsPlaces())).toEqual([]);
    await revoke(customer);
    await anonymise(customer);
    await backUp();
    const everything = [
      ...(await filesAsPlaces()),
      ...(await databasePlaces(register.databaseUrl)),
      { name: 'log', content: Buffer.from(register.log()) },
    ];
    expect(findings(new Map(Object.entries(PERSON)), everything)).toEqual([]);
  });

  it('of data keys is deleted after its days, but never the newest', async () => {
    const first = await backUp();
    const manifest = join(first.dataKeys, 'manifest.json');
    const taken = JSON.parse(await readFile(manifest, 'utf8')) as { takenAt: string };
    const days = (count: number) => new Date(Date.parse(taken.takenAt) - count * 86_400_000).toISOString();
    await writeFile(manifest, JSON.stringify({ ...taken, takenAt: days(6) }));
    expect((await backUp()).dataKeysDeleted).toBe(0);
    await writeFile(manifest, JSON.stringify({ ...taken, takenAt: days(8) }));
    const last = await backUp();
    expect(last.dataKeysDeleted).toBe(1);
    expect((await backUp(0)).dataKeysDeleted).toBe(2);
    expect(await readdir(join(root, 'data-keys'))).toHaveLength(1);
    expect(await readdir(join(root, 'register'))).toHaveLength(4);
  });

  it('of data keys that never became complete is deleted after an hour, whatever the days', async () => {
    const { dataKeys } = await backUp();
    const halfTaken = async (minutesBefore: number) => {
      const taken = new Date(Date.parse(await takenAtOf(dataKeys)) - minutesBefore * 60_000);
      const folder = join(root, 'data-keys', taken.toISOString().replace(/[-:]/g, ''));
      await mkdir(folder);
      await writeFile(join(folder, 'identity_keys.data_key.copy'), 'a key');
      return folder;
    };
    const [abandoned, underWay] = [await halfTaken(75), await halfTaken(45)];
    expect((await backUp()).dataKeysDeleted).toBe(1);
    expect([existsSync(abandoned), existsSync(underWay), existsSync(dataKeys)]).toEqual([false, true, true]);
  });

  it('that is being deleted counts no more, and is deleted by the next when that was killed', async () => {
    const { dataKeys } = await backUp();
    const kill = jest.spyOn(fileSystem, 'rm').mockRejectedValue(new Error('killed'));
    try {
      await expect(backUp(0)).rejects.toThrow('killed');
    } finally {
      kill.mockRestore();
    }
    expect(existsSync(dataKeys)).toBe(false);
    const [half, ...others] = (await readdir(join(root, 'data-keys'))).filter((name) => name.endsWith('.deleted'));
    expect([half, others]).toEqual([`${basename(dataKeys)}.deleted`, []]);
    expect((await backupsOf(root, 'data-keys')).map(({ folder }) => folder)).not.toContain(`${dataKeys}.deleted`);
    await backUp();
    expect((await readdir(join(root, 'data-keys'))).filter((name) => name.endsWith('.deleted'))).toEqual([]);
  });

  it('leaves out kept answers to re-identifications, and no others', async () => {
    const hold = (operation: string) =>
      asked(
        register.databaseUrl,
        `insert into identity.idempotency_key values ('${operation} by a test', '${operation}', '\\x01', '\\x02', '\\x03', now() + interval '1 day')`,
      );
    for (const operation of ['reidentify', 'reidentifyOwn', 'createIdentityRecord']) await hold(operation);
    await backUp();
    const url = await emptyDatabase();
    await restore(planFor(url));
    const kept = `select account_id as by from identity.idempotency_key where account_id like '% by a test'`;
    expect(await asked(url, kept)).toEqual([{ by: 'createIdentityRecord by a test' }]);
  });
});

describe('What was destroyed', () => {
  it('is cleared away by autovacuum, however little it is', async () => {
    const rows = await asked(
      register.databaseUrl,
      `select oid::regclass::text as name, reloptions as options from pg_class
       where oid in ('identity_keys.data_key'::regclass, 'identity.identity_record'::regclass) order by 1`,
    );
    const options = ['autovacuum_vacuum_threshold=1', 'autovacuum_vacuum_scale_factor=0'];
    expect(rows).toEqual([
      { name: 'identity.identity_record', options },
      { name: 'identity_keys.data_key', options },
    ]);
  });
});

describe('A restore', () => {
  it('anonymises again who was anonymised since, and revokes what had been ACTIVE', async () => {
    const [gone, kept] = [await newCustomer(dataUser), await newCustomer(dataUser)];
    await backUp();
    await revoke(gone);
    await anonymise(gone);
    const later = await backUp();
    await rm(later.register, { recursive: true });
    const url = await emptyDatabase();
    expect(await restore(planFor(url))).toMatchObject({ anonymisedAgain: 1, withoutDataKey: 0, revoked: 1 });
    expect([await standing(url, gone), await standing(url, kept)]).toEqual([GONE, LIVE]);
    const instant = `select anonymised_at as at from identity.identity_record where ref = '${gone.ir}'`;
    const [[again], [first]] = [
      await asked<{ at: Date }>(url, instant),
      await asked<{ at: Date }>(register.databaseUrl, instant),
    ];
    expect(again?.at.getTime()).toBe(first?.at.getTime());
    const [transition] = await asked(
      url,
      `select from_state, to_state, cause, account_id from access.access_record_transition t
      join access.access_record a on a.id = t.record_id where number = 2 and account_id = 'restore'`,
    );
    expect(transition).toEqual({ from_state: 'ACTIVE', to_state: 'REVOKED', cause: 'revoked', account_id: 'restore' });
  });

  it('does so also with data keys from before', async () => {
    const gone = await newCustomer(dataUser);
    await revoke(gone);
    const before = await backUp();
    await anonymise(gone);
    const after = await backUp();
    await rm(after.dataKeys, { recursive: true });
    const url = await emptyDatabase();
    await restore(planFor(url));
    expect(await standing(url, gone)).toEqual(GONE);
    expect(before.dataKeys).not.toBe(after.dataKeys);
  });

  it('anonymises records whose data key is lost, and says how many', async () => {
    const kept = await newCustomer(dataUser);
    await backUp();
    const customer = await newCustomer(dataUser);
    const later = await backUp();
    await rm(later.dataKeys, { recursive: true });
    const url = await emptyDatabase();
    await expect(restore(planFor(url))).rejects.toThrow(
      /^1 identity records of .* have no data key in .*--without-data-keys/,
    );
    const done = await restore({ ...planFor(url), withoutDataKeys: true });
    expect(done).toMatchObject({ anonymisedAgain: 0, withoutDataKey: 1, revoked: 1 });
    expect([await standing(url, customer), await standing(url, kept)]).toEqual([GONE, LIVE]);
  });

  it('knows who was anonymised after the last backup from a list that was written alone', async () => {
    const [gone, kept] = [await newCustomer(dataUser), await newCustomer(dataUser)];
    await backUp();
    await revoke(gone);
    await anonymise(gone);
    const environment = { DATABASE_URL: register.databaseUrl };
    const { code, said } = await runOperatorCommand('backup.ts', ['backup', root, '--list-only'], environment).ended;
    expect([code, said]).toEqual([0, expect.stringMatching(/^\d+ anonymised identity records are in the list/)]);
    expect(await readdir(join(root, 'register'))).toHaveLength(1);
    const url = await emptyDatabase();
    expect(await restore(planFor(url))).toMatchObject({ anonymisedAgain: 1 });
    expect([await standing(url, gone), await standing(url, kept)]).toEqual([GONE, LIVE]);
  });

  it('finds the list whole, however many write it at once', async () => {
    await Promise.all([backUp(), ...Array.from({ length: 8 }, () => takeList(register.databaseUrl, root))]);
    const anonymised = await asked(
      register.databaseUrl,
      'select from identity.identity_record where anonymised_at is not null',
    );
    expect((await readLists(root))?.size).toBe(anonymised.length);
  });

  it('knows so, too, from a database that can still be read', async () => {
    const gone = await newCustomer(dataUser);
    await backUp();
    await revoke(gone);
    await anonymise(gone);
    const environment = { ...keyVariables, DATABASE_URL: await emptyDatabase(), DATA_DIR: register.dataDir };
    const restoring = (from: string) =>
      runOperatorCommand('backup.ts', ['restore', root, '--also-from', from], environment).ended;
    expect(await restoring('postgres://nobody@127.0.0.1:1/none')).toMatchObject({
      code: 1,
      said: expect.stringContaining('--also-from: the list of this database cannot be read'),
    });
    expect(await restoring(register.databaseUrl)).toMatchObject({
      code: 0,
      said: expect.stringContaining('\n1 identity records were anonymised again'),
    });
    expect(await standing(environment.DATABASE_URL, gone)).toEqual(GONE);
  }, 120_000);

  it('takes every list that there is, and is refused without any', async () => {
    const gone = await newCustomer(dataUser);
    const first = await backUp();
    await revoke(gone);
    await anonymise(gone);
    const second = await backUp();
    await rm(join(second.register, 'manifest.json'));
    for (const folder of [root, first.register, first.dataKeys, second.register])
      await rm(join(folder, 'anonymised.json'));
    const url = await emptyDatabase();
    const plan = { ...planFor(url), withoutDataKeys: true };
    expect(await restore(plan)).toMatchObject({ anonymisedAgain: 1 });
    expect(await standing(url, gone)).toEqual(GONE);
    await rm(join(second.dataKeys, 'anonymised.json'));
    await expect(restore(planFor(await emptyDatabase()))).rejects.toThrow('has no list of anonymised records');
  });

  it('without any data keys is made on request only', async () => {
    const { dataKeys } = await backUp();
    await rm(dataKeys, { recursive: true });
    const url = await emptyDatabase();
    await expect(restore(planFor(url))).rejects.toThrow('no complete backup of data keys');
    const done = await restore({ ...planFor(url), withoutDataKeys: true });
    expect(done.withoutDataKey).toBeGreaterThan(0);
    expect(await asked(url, 'select from identity.identity_record where anonymised_at is null')).toEqual([]);
  });

  it('takes the newest backup that is complete, and no damaged one', async () => {
    await backUp();
    const newest = await backUp();
    await rm(join(newest.register, 'manifest.json'));
    const url = await emptyDatabase();
    const { register: taken } = await restore(planFor(url));
    expect(taken).not.toBe(newest.register);
    await writeFile(join(taken, 'access.account.copy'), 'x', { flag: 'a' });
    await expect(restore(planFor(await emptyDatabase()))).rejects.toThrow('access.account.copy is damaged');
  });

  it('leaves a database alone that is not empty', async () => {
    await backUp();
    const tables = await backedUpTables();
    const before = await contents(register.databaseUrl, tables);
    await expect(restore(planFor(register.databaseUrl))).rejects.toThrow('the database is not empty');
    expect(await contents(register.databaseUrl, tables)).toEqual(before);
  });

  it('with other keys is refused, and can be made afterwards with the right ones', async () => {
    await backUp();
    const url = await emptyDatabase();
    await expect(restore(planFor(url, await newKeyVariables()))).rejects.toThrow(
      /ACCESS_HASH_KEY.*IDENTITY_HASH_KEY.*not of this backup/,
    );
    await restore(planFor(url));
  });
});

describe('A restore that was killed', () => {
  it('lets nothing be served or backed up, and is begun afresh', async () => {
    const customer = await newCustomer(dataUser);
    await backUp();
    const url = await emptyDatabase();
    const environment = { ...keyVariables, DATABASE_URL: url, DATA_DIR: register.dataDir };
    const killed = runOperatorCommand('backup.ts', ['restore', root], environment);
    const holder = new Client({ connectionString: url });
    await holder.connect();
    await until(
      async () =>
        (await asked(url, `select where to_regclass('access.access_record') is not null`)).length || undefined,
      60_000,
    );
    await holder.query('begin; lock table access.access_record in share mode');
    await until(async () => (await asked(url, `select from pg_locks where not granted`)).length || undefined, 60_000);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await holder.end();

    const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = readSettings(keyVariables).keys;
    const start = () =>
      openAccounts(url, { hashKey: hashKey as Buffer, encryptionKey: encryptionKey as Buffer }, false);
    await expect(start()).rejects.toThrow('the restore of this database did not end');
    await expect(takeBackup(url, root, 7)).rejects.toThrow('the restore of this database did not end');
    const again = await runOperatorCommand('backup.ts', ['restore', root], environment).ended;
    expect(again).toMatchObject({
      code: 0,
      said: expect.stringMatching(/rows were restored from .*\n0 identity records were anonymised again/),
    });
    expect(await standing(url, customer)).toEqual(LIVE);
    await (await start()).close();
  }, 180_000);
});

describe('The commands', () => {
  it('say how they are used, and what is wrong with a setting', async () => {
    const runs = [[], ['copy', root], ['backup'], ['restore', root, root], ['restore', root, '--list-only']];
    for (const words of runs) {
      const { code, said } = await runOperatorCommand('backup.ts', words, {}).ended;
      expect([code, said]).toEqual([1, expect.stringMatching(/^usage: npm run backup -- <folder>/)]);
    }
    const { code, said } = await runOperatorCommand('backup.ts', ['backup', root], { DATA_KEYS_KEPT_DAYS: '-1' }).ended;
    expect([code, said]).toEqual([1, expect.stringContaining('DATA_KEYS_KEPT_DAYS: less than 0')]);
    const production = { NODE_ENV: 'production', DATA_DIR: join(root, 'data') };
    for (const command of ['backup', 'restore']) {
      const answer = await runOperatorCommand('backup.ts', [command, root], production).ended;
      expect([answer.code, answer.said]).toEqual([1, expect.stringContaining('DATABASE_URL: missing')]);
    }
    expect(await readdir(root)).toEqual([]);
  }, 60_000);
});

describe('The embedded database', () => {
  it('is not made for a backup', async () => {
    const dataDir = join(root, 'data');
    for (const more of [[], ['--list-only']]) {
      const words = ['backup', join(root, 'backups'), ...more];
      const { code, said } = await runOperatorCommand('backup.ts', words, { DATA_DIR: dataDir }).ended;
      expect([code, said]).toEqual([1, expect.stringMatching(/no database to back up: DATABASE_URL names none/)]);
    }
    expect(await readdir(root)).toEqual([]);
  }, 60_000);

  it('is restored into while nobody runs it, and backed up while somebody does', async () => {
    await backUp();
    const dataDir = await mkdtemp(join(tmpdir(), 'register-data-'));
    const environment = { DATA_DIR: dataDir };
    try {
      await cp(join(register.dataDir, 'keys.json'), join(dataDir, 'keys.json'));
      expect(await runOperatorCommand('backup.ts', ['restore', root], environment).ended).toMatchObject({ code: 0 });
      const log = { warn: () => undefined, error: () => undefined };
      const postgres = await launchPostgres({ dataDir, log });
      try {
        const done = await runOperatorCommand('backup.ts', ['backup', join(root, 'second')], environment).ended;
        expect(done).toMatchObject({ code: 0, said: expect.stringContaining('rows of the register are in') });
        expect(await readdir(join(root, 'second', 'register'))).toHaveLength(1);
      } finally {
        await postgres.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 180_000);
});
