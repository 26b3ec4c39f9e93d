/** Table that exists from the start of a restore until the restore has completed. */
export const RESTORE_MARK = 'register.restore_in_progress';

/** Throws if a restore of this database has not completed: its data must be neither served nor backed up. */
export async function rejectUnfinishedRestore(session: {
  query(text: string, values: unknown[]): Promise<unknown>;
}): Promise<void> {
  const result = await session.query('select to_regclass($1) is not null as marked', [RESTORE_MARK]);
  const [row] = (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as [{ marked: boolean }];
  if (row.marked) throw new Error('the restore of this database has not completed: run it again');
}
