import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { takeList } from '../../../commands/backup/anonymised-list';
import { takeBackup } from '../../../commands/backup/take-backup';
import { restoredSubgraphs } from '../../../commands/backup/restored-subgraphs';
import { SUBGRAPHS } from '../../../process/settings/keys';
import { sandboxKeyVariables, sandboxedSettings } from '../../../sandbox/keys';
import { fingerprintOf } from '../../../subgraphs/server/audit/audit.repository';
import { migrate } from '../../../subgraphs/server/database/migrate';
import { eventCursor, eventPosition } from '../../../subgraphs/server/event-log/event-cursor';
import { GONE, LIVE, followed, rowsOf, standing } from '../../support/backup-fixture';
import {
  type Customer,
  type DataUser,
  anonymise,
  customerToken,
  newCustomer,
  newDataUser,
} from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { runOperatorCommand } from '../../support/operator-command';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { until } from '../../support/until';

/** Milliseconds for starts of registers, also on a busy machine. */
jest.setTimeout(240_000);

const REPORT = 'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { isNew } }';
const TARIFFS = 'query { tariffs(first: 1) { nodes { tariffId } } }';
const ASSIGN = `mutation ($mpxn: String!, $tariffId: String!, $at: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $at) { recordedAt } }`;
const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { recordedAt } }';
const ERASE = 'mutation ($mpxn: String!) { eraseEndedOccupancies(mpxn: $mpxn) { erased retained } }';
const KEYS = `select (select count(*) from identity_keys.occupancy_key)::int as identity,
  (select count(*) from tariffs_keys.occupancy_key)::int as tariffs`;

let register: TestRegister;
let dataUser: DataUser;
let environment: Record<string, string>;
let root: string;
let before: FreshDatabase;
let [gone, closed, kept, provisional]: Customer[] = [];

/** Prepares a database from before customers were anonymised, as of a lagging standby or a rewound server. */
beforeAll(async () => {
  register = await startTestRegister('one process'); // its own register, because the commands read and change all of it
  root = await mkdtemp(join(tmpdir(), 'register-reanonymise-'));
  environment = { ...sandboxKeyVariables(register.dataDir), DATA_DIR: register.dataDir };
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  [gone, closed, kept] = [await newCustomer(dataUser), await newCustomer(dataUser), await newCustomer(dataUser)];
  const [admin, operator] = [await graphAs(register, 'admin'), await graphAs(register, 'communications_operator')];
  provisional = await newCustomer(dataUser);
  for (const { mpxn } of [gone, kept]) await sighting(operator, mpxn);
  const occupied = await newOccupied(admin, '1987654320');
  await end(admin, occupied);
  const endedLater = await newOccupied(admin, '1987654338');
  await takeBackup(register.databaseUrl, root, 7);
  before = await freshDatabase();
  expect(await command('restore', root)).toMatchObject({ code: 0 });
  await dataUser.rest('DELETE', `/v1/access-records/${gone.key}`);
  await anonymise(register, dataUser, gone.ir);
  await rowsOf(
    register.databaseUrl,
    'update identity.identity_record set closing_at = now(), closed_at = now() where ref = $1',
    [closed.ir],
  );
  await end(admin, endedLater);
  for (const mpxn of [occupied, endedLater])
    expect((await admin(ERASE, { mpxn })).data.eraseEndedOccupancies).toEqual({ erased: 1, retained: 0 });
  await takeList(register.databaseUrl, root);
});
afterAll(async () => {
  await register?.close();
  await before?.drop();
  await rm(root, { recursive: true, force: true });
});

const command = (name: string, ...words: string[]) =>
  runOperatorCommand('commands/backup/backup', [name, ...words], { ...environment, DATABASE_URL: before.url }).ended;
const reanonymise = (folder = root) => command('reanonymise', '--list', folder);
const inProduction = () =>
  runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', root], {
    ...{ ...environment, NODE_ENV: 'production', DATABASE_URL: before.url, MPXN_PROFILE: 'spec' },
    ...{ BASE_URL: 'https://register.example/v1', PORTAL_URL: 'https://portal.example' },
    SMTP_URL: 'smtps://mail.example',
  }).ended;

