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
  openRoom,
  processesOf,
  stillLiving,
  type LauncherRoom,
} from '../../support/launcher-room';
import { freshDatabase } from '../../support/postgres';
import { until } from '../../support/until';

const NOBODY = 65534;
const describeForRoot = process.getuid?.() === 0 ? describe : describe.skip;
const log = { warn: jest.fn(), error: jest.fn() };

let firstRoom: LauncherRoom;
let room: LauncherRoom;
let dataDir: string;

/** What the first start of a DATA_DIR made, and the next one found; a first start that was killed half way had been there before. */
let firstStart: { readonly url: string; readonly passwordMode: number; readonly found: unknown };

beforeAll(async () => {
  firstRoom = await openRoom(log);
  const made = join(firstRoom.path, 'data');
  await mkdir(join(made, 'postgres.new', 'base'), { recursive: true });
  const server = await firstRoom.launch(made);
  const passwordMode = (await stat(join(made, 'postgres.password'))).mode & 0o777;
  await keepARow(server.url);
  await server.stop();
  const again = await firstRoom.launch(made);
  firstStart = { url: server.url, passwordMode, found: await readTheRow(again.url) };
  await query(again.url, 'drop table kept');
  await again.stop();
  expect(log.error).not.toHaveBeenCalled();
});

afterAll(() => firstRoom.close());

beforeEach(async () => {
  jest.clearAllMocks();
  room = await openRoom(log);
  dataDir = join(room.path, 'data');
});

afterEach(() => room.close());

