/**
 * Every kind of caller: the columns of the authorisation tables, in order. `expired`, `forged` and `suspended` are the
 * first Data User's own token an hour after its expiry, that token signed by another key, and a token of a suspended
 * Data User. `owner` and `other` are two Data Users, `supplier` and `rival` two suppliers, `key` is the supplier's API
 * key.
 */
export const CALLERS = [
  ...(['none', 'expired', 'forged', 'suspended', 'owner', 'other', 'provider', 'operator', 'portal'] as const),
  ...(['supplier', 'rival', 'admin', 'analyst', 'customer', 'consumer', 'key'] as const),
] as const;

/** A kind of caller. */
export type CallerName = (typeof CALLERS)[number];

/** A request, its object, and the expected response to each caller. */
export interface AuthorisationRow {
  /** A route, or a field of the graph. */
  readonly route: string;
  /** Owner of the object; `any` if there is no object. */
  readonly object: string;
  readonly expected: Readonly<Record<CallerName, string>>;
}

/**
 * Parses authorisation tables. A line without indentation names a route. Each line below it has an object (words with
 * single spaces), two or more spaces, and one word for each of {@link CALLERS}. Throws if a line has a different number
 * of words.
 */
export function authorisationRows(...tables: readonly string[]): AuthorisationRow[] {
  const rows: AuthorisationRow[] = [];
  let route = '';
  for (const line of tables.join('\n').split('\n')) {
    if (line.trim() === '') continue;
    if (line.startsWith(' ')) rows.push(rowOf(route, line));
    else route = line.trim();
  }
  return rows;
}

function rowOf(route: string, line: string): AuthorisationRow {
  const [, object = '', words = ''] = /^ +(.*?) {2,}(.*)$/.exec(line) ?? [];
  const cells = words.trim().split(/ +/);
  if (cells.length !== CALLERS.length) throw new Error(`${route}, ${object}: ${cells.length} cells`);
  const expected = Object.fromEntries(CALLERS.map((caller, index) => [caller, cells[index]]));
  return { route, object, expected: expected as AuthorisationRow['expected'] };
}
