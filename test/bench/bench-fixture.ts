import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchPostgres } from '../../sandbox/postgres/launch-postgres';
import { sandboxKeyVariables } from '../../sandbox/keys';
import type { DemoAccount, DemoData } from '../../sandbox/sandbox-file';
import { databaseIn, runIn } from '../support/postgres';
import { freePort } from '../support/run/free-port';
import { type BenchRows, type RowsWanted, fillRows } from './bench-rows';
import { fillManyRows } from './scale-rows';
import { type ProcessorClock, postgresClock, processesClock } from './processor-time';
import { progress } from './progress';
import { type ServerEnvironment, type ServerProcess, startBare, startProduct } from './server-processes';
import { readSettings } from '../../process/settings/read-settings';

/** Environment of the benches: one PostgreSQL for product and baseline, and a temporary folder. */
export interface BenchFixture {
  readonly postgres: ProcessorClock;
  /**
   * Returns a register with its own database in this PostgreSQL and this number of access records; rejects once the
   * bench is stopped.
   */
  register(records: number, stopped?: AbortSignal): Promise<BenchRegister>;
  /** A register with many records and their history, in a database that is not copied. */
  largeRegister(records: number, stopped?: AbortSignal): Promise<BenchRegister>;
  close(): Promise<void>;
}

/** The product and the bare server on the same database. */
export interface BenchRegister {
  readonly databaseUrl: string;
  readonly rest: string;
  readonly gateway: string;
  readonly bare: string;
  readonly product: ProcessorClock;
  readonly bareServer: ProcessorClock;
  readonly rows: BenchRows;
  /** The Data User that owns the rows, and its bearer token. */
  readonly owner: DemoAccount;
  readonly accounts: readonly DemoAccount[];
  readonly token: string;
  /** Starts services of the product in separate processes, in addition to the one process with all services. */
  startServices(
    processes: readonly string[],
  ): Promise<{ readonly rest: string; readonly servers: ProcessorClock; stop(): Promise<void> }>;
  /** Returns a file for the log of a process. */
  logFile(of: string): string;
  /** Stops the processes and drops the database. */
  close(): Promise<void>;
}

/**
 * Opens the environment: PostgreSQL with the product's settings, durable, with memory for a million records; PG_BIN
 * selects another one.
 */
