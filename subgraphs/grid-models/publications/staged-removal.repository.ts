import type { Pool, PoolClient } from 'pg';
import { inTransactionOf } from '../../server/database/transaction';

/** Key of the advisory lock that a process holds on the version or base model `$1` that it stages. */
export const STAGING_LOCK = 'hashtextextended($1, 2)';

/** A table whose rows are staged without a version, with the statements that delete the rows that belong to the row `$1`. */
export interface StagedTable {
  readonly name: 'project_version' | 'base_model';
  /** Each deletes a bounded number of rows and is repeated until none is left. */
  readonly removals: readonly string[];
}

/**
 * Deletes a row that is not published, in short transactions, large tables first; it can be interrupted and repeated. Does nothing to a
 * published one. The last transaction waits for statements that a crashed process had sent; later ones find no row and fail.
 */
export async function removeStaged(session: PoolClient, staged: StagedTable, id: string): Promise<void> {
  const select = `select from ${staged.name} where id = $1 and version is null`;
  if ((await session.query(select, [id])).rowCount === 0) return;
  await removeParts(session, staged, id);
  const last = async () => {
    const { rowCount } = await session.query(`${select} for update`, [id]);
    if (rowCount === 0) return;
    await removeParts(session, staged, id);
    await session.query(`delete from ${staged.name} where id = $1`, [id]);
  };
  await inTransactionOf(session, last, IGNORE_BROKEN);
}

/** The caller discards the session on any error. */
const IGNORE_BROKEN = (): void => undefined;

async function removeParts(session: PoolClient, { removals }: StagedTable, id: string): Promise<void> {
  for (const removal of removals) while ((await session.query(removal, [id])).rowCount) continue;
}

/** Deletes every staged row whose lock is free, because its process has crashed. Returns their number. */
export async function removeAbandoned(pool: Pool, staged: StagedTable): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(`select id from ${staged.name} where version is null`);
  let removed = 0;
  for (const { id } of rows)
    if (await withStagingLock(pool, id, (session) => removeStaged(session, staged, id))) removed += 1;
  return removed;
}

/** Runs `work` under the lock of the staged row; returns false if another session holds it. */
async function withStagingLock(pool: Pool, id: string, work: (session: PoolClient) => Promise<void>): Promise<boolean> {
  const session = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await session.query<{ held: boolean }>(`select pg_try_advisory_lock(${STAGING_LOCK}) as held`, [
      id,
    ]);
    if (rows[0]?.held !== true) return false;
    await work(session);
    await session.query(`select pg_advisory_unlock(${STAGING_LOCK})`, [id]);
    return true;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    session.release(broken);
  }
}

/** Deletes up to `rows` rows of the owners from a table, so that the transaction stays short. */
const removal = (table: string, column: string, owners: string, rows: number): string => `
  delete from ${table} where ctid = any (array(select ctid from ${table} where ${column} in (${owners}) limit ${rows}))`;

const MODELS = 'select number from difference_model where project_version = $1';
const CONTENTS = 'select number from content where project_version = $1';

/** Versions of projects. The rows that no statement names are deleted with the version. */
export const STAGED_VERSIONS: StagedTable = {
  name: 'project_version',
  removals: [
    removal('item_statement', 'model', MODELS, 20_000),
    removal('difference_item', 'model', MODELS, 10_000),
    removal('model_precondition', 'model', MODELS, 10_000),
    removal('object_change', 'project_version', 'select $1::uuid', 10_000),
    removal('grid_location', 'project_version', 'select $1::uuid', 10_000),
    removal('content_chunk', 'content', CONTENTS, 64),
  ],
};

/**
 * Deletes up to `rows` rows of a base model. The order is that of the primary key: without statistics the planner might otherwise scan the
 * whole table for each batch.
 */
const removalOfBase = (table: string, key: string, rows: number): string => `
  delete from ${table} where ctid = any (array(
    select ctid from ${table} where base = (select number from base_model where id = $1) order by ${key} limit ${rows}))`;

/** Base models. No foreign key deletes their items and references. */
export const STAGED_BASES: StagedTable = {
  name: 'base_model',
  removals: [
    removalOfBase('base_reference', 'target_key, file, item', 20_000),
    removalOfBase('base_item', 'file, number', 10_000),
    removalOfBase('base_chunk', 'number', 64),
    removalOfBase('base_file', 'file', 3),
  ],
};
