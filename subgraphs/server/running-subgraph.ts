import type { Logger } from 'pino';
import type { Caller } from './caller';
import type { Database } from './database';
import type { Limits } from './rate-limits';
import type { SubgraphLink } from './subgraph-link';

/** A subgraph that has been started: other parts reach it by its link only. */
export interface RunningSubgraph {
  readonly link: SubgraphLink;
  /** Whether it can answer now: its database does, within two seconds. */
  ready(): Promise<boolean>;
  /** Whose request carries a token of an issuer that this subgraph knows, beside the register's own; AUT001 when it proves nobody. */
  readonly foreignCaller?: (token: string) => Promise<Caller>;
  close(): Promise<void>;
}

/** Milliseconds in which a database that works answers. */
const ANSWERS_WITHIN = 2_000;

/** Whether a database answers in time. */
export async function answers({ pool }: Database): Promise<boolean> {
  const late = new Promise<false>((resolve) => void setTimeout(resolve, ANSWERS_WITHIN, false).unref());
  const answer = pool.query('select 1').then(
    () => true,
    () => false,
  );
  return Promise.race([answer, late]);
}

/** What every subgraph is started with. */
export interface SubgraphOptions {
  /** The owner's URL of the database; the subgraph logs in with a role of its own. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Outside production the register's clock may be moved, and http URLs are accepted. */
  readonly production: boolean;
  /** RATE_LIMITS=off, for tests and benches. */
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
}
