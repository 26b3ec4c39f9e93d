import type { Logger } from 'pino';
import type { Caller } from '../callers/caller';
import type { Database } from '../database/database';
import type { LoginOptions } from '../database/database-login';
import type { Limits } from '../callers/rate-limits';
import type { SubgraphLink } from './subgraph-link';

/** A started subgraph. Other services call it only through its link. */
export interface RunningSubgraph {
  readonly link: SubgraphLink;
  /** Returns true if its database accepts writes and responds within two seconds. */
  ready(): Promise<boolean>;
  /**
   * Returns the caller of a token from another issuer that this subgraph accepts; throws AUT001 for an invalid token.
   */
  readonly foreignCaller?: (token: string) => Promise<Caller>;
  /** Takes no more jobs and deliveries. Resolves when those under way have ended, or when `forced` aborts. Requests are still executed. */
  endWork?(forced?: AbortSignal): Promise<void>;
  /** Ends the work and closes the database. */
  close(forced?: AbortSignal): Promise<void>;
}

/** Maximum wait for the database. */
const READY_TIMEOUT_MS = 2_000;

const IS_WRITABLE = `select current_setting('transaction_read_only') = 'off' as yes`;

/**
 * Returns true if the database responds in time and accepts writes. A standby, or a primary that was demoted, is
 * read-only.
 */
export async function isDatabaseReady({ pool }: Database): Promise<boolean> {
  const late = new Promise<false>((resolve) => void setTimeout(resolve, READY_TIMEOUT_MS, false).unref());
  const isWritable = pool.query<{ yes: boolean }>(IS_WRITABLE).then(
    ({ rows }) => rows[0]?.yes === true,
    () => false,
  );
  return Promise.race([isWritable, late]);
}

/** Start options of every subgraph. */
export interface SubgraphOptions extends LoginOptions {
  /** URL of the database: with the owner's login, from which the subgraph derives its own, or with the subgraph's. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** False accepts http URLs in data. */
  readonly production: boolean;
  /**
   * Seconds added to the register's clock at start; an admin may change them. Undefined for a clock that cannot move.
   */
  readonly clockOffsetSeconds?: number | undefined;
  /** True with RATE_LIMITS=off, for tests and benches. */
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
}
