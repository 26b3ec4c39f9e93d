import { Client } from 'pg';
import { MAX_IDLE_TRANSACTION_MS, commandLimits, sessionUrl } from '../../subgraphs/server/database/database-login';

/** Maximum pause between two statements, in which the disk of backups stores what was written: a table, or the list. */
export const MAX_FILE_PAUSE_MS = 900_000;

/** Limits of a session of a command. */
interface SessionLimits {
  /** By default, as long as the network takes. */
  readonly connectionTimeoutMs?: number;
  /** Time after which the server ends a session that is idle in a transaction, or does not read the rows of a statement. */
  readonly idleTransactionMs?: number;
  /** Time after which the server ends a session that is idle outside a transaction, with its locks. By default, there is none. */
  readonly idleSessionMs?: number;
}

/** Connects to a database, runs the work and disconnects. */
export async function inSession<Result>(
  databaseUrl: string,
  { connectionTimeoutMs = 0, idleTransactionMs = MAX_IDLE_TRANSACTION_MS, idleSessionMs = 0 }: SessionLimits,
  work: (session: Client) => Promise<Result>,
): Promise<Result> {
  const limits = `${commandLimits(idleTransactionMs)} -c idle_session_timeout=${idleSessionMs}`;
  const connectionString = sessionUrl(databaseUrl, limits);
  const session = new Client({ connectionString, connectionTimeoutMillis: connectionTimeoutMs });
  session.on('error', () => undefined); // fails the running or the next statement
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
