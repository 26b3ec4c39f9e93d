import { type PageRequest, rangeViolations } from './connection';
import { type Violation, throwViolations } from '../../../schema/register-error';

/** Position of a page in its list (specification, PaginationMeta). */
export interface PaginationMeta extends OffsetRequest {
  readonly total: () => Promise<number>;
  readonly nextOffset: number | null;
}

/** A page of a list with limit and offset. */
export interface OffsetPage<Node> {
  readonly data: readonly Node[];
  readonly meta: PaginationMeta;
}

/** Requests at most `limit` entries after the first `offset` ones. */
export interface OffsetRequest {
  readonly limit: number;
  readonly offset: number;
}

/** Maximum entries of a page (decisions D.1). */
const MAX_PAGE_SIZE = 100;

/** Throws VAL003 unless `limit` is 1 to 100 and `offset` is 0 or more. */
export function requireOffsetPage({ limit, offset }: OffsetRequest): void {
  throwViolations([...rangeViolations('limit', limit, MAX_PAGE_SIZE), ...offsetViolations(offset)]);
}

/** Returns the violation of an offset below 0. */
export function offsetViolations(offset: number): readonly Violation[] {
  return offset < 0 ? [{ code: 'VAL003', path: ['offset'], message: 'must be 0 or more' }] : [];
}

/** Returns the request of a page by cursor; throws VAL003 unless `first` is 1 to 100, together with the violations of its filter. */
export function cursorPage(
  { first, after }: { readonly first: number; readonly after?: string | null },
  filterViolations: readonly Violation[] = [],
): PageRequest {
  throwViolations([...rangeViolations('first', first, MAX_PAGE_SIZE), ...filterViolations]);
  return { first, after: after ?? null };
}

/** Returns the page of the given rows, one row more than requested if there is a next page. */
export function offsetPageOf<Node>(
  rows: readonly Node[],
  { limit, offset }: OffsetRequest,
  total: () => Promise<number>,
): OffsetPage<Node> {
  const nextOffset = rows.length > limit ? offset + limit : null;
  return { data: rows.slice(0, limit), meta: { total, limit, offset, nextOffset } };
}
