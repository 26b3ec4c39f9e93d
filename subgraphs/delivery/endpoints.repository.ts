import type { Pool } from 'pg';
import { batched } from '../server/database/batched';
import { READ_PENDING, READ_REST } from './endpoints.sql';
import { END_OBSOLETE } from './fan-out.sql';
import type { LaneDelivery } from './lane';

/** Lease of an endpoint by a worker. */
interface Lease {
  readonly worker: string;
  readonly id: string;
}

/** The lanes of a leased endpoint in which a delivery is due. */
export interface PendingRead {
  /** Increases with every wake of the endpoint. */
  readonly generation: string;
  /**
   * At most `MAX_LANES_PER_READ` lanes, those of the first `MAX_DUE_PER_READ` due deliveries, urgent ones first; each with the first
   * `MAX_DELIVERIES_PER_LANE` of its pending deliveries in order, up to the last one that is due.
   */
  readonly deliveries: readonly LaneDelivery[];
}

/** Deliveries of an endpoint that are not attempted for some time, although they are due. */
export interface Deferral {
  readonly which: 'ordinary' | 'all';
  readonly seconds: number;
  /** Whether the cause is a suspended receiver or an unavailable service: metrics then ignore the waiting time. */
  readonly isExternal: boolean;
}

/** Release of a lease. */
interface Release extends Lease {
  /** Generation of the last read. */
  readonly generation: string;
  readonly deferral: Deferral | undefined;
}

/** Result of a release: no effect, or released; `released-due` if deliveries are due at once. */
type ReleaseOutcome = 'retained' | 'released' | 'released-due';

/** The leases of endpoints. */
export interface Endpoints {
  /**
   * Leases up to `max` due endpoints of each urgency. Also returns the worker's leases that are not among the `known`
   * ones: the result of an earlier claim may have been lost.
   */
  claim(worker: string, max: number, known: readonly string[]): Promise<string[]>;
  /**
   * Reads what is due at a leased endpoint, `alone` or together with others: a statement for several fails for all of them. Undefined if the
   * lease is lost. Ends all deliveries of a removed endpoint.
   */
  readPending(lease: Lease, alone?: boolean): Promise<PendingRead | undefined>;
  /** Reads the deliveries of a lane that follow those of the last read; none if it is complete, or if the worker has lost the lease. */
  readRest(worker: string, read: readonly LaneDelivery[]): Promise<readonly LaneDelivery[]>;
  /** Releases a lease. Has no effect if the endpoint was woken since its last read, or if its row is locked. */
  release(release: Release): Promise<ReleaseOutcome>;
  /** Releases the leases of a worker, except those of locked endpoints: `takeOver` releases these once the worker has ended. */
  releaseAll(worker: string): Promise<void>;
}

const BATCHES = { maxSize: 64, concurrency: 2 };
const END_SIZE = 1_000;

const DUE_ENDPOINTS = (urgent: boolean) => `
  select id from delivery_endpoint where leased_by is null and urgent = ${urgent} and due_at <= register_now()
  order by due_at limit $2 for update skip locked`;

const CLAIM = `
  with urgent as materialized (${DUE_ENDPOINTS(true)}), ordinary as materialized (${DUE_ENDPOINTS(false)}),
  claimed as (
    update delivery_endpoint e set leased_by = $1 from (select id from urgent union all select id from ordinary) due
    where e.id = due.id returning e.id)
  select id from claimed
  union all select id from delivery_endpoint where leased_by = $1 and id <> all($3::uuid[])`;

/** The time of the first pending delivery, of those with a condition. */
const FIRST_ATTEMPT = (urgent: boolean, condition = 'true') => `
  (select next_attempt_at from delivery d
   where d.endpoint_id = e.id and d.state = 'pending' and d.urgent = ${urgent} and ${condition}
   order by next_attempt_at limit 1)`;

/** The time of the first pending delivery that is not deferred. Each case starts in the index where its first delivery is, however many are due. */
const NEXT_ATTEMPT = (urgent: boolean) => `
  case when r.seconds is null ${urgent ? 'or not r.defers_all' : ''} then ${FIRST_ATTEMPT(urgent)}
    else ${FIRST_ATTEMPT(urgent, 'next_attempt_at > register_now()')} end`;

