import type { Session } from '../database/transaction';
import { type Connection, type PageRequest, connectionOf, cursorPosition, instantText } from './connection';
import { textCursor } from './list-cursor';

/** A list that is ordered by an instant and a unique id, the newest row first. All members but `textId` are SQL. */
export interface NewestFirst {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly columns: string;
  readonly from: string;
  /** Condition on the rows. Its first parameter is `$4`. */
  readonly where: string;
  readonly instant: string;
  readonly id: string;
  /** The form of an id that is a text; UUIDs by default. */
  readonly textId?: RegExp;
}

/**
 * Reads a page of a list by its keyset: an index on `instant` and `id` starts at the cursor. Throws VAL001 for a text that is not a cursor
 * of the list.
 *
 * @param values parameters of `where`
 */
export async function newestFirst<Row extends object, Node>(
  session: Session,
  list: NewestFirst,
  values: readonly unknown[],
  page: PageRequest,
  nodeOf: (row: Row) => Node,
): Promise<Connection<Node>> {
  const { rows } = await session.query<Row & { readonly position: string }>({
    name: list.name,
    text: statementOf(list),
    values: [...cursorPosition(page.after, list.textId), page.first + 1, ...values],
  });
  return connectionOf(rows, page, ({ position }) => textCursor(position), nodeOf);
}

function statementOf({ columns, from, where, instant, id, textId }: NewestFirst): string {
  return `select ${columns}, ${instantText(instant)} || ' ' || ${id} as position from ${from}
    where (${instant}, ${id}) < ($1::timestamptz, $2::${textId === undefined ? 'uuid' : 'text'}) and ${where}
    order by ${instant} desc, ${id} desc limit $3`;
}
