import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  checkOutBelow,
  kill9,
  livingProcesses,
  openLauncherFixture,
  processesOf,
  stillLiving,
  type LauncherFixture,
} from '../../support/launcher-fixture';
import { freshDatabase } from '../../support/postgres';
import { until } from '../../support/until';

const UNPRIVILEGED_UID = 65534;
const describeForRoot = process.getuid?.() === 0 ? describe : describe.skip;
const log = { warn: jest.fn(), error: jest.fn() };

let firstFixture: LauncherFixture;
let fixture: LauncherFixture;
let dataDir: string;

/** Results of the first start of a DATA_DIR, after an interrupted one, and of the second start. */
let firstStart: { readonly url: string; readonly passwordMode: number; readonly found: unknown };

beforeAll(async () => {
  firstFixture = await openLauncherFixture(log);
  const firstData = join(firstFixture.path, 'data');
  await mkdir(join(firstData, 'postgres.new', 'base'), { recursive: true });
  const server = await firstFixture.launch(firstData);
  const passwordMode = (await stat(join(firstData, 'postgres.password'))).mode & 0o777;
  await storeRow(server.url);
  await server.stop();
  const again = await firstFixture.launch(firstData);
  firstStart = { url: server.url, passwordMode, found: await readRow(again.url) };
  await query(again.url, 'drop table kept');
  await again.stop();
  expect(log.error).not.toHaveBeenCalled();
});

afterAll(() => firstFixture.close());

beforeEach(async () => {
  jest.clearAllMocks();
  fixture = await openLauncherFixture(log);
  dataDir = join(fixture.path, 'data');
});

afterEach(() => fixture.close());

