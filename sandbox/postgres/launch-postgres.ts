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
  /** Called when it ended by itself and could not be started again. */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

/** A running embedded PostgreSQL. It dies with this process, however that dies; when it ends by itself it is started again. */
export interface EmbeddedPostgres {
  /** Address of the database `register`, as its owner. */
  readonly url: string;
  /** Number of the present postmaster. */
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
  const { dataDir, binDir, port, extraSettings, sharedDir = SHARED_DIR, log, onLost = () => undefined } = options;
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
    const start = (at?: number) =>
      startServer({ folder: data.path, account, postgres: binaries.postgres, port: at, settings });
    const running = supervise({ first: await start(port), start, password, letGo, log, onLost });
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

interface Supervised extends Required<Pick<LaunchOptions, 'log'>> {
  readonly first: ServerProcess;
  readonly start: (port: number) => Promise<ServerProcess>;
  readonly password: string;
  readonly letGo: () => Promise<void>;
  readonly onLost: (error: unknown) => void;
}

/** Keeps the server running, at one port so that its address stays, until it is to stop. */
function supervise({ first, start, password, letGo, log, onLost }: Supervised): EmbeddedPostgres {
  let present = first;
  let stopping: Promise<void> | undefined;
  const untilStopped = async (): Promise<void> => {
    for (;;) {
      const lastWords = await present.ended;
      if (stopping) return;
      log.error({ pid: present.postmaster.pid, lastWords }, 'PostgreSQL ended by itself and is started again');
      present = await start(first.port);
      if (stopping) await shutDown(present.postmaster); // asked for while it started
    }
  };
  const ended = untilStopped()
    .catch((error: unknown) => (stopping ? undefined : onLost(error)))
    .finally(letGo);
  const stop = async () => {
    await shutDown(present.postmaster);
    await ended;
  };
  return {
    url: `postgres://${REGISTER}:${password}@127.0.0.1:${first.port}/${REGISTER}`,
    get pid() {
      return present.postmaster.pid;
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
