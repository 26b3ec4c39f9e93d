import type { Pool } from 'pg';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { RegisterError } from '../../../schema/register-error';
import { outsideCheck } from '../database/check-only';
import type { CallContext } from './caller';
import { clientNetwork } from './resource-owner';
import type { Session } from '../database/transaction';
import type { KeyedHash } from '../keyed-hash';
import { type Purge, matchingRows } from '../retention';

/** A rate limit that all replicas share: a number of points per key and period. */
export interface RateLimit {
  /**
   * Counts one point; in the transaction of a session, whose rollback takes the point back, or by itself. Returns the
   * seconds to wait if the limit is exceeded, otherwise null.
   */
  count(key: string, session?: Session): Promise<number | null>;
  /** Returns the seconds to wait if the limit has been exceeded, otherwise null; counts nothing. */
  passed(key: string): Promise<number | null>;
}

/** Rate limits by account or client network (decisions A/B, 2). */
export interface Limits {
  /** Requests of an account per minute. */
  readonly requests: number;
  /** Failed sign-ins from a network per minute. */
  readonly failedSignIns: number;
  /** Verifications of unknown keys from a network per minute. */
  readonly verifyMisses: number;
  /** Existence checks of an account per minute. */
  readonly existsMinute: number;
  /** Existence checks of an account per day. */
  readonly existsDay: number;
  /** Customers' sign-in attempts from a network per minute. */
  readonly signIns: number;
  /** Mails to one person per 15 minutes. */
  readonly mails: number;
  /** Requests for files of grid models and queries of them, from a network without an account, per minute. */
  readonly gridFiles: number;
  /** Lookups of public registers, from a network without an account, per minute. */
  readonly publicLookups: number;
  /** Contests of contacts per Data User and day at which the back office is alerted. */
  readonly contestAlert: number;
}

/**
 * Storage of the counts of limits: the table `rate_limit` of the subgraph, or memory while the database is unavailable. Keys
 * are hashed.
 */
export interface RateLimitStore {
  readonly pool: Pool;
  readonly schema: string;
  readonly hash: KeyedHash;
  /** True with RATE_LIMITS=off, for tests and benches. */
  readonly off: boolean;
}

/**
 * Milliseconds since 1970 by the database server's real-time clock: clocks of processes differ, and the register's
 * clock can move.
 */
const NOW = `floor(extract(epoch from statement_timestamp()) * 1000)::bigint`;

/** Maximum duration of a statement that counts, with its wait for concurrent ones. */
const MAX_STATEMENT_MS = 10_000;

/**
 * Returns whether a period of `$2` milliseconds that ends at `expire` is running. It has also ended if its end is too
 * far ahead, because the clock has been set back. A concurrent statement that started later may have started it.
 */
const isRunning = (expire: string) => `${expire} > ${NOW} and ${expire} <= ${NOW} + $2::bigint + ${MAX_STATEMENT_MS}`;

/**
 * Counts a point; starts a new period if the last one has ended. Returns the points and the milliseconds left in the
 * period.
 */
const COUNT = (table: string) => ({
  name: `count_rate_limit ${table}`,
  text: `insert into ${table} as counted (key, points, expire) values ($1, 1, ${NOW} + $2::bigint)
    on conflict (key) do update set
      points = case when ${isRunning('counted.expire')} then counted.points + 1 else 1 end,
      expire = case when ${isRunning('counted.expire')} then counted.expire else excluded.expire end
    returning points, (expire - ${NOW})::float8 as left`,
});

/** Returns the points and the milliseconds left in the current period; no row without one. */
const CURRENT_COUNT = (table: string) => ({
  name: `rate_limit ${table}`,
  text: `select points, (expire - ${NOW})::float8 as left from ${table} where key = $1 and ${isRunning('expire')}`,
});

/** Deletes counts whose period has ended. */
export function expiredRateLimits(pool: Pool): Purge {
  return matchingRows(pool, 'rate_limit', 'key', `rate_limit where expire <= ${NOW}`);
}

/** The points of a period. */
interface PeriodCount {
  readonly points: number;
  /** Milliseconds until the period ends. */
  readonly left: number;
}

/** Creates a limit of `points` per period of `seconds`. */
export function rateLimit(
  { pool, schema, hash, off }: RateLimitStore,
  name: string,
  points: number,
  seconds: number,
): RateLimit {
  if (off) return { count: () => Promise.resolve(null), passed: () => Promise.resolve(null) };
  const [count, current] = [COUNT(`${schema}.rate_limit`), CURRENT_COUNT(`${schema}.rate_limit`)];
  const inMemory = new RateLimiterMemory({ keyPrefix: name, points: Number.MAX_SAFE_INTEGER, duration: seconds });
  const waitOf = (period: PeriodCount | undefined): number | null =>
    period === undefined || period.points <= points ? null : Math.max(1, Math.ceil(period.left / 1000));
  // A check counts as the write would: limits must not be avoided by it.
  const rows = async (statement: { name: string; text: string }, ...values: unknown[]) =>
    (await outsideCheck(() => pool.query<PeriodCount>({ ...statement, values }))).rows[0];
  const lengthMs = seconds * 1000;
  const idOf = (key: string) => `${name}:${hash(key).toString('base64url')}`;
  return {
    async count(key, session) {
      const id = idOf(key);
      const values = [id, lengthMs];
      if (session) return waitOf((await session.query<PeriodCount>({ ...count, values })).rows[0]);
      return waitOf(await rows(count, ...values).catch(async () => memoryCount(await inMemory.consume(id))));
    },
    async passed(key) {
      const id = idOf(key);
      return waitOf(await rows(current, id, lengthMs).catch(async () => memoryCount(await inMemory.get(id))));
    },
  };
}

function memoryCount(state: RateLimiterRes | null): PeriodCount | undefined {
  return state === null ? undefined : { points: state.consumedPoints, left: state.msBeforeNext };
}

/** Counts one point; throws LIM002 if the limit is exceeded. The message names the limit. */
export async function withinLimit(limit: RateLimit, key: string, message?: string): Promise<void> {
  rejectLimited(await limit.count(key), message);
}

/**
 * Counts one point for the network of a client without an account, also of a signed-in customer; throws LIM002 if the
 * limit is exceeded (decisions C/D, C.1 and D.1). The gateway counts the requests of accounts.
 */
export async function withinNetworkLimit(limit: RateLimit, { caller, clientAddress }: CallContext): Promise<void> {
  if (caller !== null && caller.role !== 'customer') return;
  await withinLimit(limit, clientNetwork(clientAddress), 'Too many requests without an account from this network.');
}

/** Options of the argument `isCounted` of admissions, which the gateway repeats once a large body has arrived. */
export const IS_COUNTED = {
  defaultValue: false,
  description: 'Whether the request was counted when it was admitted before.',
} as const;

/** Throws LIM002 unless the wait is null. The message names the limit. */
export function rejectLimited(retryAfter: number | null, message?: string): void {
  if (retryAfter !== null) throw new RegisterError('LIM002', message, { retryAfter });
}

/** Message of the limit of requests of an account. */
export const TOO_MANY_OF_ACCOUNT = 'Too many requests of this account.';
