import { existsSync } from 'node:fs';
import fileSystem, { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { readLists, takeList } from '../../../commands/backup/anonymised-list';
import { backupsOf } from '../../../commands/backup/backup-folder';
import { restore } from '../../../commands/backup/restore';
import { type TakenBackup, takeBackup } from '../../../commands/backup/take-backup';
import { newKeyVariables, sandboxKeyVariables } from '../../../sandbox/keys';
import { launchPostgres } from '../../../sandbox/postgres/launch-postgres';
import {
  GONE,
  LIVE,
  type ReadEvent,
  rowsOf,
  contents,
  filesBelow,
  followed,
  standing,
} from '../../support/backup-fixture';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { putWebhook } from '../../support/event-rows';
import { failuresOf, graphAs, graphOf } from '../../support/graph';
import { runOperatorCommand } from '../../support/operator-command';
import { type FreshDatabase, databaseCopy, freshDatabase } from '../../support/postgres';
import { type TestRegister, spawnRegisterProcess, startTestRegister } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';
import { templateOf } from '../../support/run/keeper-client';
import { type SearchedPlace, databasePlaces, findings } from '../../support/secret-scan';
import { until } from '../../support/until';

jest.setTimeout(180_000); // starts registers, also on a busy machine
/** Selects effects of the demo tariffs that are not applied yet; they are applied shortly after the start. */
const PENDING_EFFECTS =
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
/** Folder of the backups of one test, or of tests that use the same backups. */
let root: string;
const roots: string[] = [];
const databases: FreshDatabase[] = [];
const sessions: Client[] = [];

beforeAll(async () => {
  register = await startTestRegister('one process'); // its own register, because a backup contains all of it at one instant
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  keyVariables = await sandboxKeyVariables(register.dataDir);
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  await register?.close();
  await Promise.all(databases.map((database) => database.drop()));
  await Promise.all(roots.map((folder) => rm(folder, { recursive: true, force: true })));
});

async function newRoot(): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'register-backup-'));
  roots.push(root);
}

const backUp = (keptDays = 7) => takeBackup(register.databaseUrl, root, keptDays);

async function dropped(making: Promise<FreshDatabase>): Promise<string> {
  const database = await making;
  databases.push(database);
  return database.url;
}
const emptyDatabase = () => dropped(freshDatabase());

/** Returns the operator's environment for a restore into a database. */
const environmentFor = (databaseUrl: string) => ({
  ...keyVariables,
  DATABASE_URL: databaseUrl,
  DATA_DIR: register.dataDir,
});
const restoreInto = (databaseUrl: string, ...options: string[]) =>
  runOperatorCommand('commands/backup/backup', ['restore', root, ...options], environmentFor(databaseUrl)).ended;

/** Returns the error of a restore that is rejected before it reads a subgraph. */
const rejection = (databaseUrl = 'postgres://nobody@127.0.0.1:1/none') =>
  restore({ databaseUrl, root, withoutDataKeys: false, subgraphs: [] }).then(
    () => 'it was made',
    ({ message }: Error) => message,
  );

/** Matches the result of a restore that completes. */
const outcome = (again: number, withoutKey: number, revoked: number) => ({
  code: 0,
  printed: expect.stringMatching(
    new RegExp(
      `${again} identity records were anonymised again\\n${withoutKey} identity records had no data key .*\\n${revoked} ACTIVE access records`,
    ),
  ),
});

