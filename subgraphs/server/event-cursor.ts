import { refuseCursor } from './connection';

/** Where an event stands in the log: eras one after the other, in each the transactions by number, in each its events. */
export interface EventPosition {
  readonly era: string;
  readonly tx: string;
  readonly position: string;
}

const POSITION = /^(\d{1,18}) (\d{1,18}) (\d{1,18})$/;

/** The cursor of a position: opaque to whoever receives it. */
export function eventCursor({ era, tx, position }: EventPosition): string {
  return Buffer.from(`${era} ${tx} ${position}`).toString('base64url');
}

/**
 * The position that a cursor stands for, as values of a statement; null and the empty text are before every event. VAL001 when it
 * is none of ours.
 */
export function eventPosition(cursor: string | null): readonly [era: string, tx: string, position: string] {
  if (!cursor) return ['0', '0', '0'];
  const match = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match ? [match[1] as string, match[2] as string, match[3] as string] : refuseCursor();
}

/** Comes after the position whose values are the first three of a statement. */
export const AFTER_POSITION = '(era, tx, position) > ($1::bigint, $2::xid8, $3::bigint)';

/**
 * What readers see: only events of transactions before the oldest that is still under way. Whatever that one and later ones write comes
 * after all of it, so that no cursor ever skips an event that is committed late.
 */
export const IS_SETTLED = '(era, tx, position) < (event_era(), pg_snapshot_xmin(pg_current_snapshot()), 0)';

/** What readers do not see yet. */
export const IS_UNSETTLED = '(era, tx, position) >= (event_era(), pg_snapshot_xmin(pg_current_snapshot()), 0)';

/**
 * A position that this log has not come to: it was given in a life of the database that was lost since, by a recovery to a point in time
 * or the promotion of a standby. The head of the log is at most at the first transaction to come, before its first event.
 */
export const IS_FROM_FUTURE =
  '($1::bigint, $2::xid8, $3::bigint) > (event_era(), pg_snapshot_xmax(pg_current_snapshot()), 0)';
