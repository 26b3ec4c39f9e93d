import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { keyedHash } from '../keyed-hash';
import { ConnectionBudget } from './connection-budget';

/**
 * Which login the sessions of a subgraph have:
 *
 * - `derived`: one that the subgraph creates itself, with the owner's login of the URL;
 * - `service`: that of the URL, which the migration job has created with the tables;
 * - `owner`: that of the URL, the owner's, for a command in production.
 */
export type Login = 'derived' | 'service' | 'owner';

/** The database access of one subgraph: one PostgreSQL schema, and a login with rights on that schema only. */
export interface DatabaseAddress {
  /** URL of the database: with the login of the owner or of the subgraph. */
  readonly url: string;
  readonly login: Login;
  /** Counts the connections of this process, and bounds its pools. */
  readonly connections: ConnectionBudget;
  /** Schema of the subgraph, first in the search path. */
  readonly schema: string;
  /** Role of the sessions. That of a running subgraph is a member of no other role and owns nothing. */
  readonly role: string;
  readonly password: string;
}

/** How a process connects a subgraph to the database; by default with a login that it derives and creates itself. */
export type LoginOptions = Partial<Pick<DatabaseAddress, 'login' | 'connections'>>;

/** Bytes of an identifier after which PostgreSQL truncates it. */
const MAX_IDENTIFIER_BYTES = 63;

/**
 * Returns the database access of a subgraph. Roles are shared by all databases of a server, so the role name contains
 * the database. The password is derived from a key of the subgraph: no configuration is needed, and no process without
 * the key can log in. Another login than a derived one is that of the URL.
 */
export function databaseAddress(
  url: string,
  schema: string,
  key: Buffer,
  { login = 'derived', connections = new ConnectionBudget() }: LoginOptions = {},
): DatabaseAddress {
  const { database = '', user = '', password } = new Client({ connectionString: url });
  const common = { url, schema, login, connections };
  if (login !== 'derived') return { ...common, role: user, password: password ?? '' };
  const role = runtimeRole(schema, database);
  return { ...common, role, password: keyedHash(key, 'database-login')(role).toString('base64url') };
}

/**
 * Returns `<schema>_<database>_<hash>`: readable, and unique for databases whose names differ only in characters that
 * are replaced.
 */
function runtimeRole(schema: string, database: string): string {
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 8);
  const readable = `${schema}_${database.toLowerCase().replace(/[^a-z0-9_]/g, '_')}`;
  return `${readable.slice(0, MAX_IDENTIFIER_BYTES - hash.length - 1)}_${hash}`;
}

/**
 * Adds session options, and optionally another login, to a URL. pg prefers parameters of a URL over its user and
 * password.
 */
export function sessionUrl(url: string, options: string, login?: Pick<DatabaseAddress, 'role' | 'password'>): string {
  const session = new URL(url);
  const present = session.searchParams.get('options');
  session.searchParams.set('options', present === null ? options : `${present} ${options}`);
  if (login !== undefined) {
    session.username = '';
    session.password = '';
    session.searchParams.set('user', login.role);
    session.searchParams.set('password', login.password);
  }
  return session.href;
}

/** Options of a session that the server ends within a minute after the host of its client is lost. */
export const KEEPALIVES = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

/** Maximum pause between two statements of a transaction of a command that writes no file meanwhile. */
export const MAX_IDLE_TRANSACTION_MS = 60_000;

/**
 * Options of the session of a command: the server ends an idle transaction, such as that of a frozen process, a statement
 * whose rows are not read for as long, and the session of a lost host. Otherwise their locks and snapshot would last for hours.
 */
export const commandLimits = (idleTransactionMs: number): string => {
  const unreadMs = Math.min(idleTransactionMs, MAX_IDLE_TRANSACTION_MS);
  return `-c idle_in_transaction_session_timeout=${idleTransactionMs} -c tcp_user_timeout=${unreadMs} ${KEEPALIVES}`;
};

const ITERATIONS = 4096;

/**
 * Returns the verifier that PostgreSQL stores for a password (RFC 5802, RFC 7677). Sent instead of the password, which
 * no log then contains.
 */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
