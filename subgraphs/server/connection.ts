import { RegisterError } from '../../schema/register-error';

/** A page of a list in the form of a Relay connection. */
export interface Connection<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
  readonly nextCursor: string | null;
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

/** Where a row stands in its list: the instant by which it is ordered (UTC, microseconds) and its id. */
export type Position = readonly [instant: string, id: string];

const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The page that the rows make; one row more than asked for says that there is a next page. */
export function connectionOf<Row, Node>(
  rows: readonly Row[],
  first: number,
  positionOf: (row: Row) => Position,
  nodeOf: (row: Row) => Node,
): Connection<Node> {
  const shown = rows.length > first ? rows.slice(0, first) : rows;
  const nodes = shown.map(nodeOf);
  const cursor = (row: Row) => cursorOf(positionOf(row));
  const hasNextPage = rows.length > first;
  const endCursor = shown.length === 0 ? null : cursor(shown.at(-1) as Row);
  return {
    get edges() {
      return shown.map((row, index) => ({ cursor: cursor(row), node: nodes[index] as Node }));
    },
    nodes,
    nextCursor: hasNextPage ? endCursor : null,
    pageInfo: { endCursor, hasNextPage },
  };
}

function cursorOf([instant, id]: Position): string {
  return Buffer.from(`${instant} ${id}`).toString('base64url');
}

/** Comes before every row of a list that is ordered newest first. */
const BEFORE_THE_FIRST: Position = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The position after which a page begins; VAL001 when the cursor is none of ours. */
export function cursorPosition(cursor: string | null): Position {
  if (cursor === null) return BEFORE_THE_FIRST;
  const match = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!match || Number.isNaN(Date.parse(match[1] as string))) {
    const message = 'is not a cursor of this list';
    throw new RegisterError('VAL001', message, { violations: [{ code: 'VAL001', path: ['after'], message }] });
  }
  return [match[1] as string, match[2] as string];
}
