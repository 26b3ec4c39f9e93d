import { existsSync } from 'node:fs';
import fileSystem, { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readLists, takeList } from '../../../commands/backup/anonymised-list';
import { backupsOf } from '../../../commands/backup/backup-folder';
import type { Manifest } from '../../../commands/backup/manifest';
import { takeBackup } from '../../../commands/backup/take-backup';
import { launchPostgres } from '../../../sandbox/postgres/launch-postgres';
import { ADVISORY_LOCKS } from '../../../subgraphs/server/database/advisory-locks';
import { sessionUrl } from '../../../subgraphs/server/database/database-login';
import { rowsOf, filesBelow } from '../../support/backup-fixture';
import { BackupSite, takenAtOf } from '../../support/backup-site';
import { restoredBackups } from './chapters/restored-backups';
import { newCustomer } from '../../support/customers';
import { documentText } from '../../support/documents';
import { runOperatorCommand } from '../../support/operator-command';
import { databaseCopy, databaseIn, migratedDatabase, runIn, testPostgres } from '../../support/postgres';
import { templateOf } from '../../support/run/keeper-client';
import { type SearchedPlace, databasePlaces, findings } from '../../support/secret-scan';
import { silencedProxy } from '../../support/silenced-proxy';
import { until } from '../../support/until';

jest.setTimeout(180_000); // starts registers, also on a busy machine

const PERSON = {
  mpxn: '1900112244',
  email: 'wilhelmina.quist@customer.example',
  line: '19 Wilhelmina Passage',
  town: 'Nether Quisting',
  postcode: 'QU9 4ZZ',
  'move-in date': '1983-11-27',
};

/** The folder name of a backup. */
const TAKEN = expect.stringMatching(/^\d{8}T\d{6}\.\d{3}Z$/);

/** Anonymises an Identity Record after a backup. */
const ERASE_ONE = `
  update identity.identity_record
  set mpxn_index = null, email_index = null, meter_point_id = null, closing_at = now(), closed_at = now(), anonymised_at = now()
  where id = (select id from identity.identity_record where anonymised_at is null limit 1)`;

/** Changes the first table that a manifest names. */
const withFirstTable =
  (change: object) =>
  ({ tables: [first, ...others] }: Manifest) => ({ tables: [{ ...first, ...change }, ...others] });

const site = new BackupSite();
beforeAll(() => site.start());
afterAll(() => site.close());

async function filesAsPlaces(): Promise<SearchedPlace[]> {
  return Promise.all((await filesBelow(site.root)).map(async (name) => ({ name, content: await readFile(name) })));
}