export async function openBenchFixture(): Promise<BenchFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'register-bench-'));
  chmodSync(folder, 0o755);
  const log = { warn: print, error: print };
  const server = await launchPostgres({ dataDir: folder, log, extraSettings: { shared_buffers: '1GB' } });
  const filled = new Map<number, Promise<FilledPlace>>();
  let registers = 0;
  const placeOf = (name: string): Place => ({ serverUrl: server.url, name, folder });
  return {
    postgres: postgresClock(server.pid),
    async register(records, stopped) {
      const template = filled.get(records) ?? fill(placeOf(`filled_${records}`), records);
      filled.set(records, template);
      template.catch(() => filled.delete(records)); // the next bench retries
      const base = await template;
      stopped?.throwIfAborted();
      return startRegister(await copyOf(base, placeOf(`bench_${(registers += 1)}`)));
    },
    async largeRegister(records, stopped) {
      const place = await fill(placeOf(`large_${records}`), records, fillManyRows);
      stopped?.throwIfAborted();
      return startRegister(place);
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function print(facts: unknown): void {
  process.stderr.write(`${JSON.stringify(facts)}\n`);
}

/** A database, and the folder of its register and logs. */
interface Place {
  readonly serverUrl: string;
  readonly name: string;
  readonly folder: string;
}

const databaseUrlOf = ({ serverUrl, name }: Place): string => databaseIn(serverUrl, name);
const dataDirOf = ({ folder, name }: Place): string => join(folder, name);
const logFileOf = ({ folder, name }: Place, of: string): string => join(folder, `${name}-${of}.log`);

/** A database with demo data and rows, which no process uses. */
interface FilledPlace extends Place {
  readonly rows: BenchRows;
  readonly accounts: readonly DemoAccount[];
  /** The Data User that owns the rows. */
  readonly owner: DemoAccount;
}

/** Creates tables and demo data by a start of the product, and adds the rows; registers use copies of the database. */
async function fill(
  place: Place,
  records: number,
  addRows: (wanted: RowsWanted) => Promise<BenchRows> = fillRows,
): Promise<FilledPlace> {
  await runIn(place.serverUrl, `drop database if exists ${place.name} with (force)`);
  await runIn(place.serverUrl, `create database ${place.name}`);
  const product = await startProduct({ ...environmentOf(place), ...(await publicPorts()) }, logFileOf(place, 'fill'));
  await product.stop();
  const { accounts } = JSON.parse(readFileSync(join(dataDirOf(place), 'sandbox.json'), 'utf8')) as DemoData;
  const owner = accounts.find(({ role }) => role === 'data_user') as DemoAccount;
  const { keys } = readSettings(sandboxKeyVariables(dataDirOf(place)));
  const rows = await addRows({ databaseUrl: databaseUrlOf(place), keys, duid: owner.duid as string, records });
  progress(`a database with ${records} records is made`);
  return { ...place, rows, accounts, owner };
}

async function copyOf(filled: FilledPlace, place: Place): Promise<FilledPlace> {
  await runIn(place.serverUrl, `create database ${place.name} template ${filled.name}`);
  cpSync(dataDirOf(filled), dataDirOf(place), { recursive: true });
  progress(`database ${place.name} is copied`);
  return { ...filled, ...place };
}

function environmentOf(place: Place): ServerEnvironment {
  return {
    DATABASE_URL: databaseUrlOf(place),
    DATA_DIR: dataDirOf(place),
    RATE_LIMITS: 'off',
    CLOCK_CAN_MOVE: 'true',
    BASE_URL: 'http://localhost:4001/v1',
    PORTAL_PORT: '0',
    CONSOLE_PORT: '0',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    MAILBOX_PORT: '0',
    OIDC_PORT: '0',
  };
}

async function publicPorts() {
  return { GATEWAY_PORT: String(await freePort()), REST_PORT: String(await freePort()) };
}

async function startRegister(place: FilledPlace): Promise<BenchRegister> {
  const [environment, ports] = [environmentOf(place), await publicPorts()];
  const product = await startProduct({ ...environment, ...ports }, logFileOf(place, 'product'));
  const bare = await startBare('server', environment, logFileOf(place, 'bare'));
  const { rows, owner, accounts } = place;
  const rest = localUrl(ports.REST_PORT);
  return {
    ...{ rows, owner, accounts, rest },
    databaseUrl: databaseUrlOf(place),
    gateway: localUrl(ports.GATEWAY_PORT),
    bare: bare.address,
    product: processesClock([product.pid]),
    bareServer: processesClock([bare.pid]),
    token: await bearerToken(rest, owner),
    startServices: (processes) => startServices(environment, processes, logFileOf(place, 'services')),
    logFile: (of) => logFileOf(place, of),
    close: async () => {
      await Promise.all([product.stop(), bare.stop()]);
      await runIn(place.serverUrl, `drop database if exists ${place.name} with (force)`);
      rmSync(dataDirOf(place), { recursive: true, force: true });
    },
  };
}

const localUrl = (port: string): string => `http://127.0.0.1:${port}`;

/** Returns a bearer token of an account. */
export async function bearerToken(rest: string, { account_id, secret_key }: DemoAccount): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${account_id}:${secret_key}`).toString('base64')}`;
  const response = await fetch(`${rest}/v1/auth/token`, { headers: { authorization } });
  return ((await response.json()) as { 'bearer-token': string })['bearer-token'];
}

/** Number of starts of services: each start has its own log file. */
let serviceRuns = 0;

async function startServices(environment: ServerEnvironment, processes: readonly string[], logFile: string) {
  const names = ['GATEWAY_PORT', 'GATEWAY_LINK_PORT', 'REST_PORT', 'ACCESS_PORT', 'IDENTITY_PORT'] as const;
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)),
  );
  const started: ServerProcess[] = [];
  const run = (serviceRuns += 1);
  for (const [index, services] of processes.entries()) {
    started.push(await startProduct({ ...environment, ...ports, SERVICES: services }, `${logFile}-${run}-${index}`));
  }
  return {
    rest: localUrl(ports['REST_PORT'] as string),
    servers: processesClock(started.map(({ pid }) => pid)),
    stop: async () => {
      await Promise.all(started.map((each) => each.stop()));
    },
  };
}
