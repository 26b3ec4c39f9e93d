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

/** Start options of the embedded PostgreSQL. */
interface LaunchOptions {
  /** DATA_DIR: created if missing; its `postgres` contains the database files. */
  readonly dataDir: string;
  /** Folder with the programs of a system PostgreSQL; default: PG_BIN, else the package of this platform. */
  readonly binDir?: string | undefined;
  /** Port on 127.0.0.1; default: a free port, which differs at each start. */
  readonly port?: number | undefined;
  /** Settings of `postgresql.conf` that override the defaults. */
  readonly extraSettings?: Readonly<Record<string, string>> | undefined;
  /** Folder for binaries and database files that the server's account cannot reach otherwise. */
  readonly sharedDir?: string | undefined;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Called if the server stopped unexpectedly and could not be restarted. */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

/**
 * A running embedded PostgreSQL. It stops when this process ends for any reason, and is restarted if it stops
 * unexpectedly.
 */
export interface EmbeddedPostgres {
  /** URL of the database `register` with the owner's login. */
  readonly url: string;
  /** Process id of the current postmaster. */
  readonly pid: number;
  /**
   * Shuts the server down; resolves when all its processes have ended. A repeated call returns the promise of the
   * first.
   */
  stop(): Promise<void>;
}

const SHARED_DIR = '/var/lib/central-data-access-register';

/** Commits are durable. The log contains no statements and no values, which may be personal data. */
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

/** Starts the PostgreSQL of a DATA_DIR; throws if another instance owns the folder. */
export async function launchPostgres(options: LaunchOptions): Promise<EmbeddedPostgres> {
  const { dataDir, binDir, port, extraSettings, sharedDir = SHARED_DIR, log, onLost = () => undefined } = options;
  const account = await serverAccount(join(dataDir, 'postgres'));
  const data = await dataFolder(dataDir, account, sharedDir);
  const binaries = await serverBinaries({ binDir, dataDir, sharedDir }, account);
  const release = await takeOwnership(data.path);
  try {
    await stopEarlierServer(data.path, log);
    await data.settle();
    const passwordFile = join(dataDir, 'postgres.password');
    const password = await ensureCluster({ folder: data.path, account, binaries, passwordFile });
    const settings = { ...SETTINGS, ...extraSettings };
    const start = (at?: number) =>
      startServer({ folder: data.path, account, postgres: binaries.postgres, port: at, settings });
    const running = supervise({ first: await start(port), start, password, release, log, onLost });
    await ensureDatabase(running.url).catch(async (error) => {
      await running.stop();
      throw error;
    });
    return running;
  } catch (error) {
    await release();
    throw error;
  }
}

interface SupervisionOptions extends Required<Pick<LaunchOptions, 'log'>> {
  readonly first: ServerProcess;
  readonly start: (port: number) => Promise<ServerProcess>;
  readonly password: string;
  readonly release: () => Promise<void>;
  readonly onLost: (error: unknown) => void;
}

/** Restarts the server whenever it stops unexpectedly, at the same port, so that its URL remains valid. */
function supervise({ first, start, password, release, log, onLost }: SupervisionOptions): EmbeddedPostgres {
  let current = first;
  let stopping: Promise<void> | undefined;
  const untilStopped = async (): Promise<void> => {
    for (;;) {
      const lastWords = await current.ended;
      if (stopping) return;
      log.error({ pid: current.postmaster.pid, lastWords }, 'PostgreSQL stopped unexpectedly and is restarted');
      current = await start(first.port);
      if (stopping) await shutDown(current.postmaster); // stop() was called while the server started
    }
  };
  const ended = untilStopped()
    .catch((error: unknown) => (stopping ? undefined : onLost(error)))
    .finally(release);
  const stop = async () => {
    await shutDown(current.postmaster);
    await ended;
  };
  return {
    url: `postgres://${REGISTER}:${password}@127.0.0.1:${first.port}/${REGISTER}`,
    get pid() {
      return current.postmaster.pid;
    },
    stop: () => (stopping ??= stop()),
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
