import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type RunningRegister, startRegister } from '../../main';
import { type DemoData } from '../../sandbox/demo-data';
import { startMailbox } from '../../sandbox/mailbox';
import { type SandboxUrls, loadSandbox } from '../../sandbox/sandbox';
import { type RunningSupplier, startSupplier } from '../../sandbox/supplier';
import { sandboxKeyVariables } from '../../sandbox/keys';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { SERVICES } from '../../process/keys';
import type { Environment } from '../../process/environment';
import { readSettings } from '../../process/settings';
import { openAccounts } from '../../subgraphs/access/access';
import { type FilledDatabase, type FilledFiles, filledDatabase } from './filled-database';

/** How the services of a register under test are wired (architecture, decision 1). */
export type Wiring = 'one process' | 'a process each';

/**
 * The wirings of journeys whose way between the services others take, too: each service as a process costs so much that it is tried in
 * the long form only.
 */
export function usualWirings(): Wiring[] {
  return process.env['TEST_LONG'] === undefined ? ['one process'] : ['one process', 'a process each'];
}

/** A register with demo data, for tests. */
export interface TestRegister {
  readonly rest: string;
  readonly gateway: string;
  readonly portal: string;
  /** The live page of the back office. */
  readonly console: string;
  /** The captured mails, as JSON. */
  readonly mailbox: string;
  readonly sandbox: DemoData;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** What the services wrote to their logs. */
  log(): string;
  close(): Promise<void>;
}

/** What a test may want otherwise. */
export interface TestRegisterOptions {
  readonly databaseUrl?: string;
  readonly environment?: Environment;
}

/** Starts a register with demo data in a database of its own. */
export function startTestRegister(wiring: Wiring, options: TestRegisterOptions = {}): Promise<TestRegister> {
  return wiring === 'one process' ? startInThisProcess(options) : startProcesses(options);
}

async function startInThisProcess({ databaseUrl, environment }: TestRegisterOptions): Promise<TestRegister> {
  const place = await placeOf(databaseUrl);
  const lines: string[] = [];
  const register = await startAt(place, environment, (line) => void lines.push(line));
  return {
    ...place,
    rest: register.urls['rest'] as string,
    gateway: register.urls['gateway'] as string,
    portal: register.urls['portal'] as string,
    console: register.urls['console'] as string,
    mailbox: mailboxOf(place.dataDir),
    sandbox: sandboxOf(place.dataDir),
    log: () => lines.join(''),
    close: async () => {
      await register.close();
      await place.remove();
    },
  };
}

/** Starts all services in this process; what they log is written to `log`. */
async function startAt(
  place: Pick<Place, 'dataDir' | 'environment'>,
  environment: Environment | undefined,
  log: (line: string) => void,
): Promise<RunningRegister> {
  const settings = readSettings({
    ...(await sandboxKeyVariables(place.dataDir)),
    ...place.environment,
    GATEWAY_PORT: '0',
    REST_PORT: '0',
    PORTAL_PORT: String(await freePort()), // its address is in links before it listens
    CONSOLE_PORT: String(await freePort()), // forms are checked against its address
    MAILBOX_PORT: '0',
    OIDC_PORT: '0',
    ...environment,
  });
  return silently(() => startRegister(settings, pino({ level: settings.logLevel }, { write: log })));
}

