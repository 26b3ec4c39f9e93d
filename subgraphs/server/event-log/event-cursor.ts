import { rejectCursor } from '../lists/connection';

/**
 * Position of an event in the log: log epoch (`era`), transaction id, position of the event; ordered in this sequence.
 */
export interface EventPosition {
  readonly era: string;
  readonly tx: string;
  readonly position: string;
}

const POSITION = /^(\d{1,18}) (\d{1,18}) (\d{1,18})$/;

/** Returns the cursor of a position. Clients need not understand it; who decodes it learns the number of all events (docs/decisions-a-b.md, 5). */
export function eventCursor({ era, tx, position }: EventPosition): string {
  return Buffer.from(`${era} ${tx} ${position}`).toString('base64url');
}

/**
 * Returns the position of a cursor, as values of a statement; the position before every event for null and the empty
 * text. Throws VAL001 for a text that is not a cursor.
 */
export function eventPosition(cursor: string | null): readonly [era: string, tx: string, position: string] {
  if (!cursor) return ['0', '0', '0'];
  const match = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match ? [match[1] as string, match[2] as string, match[3] as string] : rejectCursor();
}

/** Selects events after the position in the first three parameters of a statement. */
export const AFTER_POSITION = '(era, tx, position) > ($1::bigint, $2::xid8, $3::bigint)';

/**
 * Selects events of transactions below `pg_snapshot_xmin`, the oldest one still running. Every open transaction sorts
 * after them, so a cursor never skips a late commit.
 */
export const IS_STABLE = '(era, tx, position) < (event_era(), pg_snapshot_xmin(pg_current_snapshot()), 0)';

/** Selects committed events that readers do not receive yet. */
export const IS_UNSTABLE = '(era, tx, position) >= (event_era(), pg_snapshot_xmin(pg_current_snapshot()), 0)';

/**
 * Selects whether a position is beyond the end of the log. Its cursor was issued on a database timeline that was lost,
 * by a point-in-time recovery or the promotion of a standby. The end of the log is at most the next transaction id
 * (`pg_snapshot_xmax`).
 */
export const IS_FROM_FUTURE =
  '($1::bigint, $2::xid8, $3::bigint) > (event_era(), pg_snapshot_xmax(pg_current_snapshot()), 0)';
