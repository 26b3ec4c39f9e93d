/** Node and PostgreSQL codes that mean: the database cannot be reached. */
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|57P0|08)/;
/** PostgreSQL codes that mean: it gave up, or can only be read (25006: a standby, or a primary that was made one). */
const GAVE_UP = /^(53|57014|40001|40P01|55P03|58|25006)/;
const AWAY_MESSAGE =
  /Connection terminated|connection timeout|timeout (exceeded|expired)|Query read timeout|not queryable|Client has encountered|pool after calling end|Driver not Connected|Connection is not established/i;
/** Whether a failure means that the database cannot be reached, gave up, or can only be read. */
export function isAway(error: unknown): boolean {
  return awayKind(error) !== undefined;
}

/** What keeps the database from its work: one word for all ways of not reaching it, else PostgreSQL's code; undefined for other failures. */
export function awayKind(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && GAVE_UP.test(code)) return code;
  const isUnreachable = (typeof code === 'string' && UNREACHABLE.test(code)) || AWAY_MESSAGE.test(String(message));
  return isUnreachable ? 'unreachable' : undefined;
}
