import { inspect } from 'node:util';
import { resolve } from 'node:path';
import type { Environment } from './settings/environment';
import { DEFAULT_PORTS } from './settings/ports';
import { SettingsError } from './settings/read-settings';

/**
 * PostgreSQL and Node error codes that mean that the database of DATABASE_URL cannot be reached or rejects the login.
 */
const DATABASE_ERROR = /^(ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|3D000|28P01|28000|57P03|ERR_INVALID_URL)$/;
/** Node error codes that mean that a path cannot be created or written. */
const PATH_ERROR = /^(EACCES|EPERM|EROFS|EEXIST|ENOTDIR|ENOSPC)$/;

/** Returns why the register cannot start, as text that names the variable to check. */
export function startupErrorMessage(error: unknown, environment: Environment): string {
  return `the register cannot start: ${commandErrorMessage(error, environment)}`;
}

/** Returns why a command failed, as text that names the variable to check. */
export function commandErrorMessage(error: unknown, environment: Environment): string {
  if (error instanceof SettingsError) return error.message;
  const { code, port, path, message, hostname } = rootCause(error);
  if (code === 'EADDRINUSE') return portInUseMessage(String(port), environment);
  if (hostname !== undefined && hostname === environment['HOST']) return `HOST cannot be used: ${message}`;
  if (code !== undefined && DATABASE_ERROR.test(code))
    return message.includes('DATABASE_URL') ? message : `DATABASE_URL cannot be used: ${message}`;
  if (code !== undefined && PATH_ERROR.test(code)) {
    if (path === undefined) return message; // a write to an open file: its error names no path
    const isInside = path.startsWith(resolve(environment['DATA_DIR'] || '.data'));
    return `${isInside ? 'DATA_DIR' : path} cannot be used: ${message}`;
  }
  const isDebug = environment['LOG_LEVEL'] === 'debug';
  return isDebug ? `${message}\n${stackOf(error)}` : `${message} (LOG_LEVEL=debug prints the stack)`;
}

/** Names the variable that configures the port. */
function portInUseMessage(port: string, environment: Environment): string {
  const ports = Object.entries(DEFAULT_PORTS).map(([name, byDefault]) => [
    name,
    environment[name] ?? String(byDefault),
  ]);
  const variable = ports.find(([, configured]) => configured === port)?.[0] ?? 'another variable';
  return `port ${port} is in use; choose another port with ${variable}`;
}

/** Fields of the errors of Node and of PostgreSQL. */
interface RootCause {
  readonly code?: string;
  readonly port?: unknown;
  readonly path?: string | undefined;
  /** The name that cannot be resolved. */
  readonly hostname?: string | undefined;
  readonly message: string;
}

/**
 * Returns the first error with a code in a chain of causes. Node reports an AggregateError when a host name has several
 * addresses and none accepts the connection; the first of its errors counts.
 */
function rootCause(error: unknown): RootCause {
  const { code, port, path, hostname, message, cause, errors } = error as Error & RootCause & { errors?: unknown[] };
  if (code === undefined && cause instanceof Error)
    return { ...rootCause(cause), message: message || rootCause(cause).message };
  if (code === undefined && errors?.[0] !== undefined) return rootCause(errors[0]);
  return { ...(code === undefined ? {} : { code }), port, path, hostname, message: message || (code ?? String(error)) };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}

/** Exits with status 1: the embedded PostgreSQL stopped and cannot be restarted. */
export function exitWithoutDatabase(error: unknown): void {
  process.stderr.write(`the embedded PostgreSQL stopped and cannot be restarted: ${inspect(error)}\n`);
  process.exit(1);
}
