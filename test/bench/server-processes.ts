import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { FROM_SOURCES } from '../support/run/product-command';
import { goesOn, progress } from './progress';

/** A server that is measured: a process of its own, whose log goes to a file. */
export interface ServerProcess {
  readonly pid: number;
  /** What it printed after `ready`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Its environment; PATH is added. */
export type ServerEnvironment = Readonly<Record<string, string>>;

/** What stops the servers that nobody has stopped yet. */
const running = new Set<ServerProcess['stop']>();

/** Stops what is left of them. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Milliseconds in which a server must be ready, and between two looks at its log. */
const READY_WITHIN = 300_000;
/** Milliseconds in which one ends; then it is killed. */
const ENDED_WITHIN = 20_000;
const LOOK_EVERY = 20;

/** Starts `node <args>` and waits until it has printed its line `ready`. */
async function startServerProcess(
  args: readonly string[],
  environment: ServerEnvironment,
  logFile: string,
): Promise<ServerProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...(process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? []), ...args], {
    cwd: REPOSITORY_ROOT,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    const kill = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN);
    await ended;
    clearTimeout(kill);
    running.delete(stop);
  };
  running.add(stop);
  const deadline = Date.now() + READY_WITHIN;
  progress(`${args.at(-1)?.split('/').slice(-2).join('/')} starts`);
  let before = 0;
  for (;;) {
    const output = readFileSync(logFile, 'utf8');
    if (output.length > before) goesOn(`${logFile} grows`);
    before = output.length;
    const address = /^ready *(.*)$/m.exec(output)?.[1];
    if (address !== undefined) {
      return { pid: child.pid as number, address, stop };
    }
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`node ${args.join(' ')} did not start:\n${output}`);
    }
    await pause(LOOK_EVERY);
  }
}

/** Starts the product, or the services of it that SERVICES names, from `dist`. */
export function startProduct(environment: ServerEnvironment, logFile: string): Promise<ServerProcess> {
  return startServerProcess([join(REPOSITORY_ROOT, 'dist', 'main.js')], environment, logFile);
}

/** Starts one of the bare programs that the product is compared with. */
export function startBare(
  script: 'server' | 'deliveries' | 'listener' | 'broadcast',
  environment: ServerEnvironment,
  logFile: string,
): Promise<ServerProcess> {
  return startServerProcess([...FROM_SOURCES, join(__dirname, 'bare', `${script}.ts`)], environment, logFile);
}
