import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../process/environment';
import type { DemoData } from '../../sandbox/demo-data';
import { databaseCopy } from './postgres';
import { ownKeptRegister, sharedKeptRegister, stopKeptRegister, templateOf } from './run/keeper-client';
import type { KeptRegister, RegisterOrder, Wiring } from './run/keeper-protocol';
import { childEnvironment } from './run/left-processes';
import { PRODUCT, productCommand } from './run/product-command';

export { freePort } from './run/free-port';
export type { Wiring };

/**
 * The wirings of journeys whose way between the services others take, too: each service as a process costs so much that it is tried in
 * the long form only.
 */
export function usualWirings(): Wiring[] {
  return process.env['TEST_LONG'] === undefined ? ['one process'] : ['one process', 'a process each'];
}

/** A register that all test files of a run share: a test keeps apart by accounts, meter points and projects of its own. */
export interface SharedRegister extends Omit<KeptRegister, 'id' | 'logFiles'> {
  /** What the services have written to their logs, of all tests. */
  log(): string;
}

/** A register of one test file. */
export interface TestRegister extends SharedRegister {
  close(): Promise<void>;
}

/**
 * The register that the test files of a run share, by wiring. Limits are off, loopback callbacks are allowed, everything is logged. Its
 * clock is never moved, its demo accounts are never changed and its own processes are never stopped: a test that does so starts a
 * register of its own.
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

/** Starts processes at once, as a cluster would; when one does not come up, none is left behind. */
export async function startTogether(environments: readonly Environment[]): Promise<RegisterProcess[]> {
  const starts = await Promise.allSettled(environments.map(startRegisterProcess));
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return running;
  await Promise.all(running.map((each) => each.kill()));
  throw failure.reason;
}

/** A register, or a part of one, as a process of its own that can be killed. */
export interface RegisterProcess {
  readonly child: ChildProcess;
  output(): string;
  /** SIGINT, and waits for its end. */
  stop(): Promise<void>;
  /** kill -9, and waits for its end. */
  kill(): Promise<void>;
}

/** Where a test has not said otherwise: any port, so that registers do not meet. */
const PORTS_THAT_NOBODY_NAMED = { PORTAL_PORT: '0', CONSOLE_PORT: '0', MAILBOX_PORT: '0', OIDC_PORT: '0' };

/** Starts `main.ts` with an environment of its own and waits for its `ready` line. */
export async function startRegisterProcess(environment: Environment): Promise<RegisterProcess> {
  const { ready, ...register } = spawnRegisterProcess(environment);
  await ready;
  return register;
}

/** Starts `main.ts` as the first of a process group, if asked; `ready` resolves at its `ready` line. */
export function spawnRegisterProcess(
  environment: Environment,
  ofItsOwnGroup = false,
): RegisterProcess & { readonly ready: Promise<void>; readonly ended: Promise<number | null> } {
  const child = spawn(process.execPath, productCommand(process.env[PRODUCT], 'main'), {
    env: childEnvironment({ ...PORTS_THAT_NOBODY_NAMED, ...environment }),
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
  ready.catch(() => undefined); // a caller that waits for it gets the rejection
  return { child, ready, ended, output: () => output, stop: () => signal('SIGINT'), kill: () => signal('SIGKILL') };
}

/** Database, data folder and environment of a register that a test starts as processes of its own. */
export interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly environment: Environment;
  remove(): Promise<void>;
}

/** A copy of the database with the demo data of a first start, and a data folder that belongs to it. */
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

/** The start contract's file of a data folder. */
export function sandboxOf(dataDir: string): DemoData {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
}
