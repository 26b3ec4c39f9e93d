import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inTransactionOf } from '../../server/database/transaction';
import { STAGING_LOCK, type StagedTable, removeStaged } from './staged-removal.repository';

/** A row being staged. Its session holds an advisory lock, so that the clean-up job does not delete the row as abandoned. */
interface Staging<Row> {
  readonly id: string;
  /** What `insert` returned. */
  readonly row: Row;
  /** Runs `work` in a transaction of the session that holds the lock: if that session is lost, nothing is published. */
  inTransaction<Result>(work: (session: PoolClient) => Promise<Result>): Promise<Result>;
  /** Deletes the row unless it is published, and releases the session. On an error, the clean-up job deletes it later. */
  end(): Promise<void>;
}

/** Starts to stage a row, which `insert` adds to a table under a new id. */
export async function openStaging<Row>(
  pool: Pool,
  table: StagedTable,
  insert: (session: PoolClient, id: string) => Promise<Row>,
): Promise<Staging<Row>> {
  const id = randomUUID();
  const session = await pool.connect();
  let broken: Error | undefined;
  const onBroken = (failure: Error) => (broken ??= failure);
  let row: Row;
  try {
    await session.query(`select pg_advisory_lock(${STAGING_LOCK})`, [id]);
    row = await insert(session, id);
  } catch (error) {
    session.release(error as Error);
    throw error;
  }
  return {
    id,
    row,
    inTransaction: (work) => inTransactionOf(session, work, onBroken),
    end: async () => {
      try {
        await removeStaged(session, table, id);
        await session.query(`select pg_advisory_unlock(${STAGING_LOCK})`, [id]);
      } catch (error) {
        onBroken(error as Error);
      }
      session.release(broken);
    },
  };
}