async function sighting(operator: Graph, mpxn: string): Promise<void> {
  const input = {
    ...{ mpxn, organisationName: 'Gadwall Analytics', organisationReference: `ORG-${randomInt(1e9)}` },
    ...{ firstSeen: '2026-03-01', dataTypesObserved: ['HH_CONSUMPTION'], sourceReference: 'REPORT-1' },
  };
  expect(failuresOf(await operator(REPORT, { input }))).toEqual([]);
}

/** Assigns a tariff to a meter point; returns its MPxN. */
async function newOccupied(admin: Graph, mpxn: string): Promise<string> {
  const { tariffId } = (await admin(TARIFFS)).data.tariffs.nodes[0];
  expect(failuresOf(await admin(ASSIGN, { mpxn, tariffId, at: new Date().toISOString() }))).toEqual([]);
  return mpxn;
}

async function end(admin: Graph, mpxn: string): Promise<void> {
  expect(failuresOf(await admin(END, { mpxn, at: new Date().toISOString() }))).toEqual([]);
}

/** Whether a record is closed in both subgraphs, so that `access` also rejects links of registrations that were admitted before. */
const isClosed = async ({ ir }: Customer) => {
  const text = `select closed_at is not null and closing_at is not null
      and exists (select from access.delayed_closing where identity_record_id = id) as closed
    from identity.identity_record where ref = $1`;
  return (await rowsOf<{ closed: boolean }>(before.url, text, [ir]))[0]?.closed;
};

/** Matches the result of a command that completes. */
const outcome = (again: number, revoked: number, closedAgain: number, erased: number) => ({
  code: 0,
  printed: expect.stringMatching(
    new RegExp(
      `${again} identity records were anonymised again\\n0 .*\\n${revoked} ACTIVE .*\\n${closedAgain} identity records were closed again.*\\n` +
        `${erased} keys of MPxNs were destroyed again`,
    ),
  ),
});

