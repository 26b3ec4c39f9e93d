import type { Logger } from 'pino';
import type { Caller } from './caller';
import type { Database } from './database';
import type { Limits } from './rate-limits';
import type { SubgraphLink } from './subgraph-link';

/** A subgraph that has been started: other parts reach it by its link only. */
export interface RunningSubgraph {
  readonly link: SubgraphLink;
  /** Whether it can answer now: its database does, within two seconds, and can be written. */
  ready(): Promise<boolean>;
  /** Whose request carries a token of an issuer that this subgraph knows, beside the register's own; AUT001 when it proves nobody. */
  readonly foreignCaller?: (token: string) => Promise<Caller>;
  close(): Promise<void>;
}

/** Milliseconds in which a database that works answers. */
const ANSWERS_WITHIN = 2_000;

const CAN_BE_WRITTEN = `select current_setting('transaction_read_only') = 'off' as yes`;

/** Whether a database answers in time, and can be written: a standby, or a primary that was made one, can only be read. */
export async function answers({ pool }: Database): Promise<boolean> {
  const late = new Promise<false>((resolve) => void setTimeout(resolve, ANSWERS_WITHIN, false).unref());
  const answer = pool.query<{ yes: boolean }>(CAN_BE_WRITTEN).then(
    ({ rows }) => rows[0]?.yes === true,
    () => false,
  );
  return Promise.race([answer, late]);
}

/** What every subgraph is started with. */
export interface SubgraphOptions {
  /** The owner's URL of the database; the subgraph logs in with a role of its own. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Outside production http URLs are accepted. */
  readonly production: boolean;
  /** Seconds by which the register's clock is moved at the start, and then may be; undefined where it is right and stays so. */
  readonly clockOffsetSeconds?: number | undefined;
  /** RATE_LIMITS=off, for tests and benches. */
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
}
