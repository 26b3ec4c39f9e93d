import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { templateOf } from './run/keeper-client';
import { TABLES_FOLDER } from './run/run-folders';
import { SYSTEM_POSTGRES } from './run/system-postgres';
import { launchPostgres, type EmbeddedPostgres } from '../../sandbox/postgres/launch-postgres';

/** An empty database for one test file. */
export interface FreshDatabase {
  /** Its URL, with the login of its owner. */
  readonly url: string;
  /** Ends its sessions and deletes it. */
  drop(): Promise<void>;
}

/** A server that a test can stop and restart at the same port with the same data. */
export interface ControlledPostgres {
  readonly url: string;
  /** Process id of the current postmaster. */
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Sends SIGKILL to the postmaster: there is no shutdown, the next start recovers. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Stops it finally and deletes its data. */
  remove(): Promise<void>;
  /** Restarts it with a synchronous standby, which has every confirmed commit; \`pg_promote()\` makes it a primary. */
  standby(): Promise<ControlledPostgres>;
}

/** Without fsync, a kill of PostgreSQL loses no data; only a crash of the machine does. */
const TEST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };

const log = {
  warn: (facts: unknown) => process.stderr.write(`${JSON.stringify(facts)}\n`),
  error: (facts: unknown) => process.stderr.write(`${JSON.stringify(facts)}\n`),
};

let lazy: Promise<ControlledPostgres> | undefined;
if (typeof afterAll === 'function') afterAll(async () => (await lazy)?.remove());

/**
 * Returns the URL of the tests' database server: that of jest's global setup, otherwise one that is started here at
 * first use.
 */
export async function testPostgres(): Promise<{ readonly url: string }> {
  const shared = process.env['TEST_DATABASE_URL'];
  if (shared) return { url: shared };
  return (lazy ??= controlledPostgres());
}

/** Creates an empty database, by default in the server of the tests. */
export async function freshDatabase(given?: { readonly url: string }): Promise<FreshDatabase> {
  return databaseCopy('template1', given);
}

/** Creates a database with the empty tables of all subgraphs; it accepts any keys. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  return databaseCopy((await templateOf('migrated')).database);
}

/** Creates a copy of a database: of its files, which takes half the time of a copy by the log. */
export async function databaseCopy(template: string, given?: { readonly url: string }): Promise<FreshDatabase> {
  const server = given ?? (await testPostgres());
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runIn(server.url, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: databaseIn(server.url, name),
    drop: async () => {
      await runIn(server.url, `drop database if exists ${name} with (force)`);
      await runIn(server.url, DROP_LOGINS(name));
    },
  };
}

/** Returns the URL of a database of a server. */
export function databaseIn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Logins belong to the server, not to their database. */
const DROP_LOGINS = (database: string) => `
  do $$ declare login name; begin
    for login in select rolname from pg_roles where strpos(rolname, '_${database}_') > 0 loop execute format('drop role %I', login); end loop;
  end $$`;

/** Runs a statement in a separate session. */
export async function runIn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // if the server ends between two statements; statements reject by themselves
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Starts a separate server in a new folder, from PG_BIN, the system's PostgreSQL 15 or the platform package of 18. */
export async function controlledPostgres(
  extraSettings: Readonly<Record<string, string>> = {},
  systemBinDir: string | undefined = existsSync(SYSTEM_POSTGRES) ? SYSTEM_POSTGRES : undefined,
): Promise<ControlledPostgres> {
  return launched(await newDataDir(), extraSettings, process.env['PG_BIN'] ?? systemBinDir);
}

const newDataDir = async () => {
  const dataDir = await mkdtemp(join(process.env[TABLES_FOLDER] ?? tmpdir(), 'register-test-'));
  await chmod(dataDir, 0o755);
  return dataDir;
};

async function launched(
  dataDir: string,
  extraSettings: Readonly<Record<string, string>>,
  binDir: string | undefined,
): Promise<ControlledPostgres> {
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
    async standby() {
      const copy = await newDataDir();
      await server.stop();
      await promisify(execFile)('cp', ['-a', `${dataDir}/.`, copy]);
      await writeFile(join(copy, 'postgres', 'standby.signal'), '');
      server = await launchPostgres({ ...options, port });
      const standby = await launched(copy, { ...extraSettings, primary_conninfo: url }, binDir);
      await runIn(url, `alter system set synchronous_standby_names = '*'`);
      await runIn(url, 'select pg_reload_conf()');
      return standby;
    },
  };
}
