import { Client } from 'pg';
import { MAX_IDLE_TRANSACTION_MS, commandLimits, sessionUrl } from '../../subgraphs/server/database/database-login';

/** Limits of a session of a command. */
interface SessionLimits {
  /** By default, as long as the network takes. */
  readonly connectionTimeoutMs?: number;
  /** Idle time after which the server ends a transaction. */
  readonly idleTransactionMs?: number;
}

/** Connects to a database, runs the work and disconnects. */
export async function inSession<Result>(
  databaseUrl: string,
  { connectionTimeoutMs = 0, idleTransactionMs = MAX_IDLE_TRANSACTION_MS }: SessionLimits,
  work: (session: Client) => Promise<Result>,
): Promise<Result> {
  const connectionString = sessionUrl(databaseUrl, commandLimits(idleTransactionMs));
  const session = new Client({ connectionString, connectionTimeoutMillis: connectionTimeoutMs });
  session.on('error', () => undefined); // fails the running or the next statement
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
