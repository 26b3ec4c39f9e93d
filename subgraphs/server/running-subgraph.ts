import type { Logger } from 'pino';
import type { SubgraphLink } from './subgraph-link';

/** A subgraph that has been started: other parts reach it by its link only. */
export interface RunningSubgraph {
  readonly link: SubgraphLink;
  close(): Promise<void>;
}

/** What every subgraph is started with. */
export interface SubgraphOptions {
  /** The owner's URL of the database; the subgraph takes a role of its own. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Outside production the register's clock may be moved, and http URLs are accepted. */
  readonly production: boolean;
  /** RATE_LIMITS=off, for tests and benches. */
  readonly rateLimitsOff: boolean;
}