async function ownerOf(connectionString: string): Promise<Client> {
  const session = new Client({ connectionString, options: '-c search_path=access,register' });
  sessions.push(session);
  await session.connect();
  return session;
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

/** Takes a backup while no sweep changes a row; returns the contents of the tables at that time. */
async function backedUpContents(): Promise<Record<string, string>> {
  const tables = await backUp().then(backedUpTables);
  return until(async () => {
    const earlier = await contents(register.databaseUrl, tables);
    await newRoot().then(() => backUp());
    const later = await contents(register.databaseUrl, tables);
    return isDeepStrictEqual(later, earlier) ? later : undefined;
  });
}

const takenAtOf = async (folder: string) =>
  (JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { takenAt: string }).takenAt;

const anonymise = async ({ ir }: Customer) =>
  expect(failuresOf(await graphOf(register, dataUser.token)(ANONYMISE, { ir }))).toEqual([]);
const revoke = ({ key }: Customer) => dataUser.rest('DELETE', `/v1/access-records/${key}`);

async function filesAsPlaces(): Promise<SearchedPlace[]> {
  return Promise.all((await filesBelow(root)).map(async (name) => ({ name, content: await readFile(name) })));
}

describe('A backup', () => {
  beforeEach(newRoot);

  it('contains no session, link or token, so that a restore revives none', async () => {
    await backUp();
    const shortLived = /customer_session|sign_in|reidentification|ceremony|alias|consumed|rate_limit|job/;
    expect((await backedUpTables()).filter((name) => shortLived.test(name))).toEqual([]);
  });

  it('is readable by its owner only', async () => {
    await backUp();
    const modes = await Promise.all((await filesBelow(root)).map(async (file) => (await stat(file)).mode & 0o777));
    expect(new Set(modes)).toEqual(new Set([0o600]));
    for (const folder of ['register', 'data-keys']) expect((await stat(join(root, folder))).mode & 0o777).toBe(0o700);
  });

  it('contains neither an access key nor personal data in clear; once a person is anonymised, no key decrypts their data', async () => {
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

  it('of data keys is deleted after its retention period, except the newest', async () => {
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

  it('of data keys that is incomplete is deleted after an hour, regardless of the retention period', async () => {
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

  it('whose deletion has started is not used any more, and is deleted by the next run if that deletion was killed', async () => {
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

  it('contains the complete list, even if several processes write it concurrently', async () => {
    await Promise.all([backUp(), ...Array.from({ length: 8 }, () => takeList(register.databaseUrl, root))]);
    const anonymised = await rowsOf(
      register.databaseUrl,
      'select from identity.identity_record where anonymised_at is not null',
    );
    expect((await readLists(root))?.anonymised.size).toBe(anonymised.length);
  });
});

describe('Destroyed data', () => {
  it('are vacuumed after a single row', async () => {
    const rows = await rowsOf(
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

/** Adds deliveries that stay pending because their Data User is suspended. */
async function waitingDeliveries(session: Client): Promise<string> {
  const { duid } = await newDataUser(register, 'https://fernhollow.example/back');
  const webhook = await putWebhook(session, { duid });
  await session.query(`update account set status = 'suspended', suspended_at = register_now() where duid = $1`, [duid]);
  await session.query(
    `insert into event (type, duid, webhook_id) select 'webhook.test', $1, $2 from generate_series(1, 3)`,
    [duid, webhook],
  );
  return webhook;
}

/** Stores responses of idempotent requests, one for each operation. */
const storedResponses = (session: Client) =>
  session.query(`insert into identity.idempotency_key
    select operation || ' by a test', operation, '\\x01', '\\x02', '\\x03', now() + interval '1 day'
    from unnest(array['reidentify', 'reidentifyOwn', 'createIdentityRecord']) operation`);

describe('A backup that is restored into an empty database', () => {
  let customer: Customer;
  let url: string;
  let target: Client;
  let webhook: string;
  let kept: ReadEvent[];
  let lost: ReadEvent;
  let restored: TestRegister;
  let before: Record<string, string>;
  let done: { readonly code: number | null; readonly printed: string };

  beforeAll(async () => {
    await newRoot();
    customer = await newCustomer(dataUser);
    const source = await ownerOf(register.databaseUrl);
    webhook = await waitingDeliveries(source);
    await storedResponses(source);
    const admin = await graphAs(register, 'admin');
    kept = await until(async () => {
      const events = await followed(admin, null);
      return events.filter(({ type }) => type === 'WEBHOOK_TEST').length === 3 ? events : undefined;
    });
    await until(async () => (await rowsOf(register.databaseUrl, PENDING_EFFECTS)).length === 0 || undefined);
    before = await backedUpContents();
    await newCustomer(dataUser);
    lost = await until(async () => (await followed(admin, kept.at(-1)?.cursor ?? null)).at(-1));
    url = await emptyDatabase();
    done = await restoreInto(url);
    target = await ownerOf(url);
  });
  afterAll(() => restored?.close());

  it('has the same rows as before', async () => {
    expect(done).toMatchObject(outcome(0, 0, 0));
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
    const after = await contents(url, tables);
    const { 'identity.idempotency_key': leftOut, ...rows } = before;
    const { 'identity.idempotency_key': restoredResponses, ...restoredRows } = after;
    expect(restoredRows).toEqual(rows);
    expect(restoredResponses).not.toBe(leftOut);
  });

  it('has no stored responses of re-identifications, but all others', async () => {
    const responses = `select account_id as by from identity.idempotency_key where account_id like '% by a test'`;
    expect(await rowsOf(url, responses)).toEqual([{ by: 'createIdentityRecord by a test' }]);
  });

  it('has the same deliveries, none of them planned twice, and no event of the new epoch', async () => {
    expect((await target.query('select from event where era >= event_era()')).rows).toEqual([]);
    const { rows: planned } = await target.query(
      `select state, count(*)::int from delivery where endpoint_id = $1 group by state`,
      [webhook],
    );
    expect(planned).toEqual([{ state: 'pending', count: 3 }]);
  });

  it('is a working register', async () => {
    const era = 'select event_era() as era';
    const { rows: eras } = await target.query(era);
    const address = { BASE_URL: `${register.rest}/v1` }; // the public URL of the installation, which tokens contain
    restored = await startTestRegister('one process', {
      databaseUrl: url, // the restored database
      files: { 'sandbox.json': JSON.stringify(register.sandbox) },
      environment: { ...keyVariables, ...address },
    });
    expect((await target.query(era)).rows).toEqual(eras);
    const rest = anonymousClient(restored.rest, `Bearer ${dataUser.token}`);
    const verified = await rest('GET', `/v1/access-records/${customer.key}`);
    expect(verified.body['access-record']['access-event'].state).toBe('ACTIVE');
    const { body } = await rest('GET', `/v1/identity-records/${customer.ir}`);
    expect(body).toMatchObject({ 'identity-record': { 'pii-principal': { mpxn: customer.mpxn } } });
    await expect(rowsOf(url, 'delete from access.audit_entry')).rejects.toMatchObject({ code: '23001' });
    await expect(
      rowsOf(url, `update access.access_record set state = 'REVOKED', revoked_at = now() where state = 'ACTIVE'`),
    ).rejects.toMatchObject({ code: '23001' });
  });

  it('has the demo logins of the sandbox.json that was copied, and no second demo data', async () => {
    expect(restored.sandbox.accounts).toEqual(register.sandbox.accounts);
    const { name } = register.sandbox.accounts.find(({ role }) => role === 'data_user') as { name: string };
    const named = 'select count(*)::int from access.account where display_name = $1';
    expect((await target.query(named, [name])).rows).toEqual([{ count: 1 }]);
  });

  it('continues its event log after every cursor that was ever returned, including those of lost events', async () => {
    const admin = await graphAs(restored, 'admin');
    expect((await followed(admin, null)).map(({ id }) => id)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
    const { ir } = await newCustomer(await newDataUser(restored, 'https://larkhill.example/back'));
    expect(ir).toMatch(/^ir_/);
    const [first] = await until(async () => {
      const next = await followed(admin, lost.cursor);
      return next.some(({ type }) => type === 'ACCESS_REGISTERED') ? next : undefined;
    });
    expect(kept.map(({ id }) => id)).not.toContain(first?.id);
  });
});

describe('A restore with data keys older than the newest backup', () => {
  let [kept, gone, later]: Customer[] = [];
  let url: string;
  beforeAll(async () => {
    await newRoot();
    [kept, gone] = [await newCustomer(dataUser), await newCustomer(dataUser)];
    await revoke(gone);
    await backUp();
    await anonymise(gone);
    later = await newCustomer(dataUser);
    await rm((await backUp()).dataKeys, { recursive: true });
    url = await emptyDatabase();
  });

  it('is rejected if records would have no data key', async () => {
    expect(await restoreInto(url)).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/1 identity records have no data key: .*--without-data-keys/),
    });
  });

  it('anonymises such records on request, reports their number, and revives no anonymised record', async () => {
    expect(await restoreInto(url, '--without-data-keys')).toMatchObject(outcome(0, 1, 1));
    const standings = [kept, gone, later].map((customer) => standing(url, customer as Customer));
    expect(await Promise.all(standings)).toEqual([LIVE, GONE, GONE]);
  });
});

describe('A restore of a backup, with customers anonymised since', () => {
  let [inBackup, inList, inDatabase, kept]: Customer[] = [];
  let [first, second]: TakenBackup[] = [];
  let url: string;
  const gone = () => [inBackup, inList, inDatabase] as Customer[];
  const goneRefs = () => gone().map(({ ir }) => ir);

  /** Each anonymised customer is in one source: the list of an incomplete backup, the separate list, or the database. */
  beforeAll(async () => {
    await newRoot();
    [inBackup, inList, inDatabase] = [
      await newCustomer(dataUser),
      await newCustomer(dataUser),
      await newCustomer(dataUser),
    ];
    kept = await newCustomer(dataUser);
    first = await backUp();
    await leave(inBackup);
    second = await backUp();
    await rm(join(second.register, 'manifest.json'));
    await leave(inList);
    const { code, printed } = await runOperatorCommand('commands/backup/backup', ['backup', root, '--list-only'], {
      DATABASE_URL: register.databaseUrl,
    }).ended;
    expect([code, printed]).toEqual([0, expect.stringMatching(/^\d+ anonymised identity records are in the list/)]);
    expect(await readdir(join(root, 'register'))).toHaveLength(2);
    await rm(join(second.dataKeys, 'anonymised.json'));
    await withdraw(inBackup, join(root, 'anonymised.json'));
    await leave(inDatabase);
    url = await emptyDatabase();
  });

  async function leave(customer: Customer): Promise<void> {
    await revoke(customer);
    await anonymise(customer);
  }

  /** Removes a customer from a list. */
  async function withdraw({ ir }: Customer, list: string): Promise<void> {
    const [record] = await rowsOf<{ id: string }>(
      register.databaseUrl,
      'select id from identity.identity_record where ref = $1',
      [ir],
    );
    const written = JSON.parse(await readFile(list, 'utf8')) as { anonymised: Record<string, string> };
    const { [record?.id ?? '']: instant, ...others } = written.anonymised;
    expect(instant).toBeDefined();
    await writeFile(list, JSON.stringify({ ...written, anonymised: others }));
  }

  it('that was killed prevents services and backups from starting', async () => {
    const killed = runOperatorCommand('commands/backup/backup', ['restore', root], environmentFor(url));
    const blocker = await ownerOf(url);
    await until(
      async () =>
        (await rowsOf(url, `select where to_regclass('access.access_record') is not null`)).length || undefined,
      60_000,
    );
    await blocker.query('begin; lock table access.access_record in share mode');
    await until(async () => (await rowsOf(url, `select from pg_locks where not granted`)).length || undefined);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await blocker.query('rollback');

    const service = spawnRegisterProcess({ ...environmentFor(url), SERVICES: 'access' });
    expect(await service.ended).toBe(1);
    expect(service.output()).toContain('the restore of this database has not completed');
    await expect(takeBackup(url, root, 7)).rejects.toThrow('the restore of this database has not completed');
  });

  it('is rejected with other keys', async () => {
    const others = { ...environmentFor(url), ...(await newKeyVariables()) };
    expect(await runOperatorCommand('commands/backup/backup', ['restore', root], others).ended).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/ACCESS_HASH_KEY.*IDENTITY_HASH_KEY.*differs from the key/),
    });
  });

  it('fails if the database of --also-from cannot be read', async () => {
    expect(await restoreInto(url, '--also-from', 'postgres://nobody@127.0.0.1:1/none')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('--also-from: the list of this database cannot be read'),
    });
  });

  it('starts over and anonymises the records listed in any source again, and revokes their ACTIVE access records', async () => {
    const done = await restoreInto(url, '--also-from', register.databaseUrl);
    expect(done).toMatchObject(outcome(3, 0, 3));
    const standings = [...gone(), kept as Customer].map((customer) => standing(url, customer));
    expect(await Promise.all(standings)).toEqual([GONE, GONE, GONE, LIVE]);
    const instants = `select anonymised_at as at from identity.identity_record where ref = any($1) order by ref`;
    expect(await rowsOf(url, instants, [goneRefs()])).toEqual(
      await rowsOf(register.databaseUrl, instants, [goneRefs()]),
    );
    const transitions = await rowsOf(
      url,
      `select from_state, to_state, cause, account_id from access.access_record_transition where number = 2 and account_id = 'restore'`,
    );
    const transition = { from_state: 'ACTIVE', to_state: 'REVOKED', cause: 'revoked', account_id: 'restore' };
    expect(transitions).toEqual([transition, transition, transition]);
    expect(done.printed).toContain(`rows were restored from ${first?.register} and ${second?.dataKeys}`); // both are complete backups
  });

  it('does not change a database that is not empty', async () => {
    const unserved = await dropped(databaseCopy((await templateOf('filled')).database));
    const before = await contents(unserved, await backedUpTables());
    expect(await rejection(unserved)).toContain('the database is not empty');
    expect(await contents(unserved, await backedUpTables())).toEqual(before);
  });

  it('is rejected without any list', async () => {
    const lists = (await filesBelow(root)).filter((file) => basename(file) === 'anonymised.json');
    expect(lists).toHaveLength(4);
    const texts = await Promise.all(lists.map((list) => readFile(list)));
    await Promise.all(lists.map((list) => rm(list)));
    expect(await rejection()).toContain('has no list of anonymised records');
    await Promise.all(lists.map((list, index) => writeFile(list, texts[index] as Buffer)));
  });

  it('rejects a damaged backup', async () => {
    await writeFile(join(String(first?.register), 'access.account.copy'), 'x', { flag: 'a' });
    expect(await rejection()).toContain('access.account.copy is damaged');
  });
});

describe('The backup commands', () => {
  beforeAll(newRoot);

  it('report invalid settings', async () => {
    const { code, printed } = await runOperatorCommand('commands/backup/backup', ['backup', root], {
      DATA_KEYS_KEPT_DAYS: '-1',
    }).ended;
    expect([code, printed]).toEqual([1, expect.stringContaining('DATA_KEYS_KEPT_DAYS: must be 0 or more')]);
    const production = { NODE_ENV: 'production', DATA_DIR: join(root, 'data') };
    for (const command of ['backup', 'restore']) {
      const response = await runOperatorCommand('commands/backup/backup', [command, root], production).ended;
      expect([response.code, response.printed]).toEqual([1, expect.stringContaining('DATABASE_URL: missing')]);
    }
    expect(await readdir(root)).toEqual([]);
  });
});

describe('The embedded database', () => {
  beforeEach(newRoot);

  it('is not created for a backup', async () => {
    const dataDir = join(root, 'data');
    for (const more of [[], ['--list-only']]) {
      const words = ['backup', join(root, 'backups'), ...more];
      const { code, printed } = await runOperatorCommand('commands/backup/backup', words, { DATA_DIR: dataDir }).ended;
      expect([code, printed]).toEqual([1, expect.stringMatching(/there is no database: DATABASE_URL names none/)]);
    }
    expect(await readdir(root)).toEqual([]);
  });

  it('is restored while it is stopped, without data keys on request only, and is backed up while it runs', async () => {
    await rm((await backUp()).dataKeys, { recursive: true });
    expect(await rejection()).toContain('no complete backup of data keys');
    const dataDir = await mkdtemp(join(tmpdir(), 'register-data-'));
    const environment = { DATA_DIR: dataDir };
    try {
      await cp(join(register.dataDir, 'keys.json'), join(dataDir, 'keys.json'));
      const words = ['restore', root, '--without-data-keys'];
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
        const second = ['backup', join(root, 'second')];
        const done = await runOperatorCommand('commands/backup/backup', second, environment).ended;
        expect(done).toMatchObject({ code: 0, printed: expect.stringContaining('rows of the register are in') });
        expect(await readdir(join(root, 'second', 'register'))).toHaveLength(1);
      } finally {
        await postgres.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
