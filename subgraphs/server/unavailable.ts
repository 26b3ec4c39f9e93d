/** Node and PostgreSQL error codes of a database that cannot be reached. */
const UNREACHABLE_CODE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|57P0|08)/;
/**
 * PostgreSQL error codes of a statement that the server abandoned (resources, timeout, deadlock, lock, system error), of
 * a server that is read-only (25006: a standby, or a primary that was demoted), and of one that rejects the login of this
 * process (28: its password was changed).
 */
const ABANDONED_CODE = /^(53|57014|40001|40P01|55P03|58|25006|28)/;
/** Messages of pg, TypeORM and graphile-worker without a code, for connections that are lost or not established. */
const UNREACHABLE_MESSAGE =
  /Connection terminated|connection timeout|timeout (exceeded|expired)|Query read timeout|not queryable|Client has encountered|pool after calling end|Driver not Connected|Connection is not established/i;

/** Message of pg-pool after a wait for one of its connections, which all were in use: the database may be available. */
const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect';

/** Returns true if an error means that the database cannot be reached, abandoned the statement, or is read-only. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return unavailabilityKind(error) !== undefined;
}

/**
 * Returns `unreachable`, `no free connection` or the PostgreSQL error code if the database is unavailable to this process;
 * undefined for every other error.
 */
export function unavailabilityKind(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && ABANDONED_CODE.test(code)) return code;
  if (message === NO_FREE_CONNECTION) return 'no free connection';
  const isUnreachable =
    (typeof code === 'string' && UNREACHABLE_CODE.test(code)) || UNREACHABLE_MESSAGE.test(String(message));
  return isUnreachable ? 'unreachable' : undefined;
}
