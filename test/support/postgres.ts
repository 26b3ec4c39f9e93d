import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { templateOf } from './run/keeper-client';
import { TABLES_FOLDER } from './run/run-folders';
import { SYSTEM_POSTGRES } from './run/system-postgres';
import { launchPostgres, type EmbeddedPostgres } from '../../sandbox/postgres/launch-postgres';

/** An empty database of its own for one test file. */
export interface FreshDatabase {
  /** Its address, as its owner. */
  readonly url: string;
  /** Ends its sessions and deletes it. */
  drop(): Promise<void>;
}

/** A server that a test may take down and bring up again, at the same port and with the same data. */
export interface ControlledPostgres {
  readonly url: string;
  /** Number of the present postmaster. */
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** kill -9 of the postmaster: nothing is shut down, the next start recovers. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it for good and deletes its data. */
  remove(): Promise<void>;
}

/** A kill of PostgreSQL loses nothing without fsync, only a crash of the machine does. */
const TEST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };

const log = {
  warn: (facts: unknown) => process.stderr.write(`${JSON.stringify(facts)}\n`),
  error: (facts: unknown) => process.stderr.write(`${JSON.stringify(facts)}\n`),
};

let lazy: Promise<ControlledPostgres> | undefined;
if (typeof afterAll === 'function') afterAll(async () => (await lazy)?.remove());

/** Address of the database server of the tests: the one of jest's global setup, else one started here at first use. */
export async function testPostgres(): Promise<{ readonly url: string }> {
  const shared = process.env['TEST_DATABASE_URL'];
  if (shared) return { url: shared };
  return (lazy ??= controlledPostgres());
}

/** Makes a new, empty database in the server of the tests, or in the one given. */
export async function freshDatabase(given?: { readonly url: string }): Promise<FreshDatabase> {
  return databaseCopy('template1', given);
}

/** Makes a database that has the tables of all subgraphs, empty, and takes any keys. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  return databaseCopy((await templateOf('migrated')).database);
}

/** Makes a copy of a database. */
export async function databaseCopy(template: string, given?: { readonly url: string }): Promise<FreshDatabase> {
  const server = given ?? (await testPostgres());
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runIn(server.url, `create database ${name} template ${template}`);
  return {
    url: databaseIn(server.url, name),
    drop: async () => {
      await runIn(server.url, `drop database if exists ${name} with (force)`);
      await runIn(server.url, DROP_LOGINS(name));
    },
  };
}

/** Returns the address of a database of a server. */
export function databaseIn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Logins belong to the server, not to the database that they were made for. */
const DROP_LOGINS = (database: string) => `
  do $$ declare login name; begin
    for login in select rolname from pg_roles where strpos(rolname, '_${database}_') > 0 loop execute format('drop role %I', login); end loop;
  end $$`;

/** Runs a statement in a session of its own. */
export async function runIn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // of a server that ends between two statements; what fails meanwhile is rejected
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Starts a server of one's own in a new folder, from PG_BIN, the system's PostgreSQL 15 or the platform package of 18. */
export async function controlledPostgres(
  extraSettings: Readonly<Record<string, string>> = {},
  systemBinDir: string | undefined = existsSync(SYSTEM_POSTGRES) ? SYSTEM_POSTGRES : undefined,
): Promise<ControlledPostgres> {
  const dataDir = await mkdtemp(join(process.env[TABLES_FOLDER] ?? tmpdir(), 'register-test-'));
  await chmod(dataDir, 0o755);
  const binDir = process.env['PG_BIN'] ?? systemBinDir;
  const options = { dataDir, binDir, extraSettings: { ...TEST_SETTINGS, ...extraSettings }, log };
  let server: EmbeddedPostgres = await launchPostgres(options);
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    url,
    pid: () => server.pid,
    start: async () => {
      server = await launchPostgres({ ...options, port });
    },
    stop: () => server.stop(),
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
    },
    remove: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
