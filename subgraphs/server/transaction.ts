import type { Pool, PoolClient } from 'pg';

/** What a statement can be sent to: the pool by itself, or the session of a transaction. */
export type Session = Pick<PoolClient, 'query'>;

/** Does work in one transaction: all of it is committed, or none. */
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

/** The same in a session that one has; `onBroken` is told when it cannot be used any more. */
export async function inTransactionOf<Result>(
  session: PoolClient,
  work: (session: PoolClient) => Promise<Result>,
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