/** Gives the test a DATA_DIR that has seen its first start, which is most of what a test would wait for. */
function takeUsedDataDir(): void {
  execFileSync('cp', ['-Rp', join(firstRoom.path, 'data'), dataDir]);
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

const keepARow = (url: string) => query(url, 'create table kept as select 42 as answer');
const readTheRow = (url: string) => query(url, 'select answer from kept');

describe('The embedded PostgreSQL', () => {
  it('makes the database of the register at the first start and keeps its data over a restart', () => {
    expect(firstStart).toEqual({
      url: expect.stringMatching(/^postgres:\/\/register:[\w-]{32}@127\.0\.0\.1:\d+\/register$/),
      passwordMode: 0o600,
      found: [{ answer: 42 }],
    });
  });

  it('acknowledges only what is on the disk, listens on this machine only, wants the password, and leaves no process when it is stopped, however often', async () => {
    takeUsedDataDir();
    const server = await room.launch(dataDir);
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

  it('names the way out when its data were made by another version', async () => {
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    await expect(room.launch(dataDir)).rejects.toThrow(
      /made by PostgreSQL 14, this is PostgreSQL \d+\. Delete DATA_DIR/,
    );
  });
});

describe('The embedded PostgreSQL, when its instance ends,', () => {
  it('leaves no process behind when Ctrl-C reaches the instance twice, as under npm', async () => {
    takeUsedDataDir();
    const instance = await room.launchInstance(dataDir);
    const processes = processesOf(dataDir);
    const exit = once(instance.process, 'exit');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(stillLiving(processes)).toEqual([]);
  });

  it('ends too when the instance is killed, and starts again', async () => {
    takeUsedDataDir();
    const instance = await room.launchInstance(dataDir);
    await keepARow(instance.facts.url);
    const processes = processesOf(dataDir);
    await kill9(instance.process);
    await until(() => stillLiving(processes).length === 0 || undefined);
    expect(await readTheRow((await room.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });

  it('is stopped by the next start when it outlived both the instance and its guard', async () => {
    takeUsedDataDir();
    const instance = await room.launchInstance(dataDir);
    const { url, pid: orphan } = instance.facts;
    await keepARow(url);
    const guard = processesOf(dataDir).find(({ pid, parent }) => pid !== orphan && parent !== orphan);
    process.kill(guard!.pid, 'SIGKILL');
    await kill9(instance.process);
    expect(stillLiving([{ pid: orphan }])).toEqual([orphan]);
    const next = await room.launch(dataDir);
    expect(stillLiving([{ pid: orphan }])).toEqual([]);
    expect(log.warn).toHaveBeenCalledWith({ pid: orphan }, expect.any(String));
    expect(await readTheRow(next.url)).toEqual([{ answer: 42 }]);
  });

  it('recovers what was committed when it is killed together with the instance', async () => {
    takeUsedDataDir();
    const instance = await room.launchInstance(dataDir);
    await keepARow(instance.facts.url);
    process.kill(instance.facts.pid, 'SIGKILL');
    await kill9(instance.process);
    expect(await readTheRow((await room.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });
});

describe('A DATA_DIR', () => {
  it('is refused to a second instance, which leaves the first alone', async () => {
    takeUsedDataDir();
    const first = await room.launch(dataDir);
    const second = await room.launchInstance(dataDir);
    expect(second.facts.refused).toContain(`Another instance (process ${process.pid}) runs on`);
    await expect(room.launch(dataDir)).rejects.toThrow(`Another instance (process ${process.pid})`);
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    expect((await room.launch(dataDir)).pid).not.toBe(first.pid);
  });

  it('goes to one of several instances that start at once after a kill', async () => {
    takeUsedDataDir();
    await writeFile(join(dataDir, 'postgres.owner'), '1 1');
    const started = await Promise.all([1, 2, 3].map(() => room.launchInstance(dataDir)));
    const [running, ...others] = started.filter(({ facts }) => !facts.refused);
    expect(others).toEqual([]);
    expect(await query(running!.facts.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('may hold what an earlier container left behind', async () => {
    takeUsedDataDir();
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const foreign = spawn('sleep', ['60'], { uid, gid });
    try {
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${foreign.pid}\n${join(dataDir, 'postgres')}\n`);
      await writeFile(join(dataDir, 'postgres.owner'), `${foreign.pid} 1`);
      expect(await query((await room.launch(dataDir)).url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(stillLiving([{ pid: Number(foreign.pid) }])).toEqual([foreign.pid]);
    } finally {
      foreign.kill();
    }
  });
});

describeForRoot('The embedded PostgreSQL, below a folder that only its owner can enter,', () => {
  let closed: string;

  beforeEach(async () => {
    closed = join(room.path, 'closed');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
  });

  it('keeps the data of root where its account can reach them, and starts afresh when DATA_DIR is deleted', async () => {
    const first = await room.launch(dataDir);
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
    await keepARow(first.url);
    await first.stop();
    const second = await room.launch(dataDir);
    expect(await readTheRow(second.url)).toEqual([{ answer: 42 }]);
    await second.stop();
    await rm(dataDir, { recursive: true });
    await expect(readTheRow((await room.launch(dataDir)).url)).rejects.toMatchObject({ code: '42P01' });
  });

  it('runs a copy of the programs of a checkout there', async () => {
    const checkout = await checkOutBelow(closed);
    const { facts } = await room.launchInstance(dataDir, { checkout });
    expect(facts.refused).toBeUndefined();
    expect(await query(facts.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const server = livingProcesses().find(({ pid }) => pid === facts.pid);
    expect(server?.command).toContain(join(room.path, 'shared', 'postgres-'));
  });

  it('runs in place for an ordinary account, and for root on the data of that account', async () => {
    await chown(closed, NOBODY, NOBODY);
    const ordinary = await room.launchInstance(dataDir, { account: NOBODY });
    expect(ordinary.facts.refused).toBeUndefined();
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(NOBODY);
    await keepARow(ordinary.facts.url);
    await kill9(ordinary.process);
    await until(() => processesOf(dataDir).length === 0 || undefined);
    expect(await readTheRow((await room.launch(dataDir)).url)).toEqual([{ answer: 42 }]);
  });
});

describe('A PostgreSQL of the tests', () => {
  it('gives every test file an empty database of its own', async () => {
    const [one, other] = [await freshDatabase(), await freshDatabase()];
    await keepARow(one.url);
    await expect(readTheRow(other.url)).rejects.toMatchObject({ code: '42P01' });
    await Promise.all([one.drop(), other.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
