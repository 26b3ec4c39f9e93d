import { refuseCursor } from './connection';

/** The cursor of a row that is ordered by a text. */
export function textCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** The text after which a page begins, empty for the first page; VAL001 when the cursor is none of ours. */
export function textPosition(cursor: string | null): string {
  if (cursor === null) return '';
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  const isOurs = position !== '' && !position.includes('\0') && textCursor(position) === cursor;
  return isOurs ? position : refuseCursor();
}

const NUMBER = /^\d{1,9}$/;

/** The number after which a page begins, -1 for the first page; VAL001 when the cursor is none of ours. */
export function numberPosition(cursor: string | null): number {
  const position = textPosition(cursor);
  if (cursor === null) return -1;
  return NUMBER.test(position) ? Number(position) : refuseCursor();
}
