import { rejectCursor } from './connection';

/** Separates the texts of a cursor. XML 1.0 excludes it from names and identifiers. */
export const CURSOR_SEPARATOR = '\u0003';

/** Returns the cursor of a row in a list that is ordered by texts. */
export function textCursor(...position: readonly string[]): string {
  return Buffer.from(position.join(CURSOR_SEPARATOR)).toString('base64url');
}

/**
 * Decodes a cursor into the sort key after which the page starts; the empty string for the first page. Throws VAL001
 * unless the cursor is canonical base64url of a non-empty text without NUL.
 */
export function textPosition(cursor: string | null): string {
  if (cursor === null) return '';
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  const isCanonical = position !== '' && !position.includes('\0') && textCursor(position) === cursor;
  return isCanonical ? position : rejectCursor();
}

/** Decodes a cursor into the texts after which the page starts; empty ones for the first page. Throws VAL001 for any other text. */
export function textPositions(cursor: string | null, count: number): readonly string[] {
  if (cursor === null) return Array<string>(count).fill('');
  const texts = textPosition(cursor).split(CURSOR_SEPARATOR);
  return texts.length === count ? texts : rejectCursor();
}

const NUMBER = /^\d{1,9}$/;

/**
 * Decodes a cursor into the number after which the page starts; -1 for the first page. Throws VAL001 for any other
 * text.
 */
export function numberPosition(cursor: string | null): number {
  const position = textPosition(cursor);
  if (cursor === null) return -1;
  return NUMBER.test(position) ? Number(position) : rejectCursor();
}
