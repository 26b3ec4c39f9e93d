import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../process/settings/environment';
import type { DemoData } from '../../sandbox/sandbox-file';
import { databaseCopy } from './postgres';
import { ownKeptRegister, sharedKeptRegister, stopKeptRegister, templateOf } from './run/keeper-client';
import type { KeptRegister, RegisterOrder, Wiring } from './run/keeper-protocol';
import { childEnvironment } from './run/left-processes';
import { PRODUCT, productCommand } from './run/product-command';

export { freePort } from './run/free-port';
export type { Wiring };

/**
 * The wirings of journeys whose connections between services other tests cover: one process per service is expensive,
 * and runs in the long form only.
 */
export function usualWirings(): Wiring[] {
  return process.env['TEST_LONG'] === undefined ? ['one process'] : ['one process', 'a process each'];
}

/** A register that all test files of a run share: tests use separate accounts, meter points and projects. */
export interface SharedRegister extends Omit<KeptRegister, 'id' | 'logFiles'> {
  /** Returns the logs of all services, from all tests. */
  log(): string;
}

/** A register of one test file. */
export interface TestRegister extends SharedRegister {
  close(): Promise<void>;
}

/**
 * Returns the register that the test files of a run share, by wiring. Limits are off, loopback callbacks are permitted,
 * everything is logged. No test moves its clock, changes its demo accounts or stops its processes: a test that does so
 * starts its own register.
 */
export async function sharedRegister(wiring: Wiring = 'one process'): Promise<SharedRegister> {
  return logged(await sharedKeptRegister(wiring.replaceAll(' ', '-'), { wiring, environment: SHARED }));
}

const SHARED: Environment = { LOG_LEVEL: 'trace', WEBHOOK_ALLOW_LOOPBACK: 'true' };

/** Starts a register with demo data for one test file. */
export async function startTestRegister(
  wiring: Wiring,
  options: Omit<RegisterOrder, 'wiring'> = {},
): Promise<TestRegister> {
  const register = await ownKeptRegister({ wiring, ...options });
  return { ...logged(register), close: () => stopKeptRegister(register.id) };
}

function logged(register: KeptRegister): SharedRegister {
  return { ...register, log: () => register.logFiles.map((file) => readFileSync(file, 'utf8')).join('') };
}

/** Starts processes together, as a cluster would; if one start fails, all are stopped. */
export async function startTogether(environments: readonly Environment[]): Promise<RegisterProcess[]> {
  const starts = await Promise.allSettled(environments.map(startRegisterProcess));
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return running;
  await Promise.all(running.map((each) => each.kill()));
  throw failure.reason;
}

/** A register, or a part of one, in a separate process that can be killed. */
export interface RegisterProcess {
  readonly child: ChildProcess;
  output(): string;
  /** Sends SIGINT and waits for its end. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for its end. */
  kill(): Promise<void>;
}

/** Ports without a value in the test's environment: any free port, so that registers do not conflict. */
const FREE_PORTS = { PORTAL_PORT: '0', CONSOLE_PORT: '0', MAILBOX_PORT: '0', OIDC_PORT: '0' };

/** Starts `process/main.ts` with the given environment and waits for its `ready` line. */
export async function startRegisterProcess(environment: Environment): Promise<RegisterProcess> {
  const { ready, ...register } = spawnRegisterProcess(environment);
  await ready;
  return register;
}

/** Starts `process/main.ts`, on request as the leader of a process group; `ready` resolves at its `ready` line. */
export function spawnRegisterProcess(
  environment: Environment,
  ofItsOwnGroup = false,
): RegisterProcess & { readonly ready: Promise<void>; readonly ended: Promise<number | null> } {
  const child = spawn(process.execPath, productCommand(process.env[PRODUCT], 'process/main'), {
    env: childEnvironment({ ...FREE_PORTS, ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ofItsOwnGroup,
  });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (/^ready/m.test(output)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => reject(new Error(`the register ended before it was ready:\n${output}`)));
  });
  const signal = async (name: NodeJS.Signals) => {
    child.kill(name);
    await ended;
  };
  ready.catch(() => undefined); // a caller that awaits it gets the rejection
  return { child, ready, ended, output: () => output, stop: () => signal('SIGINT'), kill: () => signal('SIGKILL') };
}

/** Database, data folder and environment of a register that a test starts in separate processes. */
export interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly environment: Environment;
  remove(): Promise<void>;
}

/** Creates a copy of the database with the demo data of a first start, and its data folder. */
export async function placeOf(): Promise<Place> {
  const { database, files } = await templateOf('filled');
  const { url, drop } = await databaseCopy(database);
  const dataDir = mkdtempSync(join(tmpdir(), 'register-data-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dataDir, name), text, { mode: 0o600 });
  return {
    databaseUrl: url,
    dataDir,
    environment: { DATABASE_URL: url, DATA_DIR: dataDir, RATE_LIMITS: 'off', CLOCK_CAN_MOVE: 'true' },
    remove: async () => {
      rmSync(dataDir, { recursive: true, force: true });
      await drop();
    },
  };
}

/** Returns the content of the `sandbox.json` of a data folder (the start contract). */
export function sandboxOf(dataDir: string): DemoData {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
}