describe('A backup', () => {
  beforeEach(() => site.newRoot());

  it('contains no session, link or token, so that a restore revives none', async () => {
    await site.backUp();
    const shortLived = /customer_session|sign_in|reidentification|ceremony|alias|consumed|rate_limit|job/;
    expect((await site.backedUpTables()).filter((name) => shortLived.test(name))).toEqual([]);
  });

  it('is readable by its owner only', async () => {
    await site.backUp();
    const modes = await Promise.all((await filesBelow(site.root)).map(async (file) => (await stat(file)).mode & 0o777));
    expect(new Set(modes)).toEqual(new Set([0o600]));
    for (const folder of ['register', 'data-keys'])
      expect((await stat(join(site.root, folder))).mode & 0o777).toBe(0o700);
  });

  it('contains neither an access key nor personal data in clear; once a person is anonymised, no key decrypts their data', async () => {
    const customer = await newCustomer(site.dataUser, {
      'pii-principal': {
        mpxn: PERSON.mpxn,
        'move-in-date': PERSON['move-in date'],
        address: { addressLine1: PERSON.line, townCity: PERSON.town, postcode: PERSON.postcode },
      },
      email: PERSON.email,
    });
    const secrets = new Map(Object.entries({ ...PERSON, 'access key': customer.key }));
    for (const { account_id, secret_key } of site.register.sandbox.accounts)
      secrets.set(`secret of ${account_id}`, secret_key);
    for (const { mpxn, email } of site.register.sandbox.customers)
      secrets.set(`MPxN ${mpxn}`, mpxn).set(`e-mail ${email}`, email);
    await site.dataUser.rest(
      'GET',
      `/v1/identity-records?mpxn=${PERSON.mpxn}&email=${encodeURIComponent(PERSON.email)}`,
    );
    await site.backUp();
    expect(findings(secrets, await filesAsPlaces())).toEqual([]);
    await site.revoke(customer);
    await site.anonymise(customer);
    await site.backUp();
    const everything = [
      ...(await filesAsPlaces()),
      ...(await databasePlaces(site.register.databaseUrl)),
      { name: 'log', content: Buffer.from(site.register.log()) },
    ];
    expect(findings(new Map(Object.entries(PERSON)), everything)).toEqual([]);
  });

  it('is not taken of a register with other keys, or without accounts, than the newest one in its folder', async () => {
    const { register } = await site.backUp();
    const other = site.dropped(await databaseCopy((await templateOf('filled')).database));
    await rowsOf(other, `update access.key_check set hash = '\\x00' where variable = 'ACCESS_HASH_KEY'`);
    const reason = `ACCESS_HASH_KEY.*: this register has other keys than that of ${register}: back it up to another folder`;
    await expect(takeBackup(other, site.root, 7)).rejects.toThrow(new RegExp(reason));
    const empty = site.dropped(await migratedDatabase());
    await expect(takeBackup(empty, site.root, 7)).rejects.toThrow(
      `this register has no accounts, but ${register} has some: restore that backup, or back up to another folder`,
    );
    for (const kind of ['register', 'data-keys']) expect(await readdir(join(site.root, kind))).toHaveLength(1);
    await mkdir(join(site.root, 'empty'));
    await takeBackup(empty, join(site.root, 'empty'), 7);
    await takeBackup(empty, join(site.root, 'empty'), 7);
    expect(await readdir(join(site.root, 'empty', 'register'))).toHaveLength(2);
  });

  it('that is named is restored with its data keys, although there is a newer one', async () => {
    const first = await site.backUp();
    const later = await newCustomer(site.dataUser);
    await site.backUp();
    const url = await site.emptyDatabase();
    expect(await site.restoreInto(url, '--backup', 'register')).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`--backup: ${join(site.root, 'register')} has no complete backup of this name`),
    });
    expect(await site.restoreInto(url, '--backup', basename(first.register))).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`rows were restored from ${first.register} and ${first.dataKeys}`),
    });
    expect(await rowsOf(url, 'select from identity.identity_record where ref = $1', [later.ir])).toEqual([]);
  });

  it('is restored with the erasures of the former database, which the documented statements for containers set aside', async () => {
    const url = site.dropped(await databaseCopy((await templateOf('filled')).database));
    const server = (await testPostgres()).url;
    const name = new URL(url).pathname.slice(1);
    const drop = () => runIn(server, `drop database if exists ${name}_before`);
    const former = site.dropped({ url: databaseIn(url, `${name}_before`), drop });
    await takeBackup(url, site.root, 7);
    await rowsOf(url, ERASE_ONE);
    const [command = ''] = /^docker compose exec postgres psql .*$/m.exec(documentText('docs/operations.md')) ?? [];
    for (const [, statement = ''] of command.matchAll(/ -c '([^']+)'/g))
      await runIn(server, statement.replaceAll('register', name));
    expect(await site.restoreInto(url, '--also-from', former)).toMatchObject({
      code: 0,
      printed: expect.stringContaining('\n1 identity records were anonymised again\n'),
    });
  });

  it('that was taken while a clock was ahead is not the newest one: backups and restores name it until it is moved away', async () => {
    const { register, dataKeys } = await site.backUp();
    const ahead = new Date(Date.now() + 2 * 3_600_000).toISOString();
    for (const folder of [register, dataKeys]) {
      const manifest = join(folder, 'manifest.json');
      const taken = JSON.parse(await readFile(manifest, 'utf8')) as object;
      await writeFile(manifest, JSON.stringify({ ...taken, takenAt: ahead }));
    }
    const report = `${register}, ${dataKeys}: dated in the future`;
    await expect(site.backUp()).rejects.toThrow(report);
    const restored = await site.restoreInto(await site.emptyDatabase());
    expect(restored).toMatchObject({ code: 1, printed: expect.stringContaining(report) });
    for (const folder of [register, dataKeys]) await rm(folder, { recursive: true });
    expect(await readdir(dirname((await site.backUp()).register))).toHaveLength(1);
  });

  it('of data keys is deleted after its retention period, except the newest', async () => {
    const first = await site.backUp();
    const manifest = join(first.dataKeys, 'manifest.json');
    const taken = JSON.parse(await readFile(manifest, 'utf8')) as { takenAt: string };
    const days = (count: number) => new Date(Date.parse(taken.takenAt) - count * 86_400_000).toISOString();
    await writeFile(manifest, JSON.stringify({ ...taken, takenAt: days(6) }));
    expect((await site.backUp()).dataKeysDeleted).toBe(0);
    await writeFile(manifest, JSON.stringify({ ...taken, takenAt: days(8) }));
    const last = await site.backUp();
    expect(last.dataKeysDeleted).toBe(1);
    expect((await site.backUp(0)).dataKeysDeleted).toBe(2);
    expect(await readdir(join(site.root, 'data-keys'))).toHaveLength(1);
    expect(await readdir(join(site.root, 'register'))).toHaveLength(4);
  });

  it('of data keys is deleted after its retention period also if the register cannot be written', async () => {
    const { dataKeys, register } = await site.backUp();
    const manifest = join(dataKeys, 'manifest.json');
    const taken = JSON.parse(await readFile(manifest, 'utf8')) as { takenAt: string };
    await writeFile(manifest, JSON.stringify({ ...taken, takenAt: new Date(Date.now() - 8 * 86_400_000) }));
    await rm(dirname(register), { recursive: true });
    await writeFile(dirname(register), 'a file where the folder would be created');
    await expect(site.backUp()).rejects.toThrow('ENOTDIR');
    const [newest, ...others] = await readdir(dirname(dataKeys));
    expect([newest === basename(dataKeys), others]).toEqual([false, []]);
  });

  it.each([
    ['data-keys', 'an hour', 60, 1],
    ['register', '20 hours', 20 * 60, 0],
  ])(
    'of %s that is incomplete is deleted after %s, but no complete one with it',
    async (kind, _, limitMinutes, dataKeys) => {
      const complete = await site.backUp();
      const halfTaken = async (minutesBefore: number) => {
        const taken = new Date(Date.parse(await takenAtOf(complete.register)) - minutesBefore * 60_000);
        const folder = join(site.root, kind, taken.toISOString().replace(/[-:]/g, ''));
        await mkdir(folder);
        await writeFile(join(folder, 'identity_keys.data_key.copy'), 'a key');
        return folder;
      };
      const [abandoned, underWay] = [await halfTaken(limitMinutes + 15), await halfTaken(limitMinutes - 15)];
      expect((await site.backUp()).dataKeysDeleted).toBe(dataKeys);
      const folders = [abandoned, underWay, complete.register, complete.dataKeys];
      expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
    },
  );

  it('is neither ignored by a restore nor deleted by a backup if its manifest exists and cannot be read', async () => {
    const older = await site.backUp();
    const now = Date.parse(await takenAtOf(older.register));
    const newest = join(site.root, 'register', new Date(now - 21 * 3_600_000).toISOString().replace(/[-:]/g, ''));
    await cp(older.register, newest, { recursive: true });
    const manifest = join(newest, 'manifest.json');
    for (const [damage, reason] of [
      [() => symlink('manifest.json', manifest), 'cannot be read: ELOOP'],
      [() => writeFile(manifest, '{ "takenAt": '), 'is damaged'],
      [() => writeFile(manifest, '{}'), 'is damaged'],
    ] as const) {
      await rm(manifest);
      await damage();
      const printed = expect.stringContaining(`${manifest} ${reason}`);
      expect(await site.restoreInto('postgres://nobody@127.0.0.1:1/none')).toMatchObject({ code: 1, printed });
      await expect(site.backUp()).rejects.toThrow(`${manifest} ${reason}`);
      expect([newest, older.dataKeys].map((folder) => existsSync(folder))).toEqual([true, true]);
    }
  });

  it.each<[change: string, of: (manifest: Manifest) => object]>([
    [
      'a schema with a statement',
      ({ keys }) => ({
        keys: { ...keys, 'access.key_check; create table public.injected (); select variable, hash from access': {} },
      }),
    ],
    [
      'a table with a statement',
      withFirstTable({ table: 'account_secret enable trigger user; create table public.injected (); --' }),
    ],
    ['a column with a statement', withFirstTable({ columns: ['x) from stdin; create table public.injected (); --'] })],
    ['a table of another schema', withFirstTable({ schema: 'public' })],
    ['a file of another table', withFirstTable({ file: '../../anonymised.json' })],
  ])('whose manifest names %s is not restored, and nothing of it is executed', async (_, changed) => {
    const { register } = await site.backUp();
    const path = join(register, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    await writeFile(path, JSON.stringify({ ...manifest, ...changed(manifest) }));
    const url = await site.emptyDatabase();
    const printed = expect.stringContaining(
      `${path} names a schema, table, column or file that no backup of this release has`,
    );
    expect(await site.restoreInto(url)).toMatchObject({ code: 1, printed });
    const made = `select from pg_class join pg_namespace n on n.oid = relnamespace where nspname in ('public', 'register', 'access')`;
    expect(await rowsOf(url, made)).toEqual([]);
  });

  it('whose deletion has started is not used any more, and is deleted by the next run if that deletion was killed', async () => {
    const { dataKeys } = await site.backUp();
    const kill = jest.spyOn(fileSystem, 'rm').mockRejectedValue(new Error('killed'));
    try {
      await expect(site.backUp(0)).rejects.toThrow('killed');
    } finally {
      kill.mockRestore();
    }
    expect(existsSync(dataKeys)).toBe(false);
    const [half, ...others] = (await readdir(join(site.root, 'data-keys'))).filter((name) => name.endsWith('.deleted'));
    expect([half, others]).toEqual([`${basename(dataKeys)}.deleted`, []]);
    expect((await backupsOf(site.root, 'data-keys')).map(({ folder }) => folder)).not.toContain(`${dataKeys}.deleted`);
    await site.backUp();
    expect((await readdir(join(site.root, 'data-keys'))).filter((name) => name.endsWith('.deleted'))).toEqual([]);
  });

  it('that loses its connection ends with the reason, and does not call it an error of the disk', async () => {
    const proxy = await silencedProxy(site.register.databaseUrl, 'copy (select');
    try {
      const environment = { DATABASE_URL: proxy.url };
      const { ended } = runOperatorCommand('commands/backup/backup', ['backup', site.root], environment);
      await until(() => (proxy.withheld() === 1 ? true : undefined));
      proxy.reset();
      expect(await ended).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/^read ECONNRESET \(LOG_LEVEL.*\)\n$/),
      });
    } finally {
      await proxy.close();
    }
  });

  it('contains the complete list, even if several processes write it concurrently', async () => {
    await Promise.all([
      site.backUp(),
      ...Array.from({ length: 8 }, () => takeList(site.register.databaseUrl, site.root)),
    ]);
    const anonymised = await rowsOf(
      site.register.databaseUrl,
      'select from identity.identity_record where anonymised_at is not null',
    );
    expect((await readLists(site.root))?.anonymised.size).toBe(anonymised.length);
  });
});

