import ipaddr from 'ipaddr.js';
import type { Pool } from 'pg';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { RegisterError } from '../../schema/register-error';
import type { CallContext } from './caller';
import type { KeyedHash } from './keyed-hash';
import { type Forget, passedRows } from './retention';

/** A limit shared by all replicas: so many points in so many seconds for each key. */
export interface RateLimit {
  /** Counts one point; seconds to wait when the limit is passed, else null. */
  count(key: string): Promise<number | null>;
  /** Seconds to wait when the limit was passed before, without counting. */
  passed(key: string): Promise<number | null>;
}

/** How much is allowed, by account or client network (2-decisions-a-b.md, section 2). */
export interface Limits {
  /** Requests of an account in a minute. */
  readonly requests: number;
  /** Failed sign-ins from a network in a minute. */
  readonly failedSignIns: number;
  /** Verifications of unknown keys from a network in a minute. */
  readonly verifyMisses: number;
  /** Questions whether somebody is known, of an account in a minute. */
  readonly existsMinute: number;
  /** The same in a day. */
  readonly existsDay: number;
  /** Attempts to sign in from a network in a minute. */
  readonly signIns: number;
  /** Mails to one person in 15 minutes. */
  readonly mails: number;
  /** Files of grid models, and questions about them, of a network without an account in a minute. */
  readonly gridFiles: number;
  /** Questions about public registers of a network without an account in a minute. */
  readonly publicLookups: number;
  /** Contests of contacts that a Data User causes in a day, from which on the back office is alerted. */
  readonly contestAlert: number;
}

/** Where limits are counted: the table `rate_limit` of the subgraph, in memory while the database is away. Keys are hashed. */
export interface RateLimitStore {
  readonly pool: Pool;
  readonly schema: string;
  readonly hash: KeyedHash;
  /** RATE_LIMITS=off, for tests and benches. */
  readonly off: boolean;
}

/** The table, for a migration of each subgraph that limits. What it counts may be lost in a crash: it is not logged. */
export const CREATE_RATE_LIMIT =
  'create unlogged table rate_limit (key varchar(255) primary key, points integer not null default 0, expire bigint)';

/** Milliseconds since 1970 by the database's clock in real time: those of processes differ, and the register's may be moved. */
const NOW = `floor(extract(epoch from statement_timestamp()) * 1000)::bigint`;

/** Counts a point, in a time that begins when the last one is over: the points of the time, and how many milliseconds are left of it. */
const COUNT = (table: string) => ({
  name: `count_rate_limit ${table}`,
  text: `insert into ${table} as counted (key, points, expire) values ($1, 1, ${NOW} + $2::bigint)
    on conflict (key) do update set
      points = case when counted.expire > ${NOW} then counted.points + 1 else 1 end,
      expire = case when counted.expire > ${NOW} then counted.expire else excluded.expire end
    returning points, (expire - ${NOW})::float8 as left`,
});

const COUNTED = (table: string) => ({
  name: `rate_limit ${table}`,
  text: `select points, (expire - ${NOW})::float8 as left from ${table} where key = $1 and expire > ${NOW}`,
});

/** Counts whose time is over. */
export function passedRateLimits(pool: Pool): Forget {
  return passedRows(pool, 'rate_limit', `rate_limit where expire <= ${NOW}`);
}

/** What was counted, and the milliseconds until it begins anew. */
interface Counted {
  readonly points: number;
  readonly left: number;
}

/** A limit of `points` in `seconds`. */
export function rateLimit(
  { pool, schema, hash, off }: RateLimitStore,
  name: string,
  points: number,
  seconds: number,
): RateLimit {
  if (off) return { count: () => Promise.resolve(null), passed: () => Promise.resolve(null) };
  const [count, counted] = [COUNT(`${schema}.rate_limit`), COUNTED(`${schema}.rate_limit`)];
  const inMemory = new RateLimiterMemory({ keyPrefix: name, points: Number.MAX_SAFE_INTEGER, duration: seconds });
  const waitOf = (state: Counted | undefined): number | null =>
    state === undefined || state.points <= points ? null : Math.max(1, Math.ceil(state.left / 1000));
  const rows = async (statement: { name: string; text: string }, ...values: unknown[]) =>
    (await pool.query<Counted>({ ...statement, values })).rows[0];
  const keyOf = (key: string) => `${name}:${hash(key).toString('base64url')}`;
  return {
    async count(key) {
      const id = keyOf(key);
      return waitOf(await rows(count, id, seconds * 1000).catch(async () => ofMemory(await inMemory.consume(id))));
    },
    async passed(key) {
      const id = keyOf(key);
      return waitOf(await rows(counted, id).catch(async () => ofMemory(await inMemory.get(id))));
    },
  };
}

function ofMemory(state: RateLimiterRes | null): Counted | undefined {
  return state === null ? undefined : { points: state.consumedPoints, left: state.msBeforeNext };
}

/** Counts one point and refuses (LIM002) when the limit is passed. */
export async function withinLimit(limit: RateLimit, key: string): Promise<void> {
  refuseLimited(await limit.count(key));
}

/**
 * Counts a question of somebody without an account by their network, LIM002 beyond the limit (3-decisions-c-d.md, C.1 and D.1). Accounts
 * are counted as such, at every request.
 */
export async function withinNetworkLimit(limit: RateLimit, { caller, clientAddress }: CallContext): Promise<void> {
  if (caller === null) await withinLimit(limit, clientNetwork(clientAddress));
}

/** Refuses (LIM002) when there is something to wait for. */
export function refuseLimited(retryAfter: number | null): void {
  if (retryAfter !== null) throw new RegisterError('LIM002', undefined, { retryAfter });
}

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 one (2-decisions-a-b.md, section 2). */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
