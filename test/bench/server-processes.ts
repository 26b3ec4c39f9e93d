import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { FROM_SOURCES } from '../support/run/product-command';
import { goesOn, progress } from './progress';

/** A measured server: a separate process that logs to a file. */
export interface ServerProcess {
  readonly pid: number;
  /** The text that it printed after `ready`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Environment variables of a server; PATH is added. */
export type ServerEnvironment = Readonly<Record<string, string>>;

/** Functions that stop the running servers. */
const running = new Set<ServerProcess['stop']>();

/** Stops all running servers. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Milliseconds within which a server must be ready, and between two reads of its log. */
const READY_WITHIN = 300_000;
/** Milliseconds after which a stopping server is killed. */
const ENDED_WITHIN = 20_000;
const POLL_INTERVAL_MS = 20;

/** Starts `node <args>` and waits for its line `ready`. */
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
    await pause(POLL_INTERVAL_MS);
  }
}

/** Starts the product from `dist`, or the services in SERVICES. */
export function startProduct(environment: ServerEnvironment, logFile: string): Promise<ServerProcess> {
  return startServerProcess([join(REPOSITORY_ROOT, 'dist', 'process', 'main.js')], environment, logFile);
}

/** Starts one of the bare programs of the baselines. */
export function startBare(
  script: 'server' | 'deliveries' | 'listener' | 'broadcast',
  environment: ServerEnvironment,
  logFile: string,
): Promise<ServerProcess> {
  return startServerProcess([...FROM_SOURCES, join(__dirname, 'bare', `${script}.ts`)], environment, logFile);
}