/** Copies a DATA_DIR after its first start, because the first start takes most of the time of a test. */
function copyStartedDataDir(): void {
  execFileSync('cp', ['-Rp', join(firstFixture.path, 'data'), dataDir]);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const storeRow = (url: string) => query(url, 'create table kept as select 42 as answer');
const readRow = (url: string) => query(url, 'select answer from kept');

describe('The embedded PostgreSQL', () => {
  it('creates the database of the register at the first start, and its data survive a restart', () => {
    expect(firstStart).toEqual({
      url: expect.stringMatching(/^postgres:\/\/register:[\w-]{32}@127\.0\.0\.1:\d+\/register$/),
      passwordMode: 0o600,
      found: [{ answer: 42 }],
    });
  });

  it('commits durably, listens on loopback only, requires the password, and leaves no process after repeated stops', async () => {
    copyStartedDataDir();
    const server = await fixture.launch(dataDir);
    const { url, pid } = server;
    const setting = (name: string) => query(url, `show ${name}`).then(([row]) => row?.[name]);
    expect(await setting('fsync')).toBe('on');
    expect(await setting('synchronous_commit')).toBe('on');
    expect(await setting('listen_addresses')).toBe('127.0.0.1');
    expect(await setting('unix_socket_directories')).toBe('');
    expect(await setting('server_encoding')).toBe('UTF8');
    await expect(query(url.replace(/register:[^@]+/, 'register:guessed'), 'select 1')).rejects.toMatchObject({
      code: '28P01',
    });
    expect(livingProcesses().find((process) => process.pid === pid)?.user).not.toBe('root');

    const processes = processesOf(dataDir);
    expect(processes.map((each) => each.pid)).toContain(pid);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(stillLiving(processes)).toEqual([]);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('throws an error with the remedy if another version created its data', async () => {
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    await expect(fixture.launch(dataDir)).rejects.toThrow(
      /created by PostgreSQL 14, this is PostgreSQL \d+\. Delete DATA_DIR/,
    );
  });
});

describe('The embedded PostgreSQL, when its instance ends,', () => {
  it('leaves no process when the instance receives SIGINT twice, as under npm', async () => {
    copyStartedDataDir();
    const instance = await fixture.launchInstance(dataDir);
    const processes = processesOf(dataDir);
    const exit = once(instance.process, 'exit');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(stillLiving(processes)).toEqual([]);
  });

  it('also ends when the instance is killed, and starts again', async () => {
    copyStartedDataDir();
    const instance = await fixture.launchInstance(dataDir);
    await storeRow(instance.report.url);
    const processes = processesOf(dataDir);
    await kill9(instance.process);
    await until(() => stillLiving(processes).length === 0 || undefined);
    expect(await readRow((await fixture.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });

  it('is stopped by the next start if it survived both the instance and the watchdog', async () => {
    copyStartedDataDir();
    const instance = await fixture.launchInstance(dataDir);
    const { url, pid: orphan } = instance.report;
    await storeRow(url);
    const watchdog = processesOf(dataDir).find(({ pid, parent }) => pid !== orphan && parent !== orphan);
    process.kill(watchdog!.pid, 'SIGKILL');
    await kill9(instance.process);
    expect(stillLiving([{ pid: orphan }])).toEqual([orphan]);
    const next = await fixture.launch(dataDir);
    expect(stillLiving([{ pid: orphan }])).toEqual([]);
    expect(log.warn).toHaveBeenCalledWith({ pid: orphan }, expect.any(String));
    expect(await readRow(next.url)).toEqual([{ answer: 42 }]);
  });

  it('recovers committed data when it is killed together with the instance', async () => {
    copyStartedDataDir();
    const instance = await fixture.launchInstance(dataDir);
    await storeRow(instance.report.url);
    process.kill(instance.report.pid, 'SIGKILL');
    await kill9(instance.process);
    expect(await readRow((await fixture.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });
});

describe('A DATA_DIR', () => {
  it('rejects a second instance, which does not affect the first', async () => {
    copyStartedDataDir();
    const first = await fixture.launch(dataDir);
    const second = await fixture.launchInstance(dataDir);
    expect(second.report.error).toContain(`Another instance (process ${process.pid}) runs on`);
    await expect(fixture.launch(dataDir)).rejects.toThrow(`Another instance (process ${process.pid})`);
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    expect((await fixture.launch(dataDir)).pid).not.toBe(first.pid);
  });

  it('admits one of several instances that start at the same time after a kill', async () => {
    copyStartedDataDir();
    await writeFile(join(dataDir, 'postgres.owner'), '1 1');
    const started = await Promise.all([1, 2, 3].map(() => fixture.launchInstance(dataDir)));
    const [running, ...others] = started.filter(({ report }) => !report.error);
    expect(others).toEqual([]);
    expect(await query(running!.report.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('may contain the files of an earlier container', async () => {
    copyStartedDataDir();
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const foreign = spawn('sleep', ['60'], { uid, gid });
    try {
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${foreign.pid}\n${join(dataDir, 'postgres')}\n`);
      await writeFile(join(dataDir, 'postgres.owner'), `${foreign.pid} 1`);
      expect(await query((await fixture.launch(dataDir)).url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(stillLiving([{ pid: Number(foreign.pid) }])).toEqual([foreign.pid]);
    } finally {
      foreign.kill();
    }
  });
});

describeForRoot('The embedded PostgreSQL, in a folder that only its owner can enter,', () => {
  let closed: string;

  beforeEach(async () => {
    closed = join(fixture.path, 'closed');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
  });

  it('stores the data of root where its account can reach them, and starts with empty data after DATA_DIR is deleted', async () => {
    const first = await fixture.launch(dataDir);
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
    await storeRow(first.url);
    await first.stop();
    const second = await fixture.launch(dataDir);
    expect(await readRow(second.url)).toEqual([{ answer: 42 }]);
    await second.stop();
    await rm(dataDir, { recursive: true });
    await expect(readRow((await fixture.launch(dataDir)).url)).rejects.toMatchObject({ code: '42P01' });
  });

  it('runs a copy of the binaries of a checkout there', async () => {
    const checkout = await checkOutBelow(closed);
    const { report } = await fixture.launchInstance(dataDir, { checkout });
    expect(report.error).toBeUndefined();
    expect(await query(report.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const server = livingProcesses().find(({ pid }) => pid === report.pid);
    expect(server?.command).toContain(join(fixture.path, 'shared', 'postgres-'));
  });

  it('runs in place for an ordinary account, and for root on the data of that account', async () => {
    await chown(closed, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    const ordinary = await fixture.launchInstance(dataDir, { account: UNPRIVILEGED_UID });
    expect(ordinary.report.error).toBeUndefined();
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(UNPRIVILEGED_UID);
    await storeRow(ordinary.report.url);
    await kill9(ordinary.process);
    await until(() => processesOf(dataDir).length === 0 || undefined);
    expect(await readRow((await fixture.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });
});

describe('A PostgreSQL of the tests', () => {
  it('provides an empty database for each test file', async () => {
    const [one, other] = [await freshDatabase(), await freshDatabase()];
    await storeRow(one.url);
    await expect(readRow(other.url)).rejects.toMatchObject({ code: '42P01' });
    await Promise.all([one.drop(), other.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
