import { Client } from 'pg';

/** Connects to a database, runs the work and disconnects. A connection timeout of 0 waits as long as the network does. */
export async function inSession<Result>(
  databaseUrl: string,
  connectionTimeoutMillis: number,
  work: (session: Client) => Promise<Result>,
): Promise<Result> {
  const session = new Client({ connectionString: databaseUrl, connectionTimeoutMillis });
  session.on('error', () => undefined); // fails the running or the next statement
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
