import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession } from '../../../commands/backup/session';
import { writeWhole } from '../../../commands/backup/stored-files';
import { takeBackup } from '../../../commands/backup/take-backup';
import { ADVISORY_LOCKS } from '../../../subgraphs/server/database/advisory-locks';
import { rowsOf } from '../../support/backup-fixture';
import {
  type ControlledPostgres,
  type FreshDatabase,
  controlledPostgres,
  databaseCopy,
  freshDatabase,
} from '../../support/postgres';
import { runOperatorCommand } from '../../support/operator-command';
import { templateOf } from '../../support/run/keeper-client';
import { newServiceLogins, runMigrationJob } from '../../support/service-logins';
import { until } from '../../support/until';

jest.setTimeout(180_000);

/** Time after which PostgreSQL ends a stopped command in these tests, instead of minutes. */
const SHORT_MS = 1_000;

/** Errors of a session that PostgreSQL has ended. */
const ENDED = /ECONNRESET|EPIPE|terminat|not queryable/;

let database: FreshDatabase;
let root: string;
let holder: Client;
beforeAll(async () => {
  database = await databaseCopy((await templateOf('filled')).database); // a register of its own: the tests count its sessions
  holder = new Client({ connectionString: database.url });
  await holder.connect();
});
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'register-stopped-'))));
afterEach(() => rm(root, { recursive: true, force: true }));
afterAll(async () => {
  await holder?.end();
  await database?.drop();
});

const listOf = (url: string) =>
  runOperatorCommand('commands/backup/backup', ['backup', root, '--list-only'], { DATABASE_URL: url }).ended;

