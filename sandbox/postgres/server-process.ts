import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER_ENVIRONMENT, type ServerAccount } from './account';
import { livingProcess, type LivingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** Start options of a server. */
interface ServerOptions {
  readonly folder: string;
  readonly account: ServerAccount;
  /** Absolute path of the program. */
  readonly postgres: string;
  /** Default: a free port, which differs at each start. */
  readonly port?: number | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/** A server that accepts connections. */
export interface ServerProcess {
  readonly postmaster: LivingProcess;
  readonly port: number;
  /** Resolves with the end of the server's error output when the server, its sessions and the watchdog have ended. */
  readonly ended: Promise<string>;
}

/**
 * Starts a watchdog and then `exec`s the server, so that the child's pid is the postmaster's. The watchdog blocks on fd
 * 3, which closes when this Node process ends for any reason, and then sends SIGINT to the pid in `postmaster.pid` if
 * that is still the server. It is detached from the shell, because a postmaster does not expect a child that it has not
 * started. It checks `postmaster.pid` because process ids are reused, and repeats the check because the server may not
 * have written the file yet.
 */
const START_WITH_WATCHDOG = `
( (
  read -r gone <&3
  for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 $$ 2>/dev/null || exit
    [ "$(sed -n 1p postmaster.pid 2>/dev/null)" = $$ ] && kill -INT $$ && exit
    sleep 0.1
  done
) & )
exec 3<&-
exec "$@"`;

/**
 * Errors of a start that can succeed later: another program has taken the port, or sessions of a killed postmaster have
 * not ended.
 */
const RETRYABLE_ERROR = /could not create any TCP\/IP sockets|pre-existing shared memory block/;
/** Time within which a failed start is repeated. */
const RETRY_PERIOD_MS = 10_000;
/** Maximum duration of a start, which may include crash recovery. */
const READY_TIMEOUT_MS = 300_000;
/** Characters of the error output that are stored. */
const MAX_LAST_WORDS = 2_000;

/** Starts the server as a child in a new session, so that Ctrl-C in a terminal signals only Node. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const deadline = Date.now() + RETRY_PERIOD_MS;
  for (;;) {
    const port = options.port ?? (await freePort());
    const { child, ended } = spawnServer(options, port);
    await once(child, 'spawn');
    const postmaster = await untilReady(child, options.folder);
    if (postmaster) return { postmaster, port, ended };
    const lastWords = await ended;
    if (!RETRYABLE_ERROR.test(lastWords) || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start: ${lastWords}`);
    }
    await pause(100);
  }
}

function spawnServer(options: ServerOptions, port: number): { child: ChildProcess; ended: Promise<string> } {
  const { folder, account, postgres, settings } = options;
  const network = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const parameters = Object.entries({ ...settings, ...network }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', START_WITH_WATCHDOG, 'sh', postgres, '-D', folder, ...parameters], {
    uid: account.uid,
    gid: account.gid,
    cwd: folder,
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let lastWords = '';
  child.stderr?.on('data', (chunk: Buffer) => (lastWords = (lastWords + chunk.toString()).slice(-MAX_LAST_WORDS)));
  child.once('exit', () => child.stdio[3]?.destroy());
  return { child, ended: new Promise((resolve) => child.once('close', () => resolve(lastWords.trim()))) };
}

/**
 * Waits until `postmaster.pid` contains the state `ready`, which needs no connection. Returns undefined if the server
 * ended.
 */
async function untilReady(child: ChildProcess, folder: string): Promise<LivingProcess | undefined> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const lines = (await readIfPresent(join(folder, 'postmaster.pid')))?.split('\n') ?? [];
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return livingProcess(Number(child.pid));
    if (Date.now() > deadline) child.kill('SIGINT');
    await pause(10);
  }
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
