import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The operating system account that runs the server; without `uid` it is our own. */
export interface ServerAccount {
  readonly name: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** What a start that cannot succeed on this machine ends with. */
export const USE_DATABASE_URL = 'Set DATABASE_URL to an existing PostgreSQL 15 to 18 instead.';

/** The whole environment of the server and its tools: no PG* variable of a system PostgreSQL is picked up. */
export const SERVER_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: process.platform === 'darwin' ? 'C' : 'C.UTF-8',
  TZ: 'UTC',
};

/**
 * Who runs the server, which refuses to run as root: ourselves or, for root, the owner of a data folder that exists already,
 * else `postgres`, else `nobody`. Accounts are never created. Fails where root may not change to that account.
 */
export async function serverAccount(dataFolder: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return { name: 'this account' };
  const account = await accountForRoot(dataFolder);
  await runAs(account, '/bin/sh', ['-c', ':']);
  return account;
}

async function accountForRoot(dataFolder: string): Promise<ServerAccount> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map(passwdEntry);
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    const name = accounts.find(({ uid }) => uid === owner.uid)?.name ?? `account ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  const account = ['postgres', 'nobody'].map((wanted) => accounts.find(({ name }) => name === wanted)).find(Boolean);
  if (!account) throw new Error(`PostgreSQL cannot run as root and there is no account "nobody". ${USE_DATABASE_URL}`);
  return account;
}

function passwdEntry(line: string): { name: string; uid: number; gid: number } {
  const [name = '', , uid, gid] = line.split(':');
  return { name, uid: Number(uid), gid: Number(gid) };
}

/** Runs a program to its end as the account and gives its standard output; fails with its standard error. */
export async function runAs(account: ServerAccount, program: string, args: readonly string[]): Promise<string> {
  const { uid, gid } = account;
  try {
    const { stdout } = await promisify(execFile)(program, args, { uid, gid, env: SERVER_ENVIRONMENT, cwd: '/' });
    return stdout;
  } catch (error) {
    if (uid !== undefined && (error as NodeJS.ErrnoException).code === 'EPERM') {
      throw new Error(`Root may not start PostgreSQL as ${account.name} here. ${USE_DATABASE_URL}`, { cause: error });
    }
    throw error;
  }
}

/** Whether the account can enter the folder, which also needs the right to pass every folder above it. */
export async function canEnter(account: ServerAccount, folder: string): Promise<boolean> {
  const answer = await runAs(account, '/bin/sh', ['-c', 'cd -- "$1" 2>/dev/null && echo yes || echo no', 'sh', folder]);
  return answer.trim() === 'yes';
}