/** Passes over an endpoint that was woken since the read of this generation, or that another transaction is waking. */
const RELEASE = `
  with released as materialized (
    select e.id, r.seconds, r.defers_all, r.is_external, r.n
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::float8[], $5::boolean[], $6::boolean[])
      with ordinality as r(worker, id, generation, seconds, defers_all, is_external, n)
    join delivery_endpoint e on e.id = r.id and e.leased_by = r.worker and e.generation = r.generation
    order by e.id for update of e skip locked),
  next as (
    select r.id, r.n, r.is_external, ${NEXT_ATTEMPT(true)} as urgent_at,
      least(${NEXT_ATTEMPT(false)}, register_now() + r.seconds * interval '1 s') as ordinary_at
    from released r join delivery_endpoint e on e.id = r.id)
  update delivery_endpoint e set leased_by = null, due_at = least(urgent_at, ordinary_at),
    urgent = coalesce(urgent_at <= coalesce(ordinary_at, urgent_at), false),
    put_off_at = case when is_external then register_now() else put_off_at end
  from next where e.id = next.id returning next.n::int, coalesce(due_at <= register_now(), false) as "isDue"`;

/** A fan-out may lock the same deliveries in another order. A lease after this one ends what it skips. */
const END_SOME = `
  update delivery d set ${END_OBSOLETE} where (endpoint_id, event_id) in (
    select endpoint_id, event_id from delivery where endpoint_id = $1 and state = 'pending' limit ${END_SIZE} for update skip locked)`;

const RELEASE_ALL = `
  update delivery_endpoint e set leased_by = null, due_at = least(e.due_at, register_now()) from (
    select id from delivery_endpoint where leased_by = $1 for update skip locked) own
  where e.id = own.id`;

interface PendingRow extends Omit<LaneDelivery, 'plannedAt'> {
  /** Position of the lease in the query, from 1. */
  readonly n: number;
  readonly generation: string;
  readonly ended: boolean;
  readonly ageMs: number;
}

/** Returns the leases in the tables of a subgraph. */
export function endpointTable(pool: Pool): Endpoints {
  const readLease = batched((leases: readonly Lease[]) => readLeases(pool, READ_PENDING, leases), BATCHES);
  return {
    async claim(worker, max, known) {
      const query = { name: 'delivery_claim', text: CLAIM, values: [worker, max, known] };
      return (await pool.query<{ id: string }>(query)).rows.map(({ id }) => id);
    },
    async readPending(lease, alone) {
      const read = alone ? (await readLeases(pool, READ_PENDING, [lease]))[0] : await readLease(lease);
      const endSome = { name: 'delivery_end', text: END_SOME, values: [lease.id] };
      if (read?.ended) while (((await pool.query(endSome)).rowCount ?? 0) > 0);
      return read?.ended ? { ...read, deliveries: [] } : read;
    },
    async readRest(worker, read) {
      const last = read.at(-1);
      if (last === undefined || last.sequence === last.lastDue) return [];
      const { endpointId: id, subject, sequence, lastDue } = last;
      return (await readLeases(pool, READ_REST, [{ worker, id }], subject, sequence, lastDue))[0]?.deliveries ?? [];
    },
    release: batched((releases) => releaseLeases(pool, releases), BATCHES),
    releaseAll: async (worker) => void (await pool.query(RELEASE_ALL, [worker])),
  };
}

async function readLeases(pool: Pool, text: string, leases: readonly Lease[], ...more: (string | number)[]) {
  const values = [leases.map(({ worker }) => worker), leases.map(({ id }) => id), ...more];
  const { rows } = await pool.query<PendingRow>({ text, values });
  const reads: ({ generation: string; ended: boolean; deliveries: LaneDelivery[] } | undefined)[] = [];
  const now = performance.now();
  for (const { n, generation, ended, ageMs, ...delivery } of rows) {
    const read = (reads[n - 1] ??= { generation, ended, deliveries: [] });
    if (delivery.eventId !== null) read.deliveries.push({ ...delivery, plannedAt: now - ageMs });
  }
  return leases.map((_, index) => reads[index]);
}

async function releaseLeases(pool: Pool, releases: readonly Release[]): Promise<ReleaseOutcome[]> {
  const values = [
    releases.map(({ worker }) => worker),
    releases.map(({ id }) => id),
    releases.map(({ generation }) => generation),
    releases.map(({ deferral }) => deferral?.seconds ?? null),
    releases.map(({ deferral }) => deferral?.which === 'all'),
    releases.map(({ deferral }) => deferral?.isExternal === true),
  ];
  const query = { name: 'delivery_release', text: RELEASE, values };
  const { rows } = await pool.query<{ n: number; isDue: boolean }>(query);
  const outcomes = new Map(rows.map(({ n, isDue }) => [n, isDue ? ('released-due' as const) : ('released' as const)]));
  return releases.map((_, index) => outcomes.get(index + 1) ?? 'retained');
}
