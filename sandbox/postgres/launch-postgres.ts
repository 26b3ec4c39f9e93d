import { join } from 'node:path';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { serverAccount } from './account';
import { serverBinaries } from './binaries';
import { ensureCluster, REGISTER } from './cluster';
import { dataFolder } from './data-folder';
import { takeOwnership } from './owner';
import { startServer, type ServerProcess } from './server-process';
import { shutDown, stopEarlierServer } from './shut-down';

/** What the embedded PostgreSQL is launched with. */
export interface LaunchOptions {
  /** DATA_DIR: made when missing; the tables lie in its `postgres`. */
  readonly dataDir: string;
  /** Folder with the programs of a system PostgreSQL; default: PG_BIN, else the package of this platform. */
  readonly binDir?: string | undefined;
  /** Port on 127.0.0.1; default: a free one, chosen anew for each start. */
  readonly port?: number | undefined;
  /** Settings of `postgresql.conf` that win over ours. */
  readonly extraSettings?: Readonly<Record<string, string>> | undefined;
  /** Where binaries and tables go that the server's account cannot reach in their places. */
  readonly sharedDir?: string | undefined;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** A running embedded PostgreSQL. It dies with this process, however that dies. */
export interface EmbeddedPostgres {
  /** Address of the database `register`, as its owner. */
  readonly url: string;
  /** Number of the postmaster. */
  readonly pid: number;
  /** Shuts the server down and resolves when nothing of it is left; may be called any number of times. */
  stop(): Promise<void>;
}

const SHARED_DIR = '/var/lib/central-data-access-register';

/** What is acknowledged is on the disk. The log never has statements or values: they may be personal data. */
const SETTINGS = {
  shared_buffers: '128MB',
  max_connections: '200',
  synchronous_commit: 'on',
  fsync: 'on',
  jit: 'off',
  logging_collector: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Starts the one PostgreSQL of a DATA_DIR; fails with a sentence for the reader when another instance owns it. */
export async function launchPostgres(options: LaunchOptions): Promise<EmbeddedPostgres> {
  const { dataDir, binDir, port, extraSettings, sharedDir = SHARED_DIR, log } = options;
  const account = await serverAccount(join(dataDir, 'postgres'));
  const data = await dataFolder(dataDir, account, sharedDir);
  const binaries = await serverBinaries({ binDir, dataDir, sharedDir }, account);
  const letGo = await takeOwnership(data.path);
  try {
    await stopEarlierServer(data.path, log);
    await data.settle();
    const passwordFile = join(dataDir, 'postgres.password');
    const password = await ensureCluster({ folder: data.path, account, binaries, passwordFile });
    const settings = { ...SETTINGS, ...extraSettings };
    const server = await startServer({ folder: data.path, account, postgres: binaries.postgres, port, settings });
    const running = supervise(server, password, letGo, log);
    await ensureDatabase(running.url).catch(async (error) => {
      await running.stop();
      throw error;
    });
    return running;
  } catch (error) {
    await letGo();
    throw error;
  }
}

function supervise(
  server: ServerProcess,
  password: string,
  letGo: () => Promise<void>,
  log: LaunchOptions['log'],
): EmbeddedPostgres {
  const { postmaster, port } = server;
  let stopping: Promise<void> | undefined;
  const ended = server.ended.then(async (lastWords) => {
    if (!stopping) log.error({ pid: postmaster.pid, lastWords }, 'PostgreSQL ended by itself');
    await letGo();
  });
  return {
    url: `postgres://${REGISTER}:${password}@127.0.0.1:${port}/${REGISTER}`,
    pid: postmaster.pid,
    stop: () => (stopping ??= shutDown(postmaster).then(() => ended)),
  };
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url.replace(/\w+$/, 'postgres') });
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [REGISTER]);
    if (rowCount === 0) await client.query(`create database ${REGISTER}`);
  } finally {
    await client.end();
  }
}
