import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { launchPostgres } from '../../sandbox/postgres/launch-postgres';
import { sandboxKeyVariables } from '../../sandbox/keys';
import type { DemoAccount, DemoData } from '../../sandbox/demo-data';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { readSettings } from '../../process/settings';
import { type BenchRows, fillRows } from './bench-rows';
import { type ProcessorClock, postgresClock, processesClock } from './processor-time';
import {
  type ServerEnvironment,
  type ServerProcess,
  freePort,
  startBareServer,
  startProduct,
} from './server-processes';

/** Where a bench takes place: one PostgreSQL for product and baseline, and a folder that is deleted afterwards. */
export interface BenchRoom {
  readonly postgres: ProcessorClock;
  /** A register of its own in this PostgreSQL, with so many access records. */
  register(records: number): Promise<BenchRegister>;
  close(): Promise<void>;
}

/** The product and the bare server over the same database. */
export interface BenchRegister {
  readonly databaseUrl: string;
  readonly rest: string;
  readonly gateway: string;
  readonly bare: string;
  readonly product: ProcessorClock;
  readonly bareServer: ProcessorClock;
  readonly rows: BenchRows;
  /** The Data User whose rows these are, and its bearer token. */
  readonly owner: DemoAccount;
  readonly accounts: readonly DemoAccount[];
  readonly token: string;
  /** Starts services of the product as processes of their own, beside the one in which all run. */
  startServices(
    processes: readonly string[],
  ): Promise<{ readonly rest: string; readonly servers: ProcessorClock; stop(): Promise<void> }>;
}

/** Opens a room: PostgreSQL as the product starts it, durable, with memory for a million records; PG_BIN chooses another one. */
export async function openBenchRoom(): Promise<BenchRoom> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPOSITORY_ROOT, stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'register-bench-'));
  chmodSync(folder, 0o755);
  const log = { warn: told, error: told };
  const server = await launchPostgres({ dataDir: folder, log, extraSettings: { shared_buffers: '1GB' } });
  const postgres = postgresClock(server.pid);
  const running: ServerProcess[] = [];
  let registers = 0;
  return {
    postgres,
    register: (records) =>
      startRegister({ folder, serverUrl: server.url, name: `bench_${(registers += 1)}`, running }, records),
    async close() {
      await Promise.all(running.map((each) => each.stop()));
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function told(facts: unknown): void {
  process.stderr.write(`${JSON.stringify(facts)}\n`);
}

interface RegisterPlace {
  readonly folder: string;
  readonly serverUrl: string;
  readonly name: string;
  readonly running: ServerProcess[];
}

async function startRegister(
  { folder, serverUrl, name, running }: RegisterPlace,
  records: number,
): Promise<BenchRegister> {
  const databaseUrl = await newDatabase(serverUrl, name);
  const dataDir = join(folder, name);
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    BASE_URL: 'http://localhost:4001/v1',
    PORTAL_PORT: '0',
    CONSOLE_PORT: '0',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    MAILBOX_PORT: '0',
    OIDC_PORT: '0',
  };
  const logFile = (of: string) => join(folder, `${name}-${of}.log`);
  const ports = { GATEWAY_PORT: await freePort(), REST_PORT: await freePort() };
  const product = await startProduct({ ...environment, ...ports }, logFile('product'));
  running.push(product);
  const { accounts } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
  const owner = accounts.find(({ role }) => role === 'data_user') as DemoAccount;
  const rest = localUrl(ports.REST_PORT);
  const { keys } = readSettings(await sandboxKeyVariables(dataDir));
  const rows = await fillRows({ databaseUrl, keys, duid: owner.duid as string, records });
  const bare = await startBareServer(environment, logFile('bare'));
  running.push(bare);
  return {
    databaseUrl,
    rest,
    gateway: localUrl(ports.GATEWAY_PORT),
    bare: bare.told,
    product: processesClock([product.pid]),
    bareServer: processesClock([bare.pid]),
    rows,
    owner,
    accounts,
    token: await bearerToken(rest, owner),
    startServices: (processes) => startServices(environment, processes, logFile('services')),
  };
}

const localUrl = (port: string): string => `http://127.0.0.1:${port}`;

async function newDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The bearer token of an account. */
export async function bearerToken(rest: string, { account_id, secret_key }: DemoAccount): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${account_id}:${secret_key}`).toString('base64')}`;
  const response = await fetch(`${rest}/v1/auth/token`, { headers: { authorization } });
  return ((await response.json()) as { 'bearer-token': string })['bearer-token'];
}

async function startServices(environment: ServerEnvironment, processes: readonly string[], logFile: string) {
  const names = ['GATEWAY_PORT', 'REST_PORT', 'ACCESS_PORT', 'IDENTITY_PORT'] as const;
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
  const started: ServerProcess[] = [];
  for (const [index, services] of processes.entries()) {
    started.push(
      await startProduct({ ...environment, ...ports, SERVICES: services }, `${logFile}-${processes.length}-${index}`),
    );
  }
  return {
    rest: localUrl(ports['REST_PORT'] as string),
    servers: processesClock(started.map(({ pid }) => pid)),
    stop: async () => {
      await Promise.all(started.map((each) => each.stop()));
    },
  };
}
