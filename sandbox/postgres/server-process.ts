import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER_ENVIRONMENT, type ServerAccount } from './account';
import { livingProcess, type LivingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** What a server is started with. */
export interface ServerPlan {
  readonly folder: string;
  readonly account: ServerAccount;
  /** Absolute path of the program. */
  readonly postgres: string;
  /** Default: a free port, chosen anew for each start. */
  readonly port?: number | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/** A server that accepts connections. */
export interface ServerProcess {
  readonly postmaster: LivingProcess;
  readonly port: number;
  /** Resolves with the server's last words when the server, its sessions and the guard have ended, for whatever reason. */
  readonly ended: Promise<string>;
}

/**
 * `exec` makes the shell the server, whose number the child then has. Before, it leaves a guard that waits for the far end of pipe 3
 * to close, which happens when this Node process dies in any way, and then shuts the server down. The guard is nobody's
 * child, since a postmaster does not expect any that it did not start. It checks `postmaster.pid` because numbers are used again,
 * and a few times because the server may not have written it yet.
 */
const GUARDED = `
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

/** Another program took the port meanwhile, or sessions of a killed postmaster have not ended yet. */
const WORTH_TRYING_AGAIN = /could not create any TCP\/IP sockets|pre-existing shared memory block/;
/** Milliseconds during which a start is tried again. */
const TRY_FOR = 10_000;
/** Milliseconds for crash recovery. */
const READY_WITHIN = 300_000;
/** Characters of the server's last words that are kept. */
const LAST_WORDS = 2_000;

/** Starts the server as a child in a session of its own, so that Ctrl-C in a terminal reaches only Node. */
export async function startServer(plan: ServerPlan): Promise<ServerProcess> {
  const deadline = Date.now() + TRY_FOR;
  for (;;) {
    const port = plan.port ?? (await freePort());
    const { child, ended } = spawnServer(plan, port);
    await once(child, 'spawn');
    const postmaster = await untilReady(child, plan.folder);
    if (postmaster) return { postmaster, port, ended };
    const lastWords = await ended;
    if (!WORTH_TRYING_AGAIN.test(lastWords) || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start: ${lastWords}`);
    }
    await pause(100);
  }
}

function spawnServer(plan: ServerPlan, port: number): { child: ChildProcess; ended: Promise<string> } {
  const { folder, account, postgres, settings } = plan;
  const network = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const options = Object.entries({ ...settings, ...network }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', GUARDED, 'sh', postgres, '-D', folder, ...options], {
    uid: account.uid,
    gid: account.gid,
    cwd: folder,
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let lastWords = '';
  child.stderr?.on('data', (words: Buffer) => (lastWords = (lastWords + words.toString()).slice(-LAST_WORDS)));
  child.once('exit', () => child.stdio[3]?.destroy());
  return { child, ended: new Promise((resolve) => child.once('close', () => resolve(lastWords.trim()))) };
}

/** PostgreSQL writes its state into `postmaster.pid`: no connection is needed to ask. Undefined when the server ended. */
async function untilReady(child: ChildProcess, folder: string): Promise<LivingProcess | undefined> {
  const deadline = Date.now() + READY_WITHIN;
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
