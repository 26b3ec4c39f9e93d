import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The operating system account that runs the server. Without `uid` it is the account of this process. */
export interface ServerAccount {
  readonly name: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** Remedy in the message of a start that cannot succeed on this machine. */
export const USE_DATABASE_URL = 'Set DATABASE_URL to an existing PostgreSQL 15 to 18 instead.';

/**
 * The complete environment of the server and its tools, so that no PG* variable of a system PostgreSQL has an effect.
 */
export const SERVER_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: process.platform === 'darwin' ? 'C' : 'C.UTF-8',
  TZ: 'UTC',
};

/**
 * Returns the account that runs the server, which must not run as root: the account of this process or, for root, the
 * owner of an existing data folder, otherwise `postgres`, otherwise `nobody`. Never creates an account. Throws if root
 * may not change to the account.
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
  const account = ['postgres', 'nobody']
    .map((candidate) => accounts.find(({ name }) => name === candidate))
    .find(Boolean);
  if (!account) throw new Error(`PostgreSQL cannot run as root and there is no account "nobody". ${USE_DATABASE_URL}`);
  return account;
}

function passwdEntry(line: string): { name: string; uid: number; gid: number } {
  const [name = '', , uid, gid] = line.split(':');
  return { name, uid: Number(uid), gid: Number(gid) };
}

/** Runs a program as the account; returns its standard output and throws its standard error. */
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

/** Returns true if the account can enter the folder and all folders above it. */
export async function canEnter(account: ServerAccount, folder: string): Promise<boolean> {
  const output = await runAs(account, '/bin/sh', ['-c', 'cd -- "$1" 2>/dev/null && echo yes || echo no', 'sh', folder]);
  return output.trim() === 'yes';
}