describe('The command that anonymises again', () => {
  it('changes nothing without a list, with invalid arguments, or while a restore is incomplete', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'register-no-list-'));
    expect(await reanonymise(empty)).toMatchObject({
      code: 1,
      printed: expect.stringContaining('has no list of anonymised'),
    });
    for (const [words, fault] of [
      [[], '--list: is missing'],
      [[root], '--list: is missing'],
      [['--list', root, root], `${root}: is not expected`],
      [['--list-only'], '--list-only: is not an option of this command'],
    ] as const) {
      const printed = expect.stringMatching(new RegExp(`^${fault}\\n[^]*usage: `));
      expect(await command('reanonymise', ...words)).toMatchObject({ code: 1, printed });
    }
    await rowsOf(before.url, 'create table register.restore_in_progress ()');
    expect(await reanonymise()).toMatchObject({ code: 1, printed: expect.stringContaining('has not completed') });
    await rowsOf(before.url, 'drop table register.restore_in_progress');
    expect(await standing(before.url, gone as Customer)).toEqual(LIVE);
    await rm(empty, { recursive: true });
  });

  it('runs no pending migration in production, where only the migration job grants the rights that the services then need', async () => {
    const rename = (sql: string) => rowsOf(before.url, `update tariffs.migration set name = ${sql}`);
    await rename("name || '_' where name like 'TariffOutbox%'");
    const printed = expect.stringMatching(/^1 migrations of tariffs have not been applied; run the migration job/);
    expect(await inProduction()).toMatchObject({ code: 1, printed });
    expect(await standing(before.url, gone as Customer)).toEqual(LIVE);
    await rename("rtrim(name, '_')");
  });

  it('creates nothing in a database without a register', async () => {
    const other = await freshDatabase();
    try {
      const run = runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', root], {
        ...environment,
        DATABASE_URL: other.url,
      });
      expect(await run.ended).toMatchObject({ code: 1, printed: expect.stringContaining('has no register') });
      const made = `select from pg_namespace where nspname in ('access', 'identity', 'tariffs')`;
      expect(await rowsOf(other.url, made)).toEqual([]);
    } finally {
      await other.drop();
    }
  });

  it('anonymises, closes and erases what the lists contain, in both subgraphs, once', async () => {
    const [keys] = await rowsOf<{ identity: number; tariffs: number }>(before.url, KEYS);
    expect([await standing(before.url, gone as Customer), await isClosed(closed as Customer)]).toEqual([LIVE, false]);
    expect(await reanonymise()).toMatchObject(outcome(1, 1, 1, 2));
    const standings = await Promise.all([gone, kept].map((customer) => standing(before.url, customer as Customer)));
    expect(standings).toEqual([GONE, LIVE]);
    expect([await isClosed(closed as Customer), await isClosed(kept as Customer)]).toEqual([true, false]);
    const erasures = [
      { subject: gone, to: 'anonymised' },
      { subject: closed, to: 'closed' },
    ].map(({ subject, to }) => ({
      ...{ actor: 'restore', action: 'anonymise-identity-record', subject: fingerprintOf((subject as Customer).ir) },
      detail: { from: { state: 'open' }, to: { state: to } },
    }));
    const audit = `select actor, action, subject, detail from identity.audit_entry where actor = 'restore'
      order by detail -> 'to' ->> 'state'`;
    expect(await rowsOf(before.url, audit)).toEqual(erasures);
    expect(await rowsOf(before.url, KEYS)).toEqual([
      { identity: (keys?.identity ?? 0) - 1, tariffs: (keys?.tariffs ?? 0) - 1 },
    ]);
    expect(await Promise.all([reanonymise(), reanonymise()])).toMatchObject([outcome(0, 0, 0, 0), outcome(0, 0, 0, 0)]);
    expect(await rowsOf(before.url, audit)).toEqual(erasures);
  });

  it('closes a record that was provisional in the backup', async () => {
    const { ir } = provisional as Customer;
    await rowsOf(
      before.url,
      `begin;
       set local session_replication_role = replica;
       insert into identity.provisional_identity_record (id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed)
         select id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed from identity.identity_record where ref = '${ir}';
       delete from identity.identity_record where ref = '${ir}';
       commit`,
    );
    const [row] = await rowsOf<{ id: string }>(
      before.url,
      'select id from identity.provisional_identity_record where ref = $1',
      [ir],
    );
    const folder = await mkdtemp(join(tmpdir(), 'register-closed-list-'));
    const list = { format: 2, closed: { [String(row?.id)]: '2026-11-01T00:00:00.000Z' } };
    await writeFile(join(folder, 'anonymised.json'), JSON.stringify(list));
    expect(await reanonymise(folder)).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^1 identity records were closed again/m),
    });
    expect(await isClosed(provisional as Customer)).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('requests the erasure of an MPxN whose occupancy ended after the backup, and reports that its key is still used', async () => {
    const printed = expect.stringMatching(/^1 keys of MPxNs whose erasure was requested are still used: /m);
    expect(await reanonymise()).toMatchObject({ code: 0, printed });
    const requested = 'select from tariffs_keys.occupancy_key join tariffs.occupancy_erasure on key_id = id';
    expect(await rowsOf(before.url, requested)).toHaveLength(1);
  });

  it('creates no login in the database, also in production, nor did the restore before it', async () => {
    expect(await inProduction()).toMatchObject(outcome(0, 0, 0, 0));
    const logins = "select rolname from pg_roles where strpos(rolname, '_' || current_database() || '_') > 0";
    expect(await rowsOf(before.url, logins)).toEqual([]);
  });

  it('accepts a list of the previous release, while the register runs', async () => {
    const later = await newCustomer(dataUser);
    const [record] = await rowsOf<{ id: string }>(
      register.databaseUrl,
      'select id from identity.identity_record where ref = $1',
      [later.ir],
    );
    const folder = await mkdtemp(join(tmpdir(), 'register-old-list-'));
    await writeFile(
      join(folder, 'anonymised.json'),
      JSON.stringify({ [String(record?.id)]: '2026-11-01T00:00:00.000Z' }),
    );
    const run = runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', folder], {
      ...environment,
      DATABASE_URL: register.databaseUrl,
    });
    expect(await run.ended).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^1 identity records were anonymised again/),
    });
    expect(await standing(register.databaseUrl, later)).toEqual(GONE);
    expect((await dataUser.rest('GET', `/v1/identity-records/${later.ir}`)).body['identity-record']).toMatchObject({
      'pii-principal': null,
      'anonymised-at': '2026-11-01T00:00:00.000Z',
    });
    await takeList(register.databaseUrl, folder);
    const list = JSON.parse(await readFile(join(folder, 'anonymised.json'), 'utf8'));
    expect(Object.keys(list)).toEqual(['format', 'anonymised', 'closed', 'occupancyKeys']);
    await rm(folder, { recursive: true });
  });
});

