import type { Pool, PoolClient } from 'pg';

/** Runs statements: a pool, or the session of a transaction. */
export type Session = Pick<PoolClient, 'query'>;

/** Returns the row of a statement that always returns one. Throws if there is none. */
export function onlyRow<Row>({ rows: [row] }: { readonly rows: readonly Row[] }): Row {
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

/** Runs `work` in one transaction of a pooled session; commits if it succeeds and rolls back if it throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (session: PoolClient) => Promise<Result>,
): Promise<Result> {
  const session = await pool.connect();
  let broken: Error | undefined;
  try {
    return await inTransactionOf(session, work, (failure) => (broken = failure));
  } finally {
    session.release(broken);
  }
}

/**
 * Runs `work` in one transaction of the given session. Calls `onBroken` if the rollback fails, after which the session
 * is unusable.
 */
export async function inTransactionOf<Connection extends Session, Result>(
  session: Connection,
  work: (session: Connection) => Promise<Result>,
  onBroken: (failure: Error) => void,
): Promise<Result> {
  try {
    await session.query('begin');
    const result = await work(session);
    await session.query('commit');
    return result;
  } catch (error) {
    await session.query('rollback').catch((failure: unknown) => onBroken(failure as Error));
    throw error;
  }
}
