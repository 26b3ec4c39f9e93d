import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { REPOSITORY_ROOT } from '../../schema/repository-root';

/** A server that is measured: a process of its own, whose log goes to a file. */
export interface ServerProcess {
  readonly pid: number;
  /** What it printed after `ready`. */
  readonly told: string;
  stop(): Promise<void>;
}

/** Its environment; PATH is added. */
export type ServerEnvironment = Readonly<Record<string, string>>;

/** Milliseconds in which a server must be ready, and between two looks at its log. */
const READY_WITHIN = 60_000;
const LOOK_EVERY = 20;

/** Starts `node <args>` and waits until it has printed its line `ready`. */
export async function startServerProcess(
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
  const deadline = Date.now() + READY_WITHIN;
  for (;;) {
    const output = readFileSync(logFile, 'utf8');
    const told = /^ready *(.*)$/m.exec(output)?.[1];
    if (told !== undefined) {
      const stop = async () => {
        child.kill('SIGINT');
        await ended;
      };
      return { pid: child.pid as number, told, stop };
    }
    if (child.exitCode !== null || Date.now() > deadline) {
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

/** Starts the bare server that the product is compared with. */
export function startBareServer(environment: ServerEnvironment, logFile: string): Promise<ServerProcess> {
  const loader = join(REPOSITORY_ROOT, 'test', 'support', 'swc-register.js');
  return startServerProcess(['-r', loader, join(__dirname, 'bare', 'server.ts')], environment, logFile);
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}
