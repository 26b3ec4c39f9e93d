/** A table that stands while a restore of the database has not ended. */
export const RESTORE_MARK = 'register.restore_in_progress';

/** What is half restored is neither served nor backed up. */
export async function refuseUnfinishedRestore(session: {
  query(text: string, values: unknown[]): Promise<unknown>;
}): Promise<void> {
  const answer = await session.query('select to_regclass($1) is not null as marked', [RESTORE_MARK]);
  const [row] = (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as [{ marked: boolean }];
  if (row.marked) throw new Error('the restore of this database did not end: run it again');
}