describe('The list of anonymised records', () => {
  it('is not written if the login may not read all of it, or the database has no register', async () => {
    await site.newRoot();
    for (const [database, reason] of [
      [await site.serviceUrl('access'), 'permission denied for schema identity'],
      [await site.serviceUrl('identity'), 'permission denied for schema tariffs'],
      [await site.emptyDatabase(), 'this database has no register'],
    ] as const) {
      expect(await site.listOf(database)).toMatchObject({ code: 1, printed: expect.stringContaining(reason) });
    }
    expect(await readdir(site.root)).toEqual([]);
  });

  it('is not written while another process writes one: the command ends at once, with success', async () => {
    await site.newRoot();
    const owner = await site.ownerOf(site.register.databaseUrl);
    await owner.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.anonymisedList]);
    const printed = expect.stringContaining('another process writes a list of this database: nothing was written');
    expect(await site.listOf(site.register.databaseUrl)).toMatchObject({ code: 0, printed });
    expect(await readdir(site.root)).toEqual([]);
    await owner.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.anonymisedList]);
    expect(await site.listOf(site.register.databaseUrl)).toMatchObject({ code: 0 });
    expect(await readdir(site.root)).toEqual(['anonymised.json']);
  });

  it('is not written to a full disk: the command names the file', async () => {
    await site.newRoot();
    const list = join(site.root, 'anonymised.json');
    const printed = expect.stringMatching(new RegExp(`^${list} cannot be written: ENOSPC`));
    const fullDisk = { NODE_OPTIONS: `--require ${join(__dirname, '..', '..', 'support', 'full-disk.js')}` };
    expect(await site.listOf(site.register.databaseUrl, fullDisk)).toMatchObject({ code: 1, printed });
    expect(existsSync(list)).toBe(false);
  });

  it('is read by index, not by a scan of all records', async () => {
    const scans = async () => {
      const text = `select indexrelname as name, idx_scan::int as scans from pg_stat_user_indexes
        where indexrelname in ('identity_record_anonymised', 'identity_record_closed') order by 1`;
      return (await rowsOf<{ scans: number }>(site.register.databaseUrl, text)).map((row) => row.scans);
    };
    const [anonymised = NaN, closed = NaN] = await scans();
    await takeList(sessionUrl(site.register.databaseUrl, '-c enable_seqscan=off'), site.root); // the tables of a test are small
    const isRead = () => until(async () => isDeepStrictEqual(await scans(), [anonymised + 1, closed + 1]) || undefined);
    expect(await isRead()).toBe(true); // the server counts a scan shortly after its session ends
  });
});

