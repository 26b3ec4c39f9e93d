import { type PageRequest, requirePageSize, requireWithin } from '../../server/connection';
import { refuse } from '../../../schema/register-error';

/** Where a page stands in its list, by number (1-specification.md, PaginationMeta). */
export interface PaginationMeta extends OffsetRequest {
  readonly total: () => Promise<number>;
  readonly nextOffset: number | null;
}

/** A page of a list by number. */
export interface OffsetPage<Node> {
  readonly data: readonly Node[];
  readonly meta: PaginationMeta;
}

/** Which page of a list: at most `limit` entries after the first `offset` ones. */
export interface OffsetRequest {
  readonly limit: number;
  readonly offset: number;
}

/** Entries of a page at most (3-decisions-c-d.md, D.1). */
export const LARGEST_PAGE = 100;

/** VAL003 unless a page has 1 to 100 entries and begins at 0 or later. */
export function requireOffsetPage({ limit, offset }: OffsetRequest): void {
  requireWithin('limit', limit, LARGEST_PAGE);
  if (offset < 0) refuse([{ code: 'VAL003', path: ['offset'], message: 'must be 0 or more' }]);
}

/** The request of a page by cursor, VAL003 unless it has 1 to 100 entries. */
export function cursorPage({ first, after }: { readonly first: number; readonly after?: string | null }): PageRequest {
  requirePageSize(first, LARGEST_PAGE);
  return { first, after: after ?? null };
}

/** The page that the rows make; one row more than asked for says that there is a next page. */
export function offsetPageOf<Node>(
  rows: readonly Node[],
  { limit, offset }: OffsetRequest,
  total: () => Promise<number>,
): OffsetPage<Node> {
  const nextOffset = rows.length > limit ? offset + limit : null;
  return { data: rows.slice(0, limit), meta: { total, limit, offset, nextOffset } };
}