describe('A registration during the command', () => {
  it('waits until its Identity Record is anonymised, and is rejected', async () => {
    const customer = await newCustomer(dataUser);
    const [folder, blocker] = [await mkdtemp(join(tmpdir(), 'register-one-listed-')), new Client(register.databaseUrl)];
    await blocker.connect();
    const waiting = (count: number) =>
      until(async () => {
        const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return (await rowsOf(register.databaseUrl, text)).length >= count ? true : undefined;
      });
    try {
      await blocker.query('begin');
      const held = 'select id from identity.identity_record where ref = $1 for no key update';
      const [record] = (await blocker.query<{ id: string }>(held, [customer.ir])).rows;
      const list = { [String(record?.id)]: '2026-11-01T00:00:00.000Z' };
      await writeFile(join(folder, 'anonymised.json'), JSON.stringify(list));
      const run = runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', folder], {
        ...environment,
        DATABASE_URL: register.databaseUrl,
      });
      await waiting(1); // the command has ended the ACTIVE access records, and has not committed
      const registered = dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir));
      await Promise.race([registered, waiting(2)]);
      await blocker.query('rollback');
      const { status, body } = await registered;
      expect([status, body.errors?.[0]['error-code']]).toEqual([409, 'CNF003']);
      expect((await run.ended).printed).toMatch(
        /^1 identity .*\n0 .*\n1 ACTIVE access records linked to them were revoked/,
      );
      expect(await standing(register.databaseUrl, customer)).toEqual(GONE);
    } finally {
      await blocker.end();
      await rm(folder, { recursive: true });
    }
  });
});

describe('A session that a rewound server revives', () => {
  it('ends with `--end-sessions` only', async () => {
    const customer = await newCustomer(dataUser);
    const token = await customerToken(register, customer);
    const isOpen = async () => failuresOf(await graphOf(register, token)('{ customerSession { mpxn } }')).length === 0;
    expect(failuresOf(await graphOf(register, token)('mutation { endCustomerSession }'))).toEqual([]);
    expect(await isOpen()).toBe(false);
    await rowsOf(register.databaseUrl, 'update identity.customer_session set ended_at = null');
    expect(await isOpen()).toBe(true);
    const body = { mpxn: customer.mpxn, method: 'magic-link' };
    const reidentified = async () =>
      (await dataUser.rest('POST', '/v1/identity-records/reidentify', body, { 'idempotency-key': customer.mpxn })).body[
        'magic-link'
      ]['token-ref'];
    const first = await reidentified();
    const on = { ...environment, DATABASE_URL: register.databaseUrl };
    const run = (...words: string[]) =>
      runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', root, ...words], on).ended;
    expect(await run()).toMatchObject({ code: 0, printed: expect.not.stringContaining('were ended') });
    expect([await isOpen(), await reidentified()]).toEqual([true, first]);
    const printed = expect.stringMatching(/^[1-9]\d* sessions, links, re-identifications and aliases were ended$/m);
    expect(await run('--end-sessions')).toMatchObject({ code: 0, printed });
    expect(await isOpen()).toBe(false);
    const second = await reidentified();
    expect(second).not.toBe(first);
    const { body: status } = await dataUser.rest('GET', `/v1/identity-records/reidentify/${second}`);
    expect(status['status']).toBe('pending');
  });
});