describe('Destroyed data', () => {
  it('are vacuumed after a single row', async () => {
    const rows = await rowsOf(
      site.register.databaseUrl,
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

restoredBackups(site);

describe('The backup commands', () => {
  beforeAll(() => site.newRoot());

  it('report invalid settings', async () => {
    const { code, printed } = await runOperatorCommand('commands/backup/backup', ['backup', site.root], {
      DATA_KEYS_KEPT_DAYS: '-1',
    }).ended;
    expect([code, printed]).toEqual([1, expect.stringContaining('DATA_KEYS_KEPT_DAYS: must be 0 or more')]);
    const production = { NODE_ENV: 'production', DATA_DIR: join(site.root, 'data') };
    for (const command of ['backup', 'restore']) {
      const response = await runOperatorCommand('commands/backup/backup', [command, site.root], production).ended;
      expect([response.code, response.printed]).toEqual([1, expect.stringContaining('DATABASE_URL: missing')]);
    }
    expect(await readdir(site.root)).toEqual([]);
  });
});

describe('In production', () => {
  beforeAll(() => site.newRoot());

  it('the folders of a backup are those of mounted disks: it creates neither, and fails without one', async () => {
    const run = (root: string, ...options: string[]) => {
      const production = { NODE_ENV: 'production', DATABASE_URL: site.register.databaseUrl };
      return runOperatorCommand('commands/backup/backup', ['backup', root, ...options], production).ended;
    };
    const [folder, disk] = [join(site.root, 'mounted', 'register'), join(site.root, 'second disk')];
    const missing = (name: string) => ({
      code: 1,
      printed: expect.stringContaining(`${name} is no folder: mount its disk, or create the folder`),
    });
    expect(await run(folder, '--list-only')).toMatchObject(missing(folder));
    expect(await run(folder)).toMatchObject(missing(folder));
    expect(await readdir(site.root)).toEqual([]);
    await mkdir(folder, { recursive: true });
    await symlink(disk, join(folder, 'data-keys'));
    expect(await run(folder)).toMatchObject(missing(join(folder, 'data-keys')));
    expect([await readdir(folder), existsSync(disk)]).toEqual([['data-keys'], false]);
    expect(await run(folder, '--list-only')).toMatchObject({ code: 0 });
    await mkdir(disk);
    expect(await run(folder)).toMatchObject({ code: 0 });
    expect([await readdir(join(folder, 'register')), await readdir(disk)]).toEqual([[TAKEN], [TAKEN]]);
  });
});

describe('The embedded database', () => {
  beforeEach(() => site.newRoot());

  it('is not created for a backup', async () => {
    const dataDir = join(site.root, 'data');
    for (const more of [[], ['--list-only']]) {
      const words = ['backup', join(site.root, 'backups'), ...more];
      const { code, printed } = await runOperatorCommand('commands/backup/backup', words, { DATA_DIR: dataDir }).ended;
      expect([code, printed]).toEqual([1, expect.stringMatching(/there is no database: DATABASE_URL names none/)]);
    }
    expect(await readdir(site.root)).toEqual([]);
  });

  it('is restored while it is stopped, without data keys on request only, and is backed up while it runs', async () => {
    await rm((await site.backUp()).dataKeys, { recursive: true });
    expect(await site.rejection()).toContain('no complete backup of data keys');
    const dataDir = await mkdtemp(join(tmpdir(), 'register-data-'));
    const environment = { DATA_DIR: dataDir };
    try {
      await cp(join(site.register.dataDir, 'keys.json'), join(dataDir, 'keys.json'));
      const words = ['restore', site.root, '--without-data-keys'];
      expect(await runOperatorCommand('commands/backup/backup', words, environment).ended).toMatchObject({
        code: 0,
        printed: expect.stringMatching(
          /no data keys\n0 identity records were anonymised again\n[1-9]\d* identity records had no data key/,
        ),
      });
      const log = { warn: () => undefined, error: () => undefined };
      const postgres = await launchPostgres({ dataDir, log });
      try {
        const live = 'select from identity.identity_record where anonymised_at is null';
        expect(await rowsOf(postgres.url, live)).toEqual([]);
        const second = ['backup', join(site.root, 'second')];
        const done = await runOperatorCommand('commands/backup/backup', second, environment).ended;
        expect(done).toMatchObject({ code: 0, printed: expect.stringContaining('rows of the register are in') });
        expect(await readdir(join(site.root, 'second', 'register'))).toHaveLength(1);
      } finally {
        await postgres.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
