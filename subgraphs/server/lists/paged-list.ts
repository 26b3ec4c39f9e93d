import type { Session } from '../database/transaction';
import { type Connection, type PageRequest, connectionOf, cursorPosition, instantText } from './connection';
import { CURSOR_SEPARATOR, numberPosition, textCursor, textPositions } from './list-cursor';

/** A list of rows. All members are SQL, but its name. */
interface List {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly columns: string;
  readonly from: string;
  /** Condition on the rows. Its first parameter is `$1`. */
  readonly where: string;
}

/** A list that is ordered by an instant and a unique id, the newest row first. */
interface NewestFirst extends List {
  readonly instant: string;
  readonly id: string;
  /** The form of an id that is a text; UUIDs by default. */
  readonly textId?: RegExp;
}

/** A list in ascending order of columns that together identify a row. */
export interface InKeyOrder extends List {
  readonly key: readonly string[];
  /** The key is one number; by default it is one or several texts. */
  readonly isNumber?: boolean;
}

/** Order of a list: the condition on rows after a cursor, and SQL of the cursor of a row. */
interface Order {
  readonly orderBy: string;
  readonly position: string;
  readonly after: string;
}

/**
 * Reads a page of a list by its keyset: an index on `instant` and `id` starts at the cursor. Throws VAL001 for a text that is not a cursor
 * of the list.
 *
 * @param values parameters of `where`
 */
export function newestFirst<Row extends object, Node>(
  session: Session,
  list: NewestFirst,
  values: readonly unknown[],
  page: PageRequest,
  nodeOf: (row: Row) => Node,
): Promise<Connection<Node>> {
  const { instant, id, textId } = list;
  const [first, second] = [values.length + 1, values.length + 2];
  const order = {
    orderBy: `${instant} desc, ${id} desc`,
    position: `${instantText(instant)} || ' ' || ${id}`,
    after: `(${instant}, ${id}) < ($${first}::timestamptz, $${second}::${textId === undefined ? 'uuid' : 'text'})`,
  };
  return pageOf(session, list, order, [...values, ...cursorPosition(page.after, textId)], page, nodeOf);
}

/** Reads a page as {@link newestFirst} does, in ascending order: an index on `key` starts at the cursor. */
export function inKeyOrder<Row extends object, Node>(
  session: Session,
  list: InKeyOrder,
  values: readonly unknown[],
  page: PageRequest,
  nodeOf: (row: Row) => Node,
): Promise<Connection<Node>> {
  const { key, isNumber = false } = list;
  const start = isNumber ? [numberPosition(page.after)] : textPositions(page.after, key.length);
  const order = {
    orderBy: key.join(', '),
    position: `concat_ws('${CURSOR_SEPARATOR}', ${key.join(', ')})`,
    after: `(${key.join(', ')}) > (${start.map((_, index) => `$${values.length + index + 1}`).join(', ')})`,
  };
  return pageOf(session, list, order, [...values, ...start], page, nodeOf);
}

async function pageOf<Row extends object, Node>(
  session: Session,
  { name, columns, from, where }: List,
  { orderBy, position, after }: Order,
  values: readonly unknown[],
  page: PageRequest,
  nodeOf: (row: Row) => Node,
): Promise<Connection<Node>> {
  const { rows } = await session.query<Row & { readonly position: string }>({
    name,
    text: `select ${columns}, ${position} as position from ${from} where ${after} and ${where}
      order by ${orderBy} limit $${values.length + 1}`,
    values: [...values, page.first + 1],
  });
  return connectionOf(rows, page, (row) => textCursor(row.position), nodeOf);
}

/** Counts the rows of a list. `name` is that of the list; the statement is `count_<name>`. */
export async function countRows(
  session: Session,
  { name, from, where }: Omit<List, 'columns'>,
  values: readonly unknown[],
): Promise<number> {
  const text = `select count(*) as total from ${from} where ${where}`;
  const { rows } = await session.query<{ total: string }>({ name: `count_${name}`, text, values: [...values] });
  return Number(rows[0]?.total);
}
