/** Maximum lanes that one read returns: more than run at an endpoint at the same time. */
export const MAX_LANES_PER_READ = 128;
/** Maximum due deliveries of which one read seeks the lanes: after an outage of the receiver, several of a lane are due. */
const MAX_DUE_PER_READ = 512;
/** Maximum deliveries of a lane that one read returns: while a receiver is unavailable, a lane may grow without bound. */
export const MAX_DELIVERIES_PER_LANE = 64;

const DUE_LANES = (urgent: boolean) => `
  select subject from delivery p
  where p.endpoint_id = lease.id and p.state = 'pending' and p.urgent = ${urgent} and p.next_attempt_at <= register_now()
  order by p.next_attempt_at limit ${MAX_DUE_PER_READ}`;

const IN_LANE = `endpoint_id = lease.id and subject = lane.subject and state || '' = 'pending'`;

/** Lanes of due deliveries. `after` and `last` bound the numbers that are read; without `last`, the number of the last due delivery does. */
const FIRST_LANES = `
  select subject, min(position) as position, 0 as after, null::integer as last from (
    select subject, row_number() over () as position from ((${DUE_LANES(true)}) union all (${DUE_LANES(false)})) due
    limit ${MAX_DUE_PER_READ}) first
  group by subject order by min(position) limit ${MAX_LANES_PER_READ}`;

/**
 * Reads lanes and then the deliveries of each, both by index. Without `offset 0`, PostgreSQL would seek the last due delivery of each
 * lane twice. `state || ''` prevents PostgreSQL from using the
 * index of due deliveries for the second step: it would read all pending deliveries of the endpoint for each lane. The
 * statement has no name, so that each execution is planned for the present size of the table: a plan of an almost empty
 * table may read all deliveries of the endpoint for each lane, and a named statement keeps it until the table is analysed.
 */
const READ_LANES = (lanes: string) => `
  select lease.n::int, e.generation, e.ended, d.*
  from unnest($1::uuid[], $2::uuid[]) with ordinality as lease(worker, id, n)
  join delivery_endpoint e on e.id = lease.id and e.leased_by = lease.worker
  left join lateral (
    select lane.position, event_id as "eventId", delivery.endpoint_id as "endpointId", delivery.subject, sequence, urgent, version,
      due.last as "lastDue", attempt, faults as "assemblyFailures", next_attempt_at <= register_now() as due,
      redelivered_at::text as "redeliveredAt",
      attempts = '[]' and redelivered_at is null and faults = 0 and coalesce(created_at > e.put_off_at, true) as "isFresh",
      (extract(epoch from register_now() - created_at) * 1000)::float8 as "ageMs"
    from (${lanes}) lane
    cross join lateral (
      select coalesce(lane.last, (
        select sequence from delivery where ${IN_LANE} and next_attempt_at <= register_now() order by sequence desc limit 1)) as last offset 0) due
    cross join lateral (
      select *, xmin::text as version from delivery where ${IN_LANE} and sequence > lane.after and sequence <= due.last
      order by sequence limit ${MAX_DELIVERIES_PER_LANE}) delivery
  ) d on true
  order by lease.n, d.position, d.sequence`;

/** Reads the due lanes of leased endpoints. */
export const READ_PENDING = READ_LANES(FIRST_LANES);
/** Reads the deliveries of a lane of a leased endpoint after one number, up to another one. */
export const READ_REST = READ_LANES(
  'select $3::text as subject, 1 as position, $4::integer as after, $5::integer as last',
);
