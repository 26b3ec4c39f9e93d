import { RegisterError } from '../../schema/register-error';

/** A page of a list in the form of a Relay connection. */
export interface Connection<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
  readonly nextCursor: string | null;
  readonly pageInfo: PageInfo;
}

/** Where a page begins and ends. */
export interface PageInfo {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  /** Whether the page begins after a cursor: what comes before it is there, but not listed from here. */
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** A page of a list, and how its total is counted when asked for. */
export type CountedConnection<Node> = Connection<Node> & { readonly total: () => Promise<number> };

/** The page with its count. */
export function counted<Node>(page: Connection<Node>, total: () => Promise<number>): CountedConnection<Node> {
  return Object.assign(page, { total });
}

/** Which page of a list: at most `first` entries after the cursor. */
export interface PageRequest {
  readonly first: number;
  readonly after: string | null;
}

/** VAL003 unless a page has 1 to `most` entries. */
export function requirePageSize(first: number, most: number): void {
  requireWithin('first', first, most);
}

/** VAL003 at an argument that is not 1 to so many. */
export function requireWithin(argument: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return;
  const message = `must be 1 to ${most}`;
  throw new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: [argument], message }] });
}

/** Where a row stands in its list: the instant by which it is ordered (UTC, microseconds) and its id. */
export type Position = readonly [instant: string, id: string];

const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The page that the rows make, with the rows as nodes unless `nodeOf` is given; one row more than asked for: there is a next page. */
export function connectionOf<Row>(
  rows: readonly Row[],
  page: PageRequest,
  cursor: (row: Row) => string,
): Connection<Row>;
export function connectionOf<Row, Node>(
  rows: readonly Row[],
  page: PageRequest,
  cursor: (row: Row) => string,
  nodeOf: (row: Row) => Node,
): Connection<Node>;
export function connectionOf<Row>(
  rows: readonly Row[],
  { first, after }: PageRequest,
  cursor: (row: Row) => string,
  nodeOf: (row: Row) => unknown = (row) => row,
): Connection<unknown> {
  const shown = rows.length > first ? rows.slice(0, first) : rows;
  const nodes = shown.map(nodeOf);
  const hasNextPage = rows.length > first;
  const cursorAt = (index: number) => (shown.length === 0 ? null : cursor(shown.at(index) as Row));
  const endCursor = cursorAt(-1);
  return {
    get edges() {
      return shown.map((row, index) => ({ cursor: cursor(row), node: nodes[index] }));
    },
    nodes,
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

/** SQL: the text of a column of instants as a cursor says it, in UTC and to the microsecond. */
export function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** The cursor of a position. */
export function cursorOf([instant, id]: Position): string {
  return Buffer.from(`${instant} ${id}`).toString('base64url');
}

/** Comes before every row of a list that is ordered newest first. */
const BEFORE_THE_FIRST: Position = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The position after which a page begins; VAL001 when the cursor is none of ours. */
export function cursorPosition(cursor: string | null): Position {
  if (cursor === null) return BEFORE_THE_FIRST;
  const match = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match && isInstant(match[1] as string) ? [match[1] as string, match[2] as string] : refuseCursor();
}

/** Whether date and time exist, for JavaScript takes the 30th of February for the 2nd of March, and PostgreSQL has no year 0. */
export function isInstant(text: string): boolean {
  const instant = Date.parse(text);
  return (
    !Number.isNaN(instant) && !text.startsWith('0000') && text.startsWith(new Date(instant).toISOString().slice(0, 19))
  );
}

/** VAL001 at `after`. */
export function refuseCursor(): never {
  const message = 'is not a cursor of this list';
  throw new RegisterError('VAL001', message, { violations: [{ code: 'VAL001', path: ['after'], message }] });
}