/** Returns the rows of pg_stat_activity of other sessions of the database that satisfy a condition. */
const sessions = async (condition: string) =>
  (
    await holder.query(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and backend_type = 'client backend' and ${condition}`,
    )
  ).rows;
const untilNone = (condition: string) =>
  until(async () => ((await sessions(condition)).length === 0 ? true : undefined));
const untilOne = (condition: string) =>
  until(async () => ((await sessions(condition)).length === 1 ? true : undefined));

describe('PostgreSQL ends the session of a backup', () => {
  it('that reads no more rows of a table, because its disk or its process stopped: its snapshot ends', async () => {
    let hasEnded = false;
    const failed = inSession(database.url, { idleTransactionMs: SHORT_MS }, async (session) => {
      await session.query('begin');
      const rows = session.query(copyTo(`copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout`));
      const error = new Promise((resolve) => void rows.once('error', resolve));
      await untilOne(`wait_event = 'ClientWrite'`);
      await untilNone(`wait_event = 'ClientWrite'`);
      hasEnded = true;
      rows.resume(); // the disk continues
      throw await error;
    });
    await expect(failed).rejects.toThrow(ENDED);
    expect([hasEnded, await sessions('true')]).toEqual([true, []]);
  });

  it('that is idle while it holds the lock of the list, so that other runs continue', async () => {
    let hasEnded = false;
    const failed = inSession(database.url, { idleSessionMs: SHORT_MS }, async (session) => {
      await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.anonymisedList]);
      await untilNone('true');
      hasEnded = true;
      await session.query('select');
    });
    await expect(failed).rejects.toThrow(ENDED);
    expect(hasEnded).toBe(true);
    expect(await listOf(database.url)).toMatchObject({ code: 0, printed: expect.stringContaining(' are in the list') });
  });
});

describe('A list whose writing stopped', () => {
  it('lets a backup wait without a snapshot, and fail after its limit with the session that holds the lock', async () => {
    await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.anonymisedList]);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    let ended: string | undefined;
    const backup = takeBackup(database.url, root, 7, SHORT_MS).then(
      () => (ended = 'it was taken'),
      ({ message }: Error) => (ended = message),
    );
    await until(async () => {
      const waiting = await sessions(`backend_xmin is not null and (state <> 'active' or wait_event = 'advisory')`);
      expect(waiting).toEqual([]);
      return ended;
    });
    await holder.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.anonymisedList]);
    expect(await backup).toMatch(`(session ${rows[0]?.pid} of PostgreSQL): nothing was backed up`);
    expect(await readdir(root)).toEqual([]);
  });

  it('and continues after another run has replaced the file changes nothing', async () => {
    const path = join(root, 'anonymised.json');
    let other: Promise<void> | undefined;
    let isReplaced = false;
    function* stopping() {
      yield '{"of": "the stopped run"';
      other = writeWhole(path, ['{"of": "the other run"}']).then(() => void (isReplaced = true));
      while (!isReplaced) yield ' ';
      yield '}';
    }
    await expect(writeWhole(path, stopping())).rejects.toThrow(`${path} cannot be written: ENOENT`);
    await other;
    expect(await readFile(path, 'utf8')).toBe('{"of": "the other run"}');
    expect(await readdir(root)).toEqual(['anonymised.json']);
  });

  it('leaves a file that the next run deletes', async () => {
    await writeFile(join(root, 'anonymised.json.0d4f.new'), '{');
    expect(await listOf(database.url)).toMatchObject({ code: 0 });
    expect(await readdir(root)).toEqual(['anonymised.json']);
  });
});

describe('A restore', () => {
  it('prints that it waits while another process migrates the database, and then continues', async () => {
    const empty = await freshDatabase();
    const migrating = new Client({ connectionString: empty.url });
    try {
      await takeBackup(database.url, root, 7);
      await migrating.connect();
      await migrating.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
      const environment = { DATABASE_URL: empty.url, DATA_DIR: root };
      const { child, ended } = runOperatorCommand('commands/backup/backup', ['restore', root], environment);
      let printed = '';
      child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await until(() => printed.includes('a restore waits for a migration of this database') || undefined);
      await migrating.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
      // The register of the template has other keys than those of the folder: the restore continues to their comparison.
      expect(await ended).toMatchObject({ code: 1, printed: expect.stringContaining('differs from the key of the') });
    } finally {
      await migrating.end();
      await empty.drop();
    }
  });
});

describe('A backup and a list', () => {
  let primary: ControlledPostgres;
  let standby: ControlledPostgres;
  beforeAll(async () => {
    primary = await controlledPostgres();
    expect(await runMigrationJob(primary.url, newServiceLogins(primary.url))).toMatchObject({ code: 0 });
    standby = await primary.standby();
  });
  afterAll(() => Promise.all([primary?.remove(), standby?.remove()]));

  it('are not taken of a standby, which may lack the latest erasures', async () => {
    const reason = 'this database is a standby';
    expect(await listOf(standby.url)).toMatchObject({ code: 1, printed: expect.stringContaining(reason) });
    await expect(takeBackup(standby.url, root, 7)).rejects.toThrow(reason);
    expect(await readdir(root)).toEqual([]);
    expect(await listOf(primary.url)).toMatchObject({ code: 0 });
  });

  it('are not taken of another register than that of the backups in the folder, also while a manifest is damaged', async () => {
    const { register } = await takeBackup(database.url, root, 7);
    const before = await readFile(join(root, 'anonymised.json'), 'utf8');
    const reason = `this register has other keys than that of ${register}`;
    const other = await databaseCopy((await templateOf('filled')).database);
    try {
      await rowsOf(other.url, `update access.key_check set hash = '\\x00' where variable = 'ACCESS_HASH_KEY'`);
      expect(await listOf(other.url)).toMatchObject({ code: 1, printed: expect.stringContaining(reason) });
      await expect(takeBackup(other.url, root, 7)).rejects.toThrow(reason);
    } finally {
      await other.drop();
    }
    expect(await readFile(join(root, 'anonymised.json'), 'utf8')).toBe(before);
    await writeFile(join(register, 'manifest.json'), '{');
    expect(await listOf(database.url)).toMatchObject({ code: 0 });
  });
});