describe('A cursor of an event that a snapshot of the server does not contain', () => {
  it('skips no later event after the command with `--end-sessions`, although the server continues its timeline', async () => {
    const admin = await graphAs(register, 'admin');
    const [era, tx, position] = eventPosition((await followed(admin, null)).at(-1)?.cursor as string);
    const lost = eventCursor({ era, tx: String(BigInt(tx) + 1_000_000n), position });
    const on = { ...environment, DATABASE_URL: register.databaseUrl };
    const run = (...words: string[]) =>
      runOperatorCommand('commands/backup/backup', ['reanonymise', '--list', root, ...words], on).ended;
    const epochs = async () => {
      const text = 'select array[access.event_era(), tariffs.event_era()]::float8[] as epochs';
      return (await rowsOf<{ epochs: number[] }>(register.databaseUrl, text))[0]?.epochs as [number, number];
    };
    const former = await epochs();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await epochs()).toEqual(former);
    expect(await run('--end-sessions')).toMatchObject({ code: 0 });
    const [ofAccess, ofTariffs] = await epochs();
    expect([ofAccess > former[0], ofTariffs > former[1]]).toEqual([true, true]);
    await newCustomer(dataUser);
    const next = await until(async () => {
      const events = await followed(admin, lost);
      return events.some(({ type }) => type === 'ACCESS_REGISTERED') ? events : undefined;
    });
    expect(next[0]).toMatchObject({ type: 'ACCESS_REGISTERED' });
  });
});

/** Migrations before the one from which MPxNs are encrypted under keys of occupancies. */
function beforeOccupancyKeys<Migration extends { readonly name: string }>(migrations: readonly Migration[]) {
  const keyed = migrations.findIndex(({ name }) => name.includes('OccupancyKeys'));
  return keyed < 0 ? migrations : migrations.slice(0, keyed);
}

describe('A restore of a backup from before keys of occupancies', () => {
  it('migrates the tables, and restores the rows unchanged', async () => {
    const [old, fresh] = [await freshDatabase(), await freshDatabase()];
    const folder = await mkdtemp(join(tmpdir(), 'register-old-backup-'));
    try {
      const { keys } = await sandboxedSettings({ ...environment, SERVICES: SUBGRAPHS.join(',') });
      for (const { address, tables, keys: named } of restoredSubgraphs(keys, old.url)) {
        const migrations = beforeOccupancyKeys(tables.migrations);
        await migrate(address, { migrations, rights: () => '' }, undefined, named);
      }
      await rowsOf(
        old.url,
        `insert into identity.change_of_tenancy (mpxn_index, effective_date, reference_hash, sealed) values (sha256('a'), '2026-01-01', sha256('b'), '\\x01')`,
      );
      await rowsOf(old.url, `insert into tariffs.meter_point (mpxn_hash, mpxn_sealed) values (sha256('c'), '\\x02')`);
      await takeBackup(old.url, folder, 7);
      const run = runOperatorCommand('commands/backup/backup', ['restore', folder], {
        ...environment,
        DATABASE_URL: fresh.url,
      });
      expect(await run.ended).toMatchObject(outcome(0, 0, 0, 0));
      const rows = `select (select string_agg(sealed::text || (key_id is null), '') from identity.change_of_tenancy) as changes,
        (select string_agg(mpxn_sealed::text, '') from tariffs.meter_point) as points, (select count(*)::int from tariffs_keys.occupancy_key) as keys`;
      expect(await rowsOf(fresh.url, rows)).toEqual([{ changes: '\\x01true', points: '\\x02', keys: 0 }]);
    } finally {
      await Promise.all([old.drop(), fresh.drop(), rm(folder, { recursive: true, force: true })]);
    }
  });
});

describe('A restore of a backup after which a record was closed and MPxNs were erased', () => {
  it('closes and erases again', async () => {
    await before.drop();
    before = await freshDatabase();
    expect(await command('restore', root)).toMatchObject(outcome(1, 1, 1, 2));
    expect([await isClosed(closed as Customer), await isClosed(kept as Customer)]).toEqual([true, false]);
  });
});
