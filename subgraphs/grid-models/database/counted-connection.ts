import type { Connection } from '../../server/connection';

/** A page of a list, and how its total is counted when asked for. */
export type CountedConnection<Node> = Connection<Node> & { readonly total: () => Promise<number> };

/** The page with its count. */
export function counted<Node>(page: Connection<Node>, total: () => Promise<number>): CountedConnection<Node> {
  return Object.assign(page, { total });
}
