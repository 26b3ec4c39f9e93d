import { RegisterError, type Violation, throwViolations } from '../../../schema/register-error';

/** A page of a list as a Relay connection. */
export interface Connection<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
  readonly nextCursor: string | null;
  readonly pageInfo: PageInfo;
}

/** Start and end of a page. */
interface PageInfo {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  /** True if the page starts after a cursor. Lists are read forwards only. */
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** A page of a list, with a function that counts the whole list. */
export type ConnectionWithTotal<Node> = Connection<Node> & { readonly total: () => Promise<number> };

/** Adds the count to a page. */
export function withTotal<Node>(page: Connection<Node>, total: () => Promise<number>): ConnectionWithTotal<Node> {
  return Object.assign(page, { total });
}

/** Requests at most `first` entries after the cursor. */
export interface PageRequest {
  readonly first: number;
  readonly after: string | null;
}

/** Throws VAL003 unless `first` is 1 to `max`. */
export function requirePageSize(first: number, max: number): void {
  requireWithin('first', first, max);
}

/** Throws VAL003 at an argument that is not 1 to `max`. */
export function requireWithin(argument: string, value: number, max: number): void {
  throwViolations(rangeViolations(argument, value, max));
}

/** Returns the violation of an argument that is not 1 to `max`. */
export function rangeViolations(argument: string, value: number, max: number): readonly Violation[] {
  return value >= 1 && value <= max ? [] : [{ code: 'VAL003', path: [argument], message: `must be 1 to ${max}` }];
}

/** Returns the violation of a list of values in a filter that is empty, because it would select nothing. Null selects all. */
export function selectionViolations(
  values: readonly string[] | null | undefined,
  path: Violation['path'],
): readonly Violation[] {
  const message = 'must have at least one entry; absent or null selects all';
  return values?.length === 0 ? [{ code: 'VAL003', path, message }] : [];
}

/** Sort key of a row: the instant by which the list is ordered (UTC, microseconds) and the id. */
type Position = readonly [instant: string, id: string];

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the page of the given rows, one row more than requested if there is a next page. `nodeOf` maps rows to nodes;
 * default: the row. A row without a node (undefined) is no entry of the page, but can end it.
 */
export function connectionOf<Row>(
  rows: readonly Row[],
  page: PageRequest,
  cursor: (row: Row) => string,
): Connection<Row>;
export function connectionOf<Row, Node>(
  rows: readonly Row[],
  page: PageRequest,
  cursor: (row: Row) => string,
  nodeOf: (row: Row) => Node | undefined,
): Connection<Node>;
export function connectionOf<Row>(
  rows: readonly Row[],
  { first, after }: PageRequest,
  cursor: (row: Row) => string,
  nodeOf: (row: Row) => unknown = (row) => row,
): Connection<unknown> {
  const listed = rows.length > first ? rows.slice(0, first) : rows;
  const entries = listed.map((row) => ({ row, node: nodeOf(row) })).filter(({ node }) => node !== undefined);
  const hasNextPage = rows.length > first;
  const cursorAt = (index: number) => (listed.length === 0 ? null : cursor(listed.at(index) as Row));
  const endCursor = cursorAt(-1);
  return {
    get edges() {
      return entries.map(({ row, node }) => ({ cursor: cursor(row), node }));
    },
    nodes: entries.map(({ node }) => node),
    nextCursor: hasNextPage ? endCursor : null,
    pageInfo: {
      get startCursor() {
        return cursorAt(0);
      },
      endCursor,
      hasPreviousPage: after !== null,
      hasNextPage,
    },
  };
}

/** Returns SQL that formats a column of instants as in cursors: UTC, microseconds. */
export function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Returns the cursor of a sort key. */
export function cursorOf([instant, id]: Position): string {
  return Buffer.from(`${instant} ${id}`).toString('base64url');
}

/** Sorts before every row of a list with the newest row first. */
const BEFORE_THE_FIRST: Position = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** Returns the sort key after which the page starts; throws VAL001 for a text that is not a cursor of ids of this form. */
export function cursorPosition(cursor: string | null, idForm = UUID): Position {
  if (cursor === null) return BEFORE_THE_FIRST;
  const [instant = '', id = '', ...others] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const isPosition = others.length === 0 && INSTANT.test(instant) && isInstant(instant) && idForm.test(id);
  return isPosition ? [instant, id] : rejectCursor();
}

/** Returns true if date and time exist. JavaScript reads 30 February as 2 March, and PostgreSQL has no year 0. */
export function isInstant(text: string): boolean {
  const instant = Date.parse(text);
  return (
    !Number.isNaN(instant) && !text.startsWith('0000') && text.startsWith(new Date(instant).toISOString().slice(0, 19))
  );
}

/** Throws VAL001 at the argument `after`. */
export function rejectCursor(): never {
  const message = 'is not a cursor of this list';
  throw new RegisterError('VAL001', message, { violations: [{ code: 'VAL001', path: ['after'], message }] });
}