async function startProcesses({ databaseUrl, environment }: TestRegisterOptions): Promise<TestRegister> {
  const place = await placeOf(databaseUrl);
  const mailbox = await startMailbox({ port: 0, host: 'localhost' });
  const [gatewayPort, restPort, portalPort, consolePort, accessPort, identityPort, gridModelsPort, tariffsPort] =
    await Promise.all([freePort(), freePort(), freePort(), freePort(), freePort(), freePort(), freePort(), freePort()]);
  const common = {
    ...place.environment,
    GATEWAY_PORT: String(gatewayPort),
    REST_PORT: String(restPort),
    PORTAL_PORT: String(portalPort),
    CONSOLE_PORT: String(consolePort),
    SMTP_URL: mailbox.smtpUrl,
    ACCESS_PORT: String(accessPort),
    IDENTITY_PORT: String(identityPort),
    GRID_MODELS_PORT: String(gridModelsPort),
    TARIFFS_PORT: String(tariffsPort),
    ...environment,
  };
  const processes = await startTogether(SERVICES.map((service) => ({ ...common, SERVICES: service })));
  const urls = {
    gateway: `http://localhost:${gatewayPort}`,
    rest: `http://localhost:${restPort}`,
    portal: `http://localhost:${portalPort}`,
    console: `http://localhost:${consolePort}`,
  };
  const supplier = await startSupplier({
    port: 0,
    host: 'localhost',
    redirectUris: [`${urls.portal}/sign-in/supplier/callback`],
    client: { id: 'register-under-test', secret: randomUUID() },
  });
  await silently(() => fill(place, { urls, mailbox: mailbox.url, supplier }, environment));
  return {
    ...place,
    ...urls,
    mailbox: mailbox.url,
    sandbox: sandboxOf(place.dataDir),
    log: () => processes.map((each) => each.output()).join(''),
    close: async () => {
      await Promise.all(processes.map((each) => each.stop()));
      await Promise.all([supplier.close(), mailbox.close()]);
      await place.remove();
    },
  };
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

/** Demo data for a register whose services are processes of their own, which have no sandbox. */
async function fill(
  { databaseUrl, dataDir }: { databaseUrl: string; dataDir: string },
  { urls, mailbox, supplier }: { urls: Omit<SandboxUrls, 'identity'>; mailbox: string; supplier: RunningSupplier },
  environment: Environment = {},
): Promise<void> {
  const { keys } = readSettings({ ...(await sandboxKeyVariables(dataDir)), ...environment });
  const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = keys as Required<typeof keys>;
  const { accounts, close } = await openAccounts(databaseUrl, { hashKey, encryptionKey }, false);
  try {
    const identity = `${urls.portal}/identify`;
    await loadSandbox({ dataDir, urls: { ...urls, identity }, mailbox, accounts, supplier });
  } finally {
    await close();
  }
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
  const child = spawn(process.execPath, ['-r', join(__dirname, 'swc-register.js'), join(REPOSITORY_ROOT, 'main.ts')], {
    env: { PATH: process.env['PATH'], ...PORTS_THAT_NOBODY_NAMED, ...environment },
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
  ready.catch(() => undefined); // who waits for it is told
  return { child, ready, ended, output: () => output, stop: () => signal('SIGINT'), kill: () => signal('SIGKILL') };
}

/** Where a register keeps what it knows. */
export interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly environment: Environment;
  remove(): Promise<void>;
}

/** The database given as it is; else one of its own with the demo data of a first start. */
export async function placeOf(given?: string): Promise<Place> {
  if (given !== undefined) return placeIn({ url: given, drop: () => Promise.resolve() });
  const database = await filledDatabase(firstStart);
  const place = placeIn(database);
  for (const [name, text] of Object.entries(database.files))
    writeFileSync(join(place.dataDir, name), text, { mode: 0o600 });
  return place;
}

function placeIn(database: Pick<FilledDatabase, 'url' | 'drop'>): Place {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-data-'));
  return {
    databaseUrl: database.url,
    dataDir,
    environment: { DATABASE_URL: database.url, DATA_DIR: dataDir, RATE_LIMITS: 'off' },
    remove: async () => {
      rmSync(dataDir, { recursive: true, force: true });
      await database.drop();
    },
  };
}

/** Fills an empty database, and tells what a first start leaves in its data folder. */
async function firstStart(url: string): Promise<FilledFiles> {
  const place = placeIn({ url, drop: () => Promise.resolve() });
  const register = await startAt(place, {}, () => undefined);
  await register.close();
  const files = readdirSync(place.dataDir).map((name) => [name, readFileSync(join(place.dataDir, name), 'utf8')]);
  await place.remove();
  return Object.fromEntries(files) as FilledFiles;
}

/** What `sandbox.json` says of the mailbox; none where a test has a mail server of its own. */
function mailboxOf(dataDir: string): string {
  return String((sandboxOf(dataDir) as DemoData & { mailbox?: string }).mailbox);
}

/** The start contract's file of a data folder. */
export function sandboxOf(dataDir: string): DemoData {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
}

/** Below the ports that systems give to outgoing connections: one of those would take the place of a server that is started again. */
const PORTS = { from: 15_000, to: 32_000 } as const;

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The logins that the start tells are for people. */
async function silently<Result>(work: () => Promise<Result>): Promise<Result> {
  const told = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    return await work();
  } finally {
    told.mockRestore();
  }
}
