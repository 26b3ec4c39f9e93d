import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { keyedHash } from './keyed-hash';

/** How one subgraph reaches its tables: one PostgreSQL schema, one login that has rights on that schema only. */
export interface DatabaseAddress {
  /** The owner's URL of the database: for migrations only. */
  readonly url: string;
  /** Schema of the subgraph, first in the search path. */
  readonly schema: string;
  /** Role that the running subgraph logs in as; it is a member of no other and owns nothing. */
  readonly role: string;
  readonly password: string;
}

/** Bytes that PostgreSQL keeps of an identifier. */
const LONGEST_IDENTIFIER = 63;

/**
 * The address of a subgraph. Roles belong to the whole server, so the name tells the database, too. The password is made of the
 * subgraph's own key: whoever cannot read that key cannot log in as the subgraph, and nothing has to be configured.
 */
export function databaseAddress(url: string, schema: string, key: Buffer): DatabaseAddress {
  const role = runtimeRole(schema, new Client({ connectionString: url }).database ?? '');
  return { url, schema, role, password: keyedHash(key, 'database-login')(role).toString('base64url') };
}

/** `<schema>_<database>_<hash>`: readable, and another one for each database, however its name is spelt. */
function runtimeRole(schema: string, database: string): string {
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 8);
  const readable = `${schema}_${database.toLowerCase().replace(/[^a-z0-9_]/g, '_')}`;
  return `${readable.slice(0, LONGEST_IDENTIFIER - hash.length - 1)}_${hash}`;
}

/** The URL for sessions with these options, of another login if one is given. Parameters win over the rest of a URL. */
export function sessionUrl(url: string, options: string, login?: Pick<DatabaseAddress, 'role' | 'password'>): string {
  const session = new URL(url);
  const given = session.searchParams.get('options');
  session.searchParams.set('options', given === null ? options : `${given} ${options}`);
  if (login !== undefined) {
    session.username = '';
    session.password = '';
    session.searchParams.set('user', login.role);
    session.searchParams.set('password', login.password);
  }
  return session.href;
}

const ITERATIONS = 4096;

/** What PostgreSQL keeps of a password (RFC 5802 and 7677): sent in its place, so that no log of a server has the password. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
