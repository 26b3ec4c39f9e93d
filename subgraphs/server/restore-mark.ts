import { type Session, onlyRow } from './database/transaction';

/** Table that exists from the start of a restore until the restore has completed. */
export const RESTORE_MARK = 'register.restore_in_progress';

/** Throws if a restore of this database has not completed: its data must be neither served nor backed up. */
export async function rejectUnfinishedRestore(session: Session): Promise<void> {
  const result = await session.query<{ marked: boolean }>('select to_regclass($1) is not null as marked', [
    RESTORE_MARK,
  ]);
  if (onlyRow(result).marked) throw new Error('the restore of this database has not completed: run it again');
}
