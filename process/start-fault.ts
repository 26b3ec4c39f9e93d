import type { Environment } from './environment';
import { DEFAULT_PORTS, SettingsError } from './settings';

/** PostgreSQL and Node codes that mean: what DATABASE_URL names cannot be used. */
const DATABASE_FAULT = /^(ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|3D000|28P01|28000|57P03|ERR_INVALID_URL)$/;
/** Node codes that mean: the data folder cannot be used. */
const FOLDER_FAULT = /^(EACCES|EPERM|EROFS|EEXIST|ENOTDIR|ENOSPC)$/;

/** What stands between the register and its start, in one sentence that names the variable to look at. */
export function startFault(error: unknown, environment: Environment): string {
  const fault = commandFault(error, environment);
  return error instanceof SettingsError ? fault : `the register cannot start: ${fault}`;
}

/** What stands in the way of a command: the same, without a word of the register's start unless settings say it themselves. */
export function commandFault(error: unknown, environment: Environment): string {
  if (error instanceof SettingsError) return error.message;
  const { code, port, message } = faultOf(error);
  if (code === 'EADDRINUSE') {
    const ports = Object.entries(DEFAULT_PORTS).map(([name, otherwise]) => [
      name,
      environment[name] ?? String(otherwise),
    ]);
    const variable = ports.find(([, chosen]) => chosen === String(port))?.[0] ?? 'another variable';
    return `port ${String(port)} is in use; ${variable} chooses another`;
  }
  if (code !== undefined && DATABASE_FAULT.test(code)) return `DATABASE_URL cannot be used: ${message}`;
  if (code !== undefined && FOLDER_FAULT.test(code)) return `DATA_DIR cannot be used: ${message}`;
  return `${message}${environment['LOG_LEVEL'] === 'debug' ? `\n${stackOf(error)}` : ' (LOG_LEVEL=debug tells where)'}`;
}

/** The first fault of a chain that has a code; connecting to a name with several addresses gives several. */
function faultOf(error: unknown): { code?: string; port?: unknown; message: string } {
  const { code, port, message, cause, errors } = error as Error & { code?: string; port?: unknown; errors?: unknown[] };
  if (code === undefined && cause instanceof Error)
    return { ...faultOf(cause), message: message || faultOf(cause).message };
  if (code === undefined && errors?.[0] !== undefined) return faultOf(errors[0]);
  return { ...(code === undefined ? {} : { code }), port, message: message || (code ?? String(error)) };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
