/** Maximum sessions of each pool of a subgraph by default (DATABASE_POOL). */
const DEFAULT_POOL_SIZE = 10;

/**
 * Counts the database connections that a process may hold at the same time. Whatever opens connections reserves them
 * first, so the sum after the start is the maximum of the process. Migrations use fewer, before the subgraph opens its
 * own.
 */
export class ConnectionBudget {
  private reserved = 0;

  /** @param poolSize maximum sessions of each pool of a subgraph */
  constructor(readonly poolSize: number = DEFAULT_POOL_SIZE) {}

  /** Maximum of connections that this process holds. */
  get max(): number {
    return this.reserved;
  }

  /** Adds connections to the maximum; returns their number. */
  reserve(connections: number): number {
    this.reserved += connections;
    return connections;
  }
}
