import type { Pool, PoolClient } from 'pg';
import { inTransactionOf } from '../../server/transaction';

/** Names the lock by which a process holds the version `$1` that it stages. */
export const HOLD_STAGED = 'hashtextextended($1, 2)';

/**
 * Removes a version that was not published, in short transactions, the rows that are many first: interrupted anywhere, it can begin
 * again. A published one is left as it is. The last transaction waits for what a process that was killed had still asked for, and
 * whatever it asks for later finds no version to add to.
 */
export async function removeStaged(session: PoolClient, id: string): Promise<void> {
  if ((await session.query(STILL_STAGED, [id])).rowCount === 0) return;
  await removeParts(session, id);
  const last = async () => {
    const { rowCount } = await session.query(`${STILL_STAGED} for update`, [id]);
    if (rowCount === 0) return;
    await removeParts(session, id);
    await session.query('delete from project_version where id = $1', [id]);
  };
  await inTransactionOf(session, last, NOT_KEPT);
}

/** Who gives the session gives it up when anything fails. */
const NOT_KEPT = (): void => undefined;

const STILL_STAGED = 'select from project_version where id = $1 and version is null';

async function removeParts(session: PoolClient, id: string): Promise<void> {
  for (const removal of REMOVALS) while ((await session.query(removal, [id])).rowCount) continue;
}

/** Removes every version that was staged and left by its process; those that are held go on. Answers how many it were. */
export async function removeLeft(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ id: string }>('select id from project_version where version is null');
  let removed = 0;
  for (const { id } of rows) if (await withHold(pool, id, (session) => removeStaged(session, id))) removed += 1;
  return removed;
}

/** Works while nobody else holds the version; false when somebody does. */
async function withHold(pool: Pool, id: string, work: (session: PoolClient) => Promise<void>): Promise<boolean> {
  const session = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await session.query<{ held: boolean }>(`select pg_try_advisory_lock(${HOLD_STAGED}) as held`, [
      id,
    ]);
    if (rows[0]?.held !== true) return false;
    await work(session);
    await session.query(`select pg_advisory_unlock(${HOLD_STAGED})`, [id]);
    return true;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    session.release(broken);
  }
}

const MODELS = 'select number from difference_model where project_version = $1';
const CONTENTS = 'select number from content where project_version = $1';

/** Some rows of a table that belong to the version, as many as one short transaction removes. */
const removal = (table: string, column: string, owners: string, rows: number): string => `
  delete from ${table} where ctid = any (array(select ctid from ${table} where ${column} in (${owners}) limit ${rows}))`;

const REMOVALS = [
  removal('item_statement', 'model', MODELS, 20_000),
  removal('difference_item', 'model', MODELS, 10_000),
  removal('object_change', 'project_version', 'select $1::uuid', 10_000),
  removal('grid_location', 'project_version', 'select $1::uuid', 10_000),
  removal('content_chunk', 'content', CONTENTS, 64),
];
