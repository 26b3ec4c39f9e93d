import type { Pool } from 'pg';
import { grouped } from './grouped';
import type { LaneDelivery } from './pass';
import { SLOTS } from './tables';

/** A part of an endpoint's lanes that is worked by one at a time. */
export interface Slot {
  readonly endpointId: string;
  readonly slot: number;
}

/** Who wants to work a slot. */
export interface Claim extends Slot {
  readonly holder: string;
}

/** When a slot is to be looked at after a turn. */
export interface Next {
  /** Together with all others of its endpoint: they may have been refused meanwhile. */
  readonly isOfAll: boolean;
  /** Not before so many seconds from now, though something is due. */
  readonly afterSeconds: number;
}

/** What a claim has come to; the slot of a slow endpoint is left to the workers that are kept for those. */
export interface Claimed {
  readonly claimed: boolean;
  readonly isSlow: boolean;
}

/** The slots of a subgraph's deliveries. */
export interface Slots {
  /** `slowly` by a worker that is kept for slow endpoints, of which few slots are worked at once. */
  claim(claim: Claim, slowly: boolean): Promise<Claimed>;
  /** Keeps a slot for longer; false when it is not the holder's any more. */
  renew(slot: Slot, holder: string): Promise<boolean>;
  /** Pending deliveries of the first lanes that are due, urgent ones first, or those alone. */
  look(slot: Slot, urgentOnly: boolean): Promise<readonly LaneDelivery[]>;
  release(slot: Slot, holder: string): Promise<void>;
  /** Adds the job for what is due next in a slot: in a statement of its own after the release, so that nothing is missed. */
  wake(slot: Slot, next: Next): Promise<void>;
  /** Notes whether an endpoint is slow. */
  markSlow(endpointId: string, slow: boolean): Promise<void>;
}

/** Lanes that a pass works at most. */
const LANES = 20;
/** Real time for which a slot is held: longer than any attempt takes. */
const LEASE = `interval '30 s'`;
const GROUPING = { most: 64, atOnce: 2 };

/** Slots of a slow endpoint that are worked at once; as other replicas begin at the same instant, so many more. */
const SLOTS_OF_SLOW = 2;

/** Who of those who want a slot may have it: of endpoints that are not slow all. */
interface Admission {
  readonly parts: string;
  readonly admitted: string;
}
const QUICK: Admission = { parts: '', admitted: 'wanted w where not w.is_slow and' };

/** Of a slow endpoint those who came first, as far as fewer slots are worked. Whoever has one wakes the others after. */
const SLOWLY: Admission = {
  parts: `
  available as (
    select w.*, row_number() over (partition by w.endpoint_id order by w.n) + (
        select count(*) from delivery_slot busy where busy.endpoint_id = w.endpoint_id and busy.leased_until >= now()) as place
    from wanted w left join delivery_slot s using (endpoint_id, slot) where s.leased_by is null or s.leased_until < now()),
  `,
  admitted: `available w where (not w.is_slow or w.place <= ${SLOTS_OF_SLOW}) and`,
};

/** Insertion and locks in the order of the key, and nobody waits for a slot that another is about to take. */
const CLAIM = ({ parts, admitted }: Admission): string => `
  with wanted as (
    select w.*, slow.endpoint_id is not null as is_slow
    from unnest($1::uuid[], $2::smallint[], $3::text[]) with ordinality as w(endpoint_id, slot, holder, n)
    left join delivery_slow_endpoint slow using (endpoint_id)),
  ${parts}added as (
    insert into delivery_slot as s (endpoint_id, slot, leased_by, leased_until)
    select w.endpoint_id, w.slot, w.holder, now() + ${LEASE} from ${admitted}
      not exists (select from delivery_slot known where known.endpoint_id = w.endpoint_id and known.slot = w.slot)
    order by w.endpoint_id, w.slot
    on conflict do nothing returning s.endpoint_id, s.slot),
  free as (
    select w.endpoint_id, w.slot, w.holder from delivery_slot s, ${admitted}
      s.endpoint_id = w.endpoint_id and s.slot = w.slot and (s.leased_by is null or s.leased_until < now())
    order by s.endpoint_id, s.slot for update of s skip locked),
  leased as (
    update delivery_slot s set leased_by = free.holder, leased_until = now() + ${LEASE} from free
    where s.endpoint_id = free.endpoint_id and s.slot = free.slot returning s.endpoint_id, s.slot)
  select w.is_slow as "isSlow", got.slot is not null as claimed
  from wanted w left join (select * from added union all select * from leased) got using (endpoint_id, slot) order by w.n`;

const RENEW = `update delivery_slot set leased_until = now() + ${LEASE} where endpoint_id = $1 and slot = $2 and leased_by = $3`;

const DUE = (urgent: boolean) => `
  select subject from delivery p
  where p.endpoint_id = s.endpoint_id and p.slot = s.slot and p.state = 'pending' and p.urgent = ${urgent}
    and p.next_attempt_at <= register_now()`;

/**
 * Lanes first, then their deliveries, each by its index. Of a lane the state is asked for in words that the index of what is due does
 * not have: it would find all of an endpoint, and the database takes that for few while it has no statistics.
 */
const LOOK = `
  select s.n::int, s.endpoint_id as "endpointId", d.*
  from unnest($1::uuid[], $2::smallint[], $3::boolean[]) with ordinality as s(endpoint_id, slot, urgent_only, n)
  cross join lateral (
    select subject, min(turn) as turn from (
      select subject, row_number() over () as turn from (
        (${DUE(true)} order by p.next_attempt_at limit ${LANES})
        union all
        (${DUE(false)} and not s.urgent_only order by p.next_attempt_at limit ${LANES})) due
      limit ${LANES}) first
    group by subject order by turn) lane
  cross join lateral (
    select event_id as "eventId", subject, sequence, urgent, attempt, held, faults, next_attempt_at <= register_now() as due,
      redelivered_at::text as "redeliveredAt", (extract(epoch from register_now() - created_at) * 1000)::float8 as "ageMs"
    from delivery
    where endpoint_id = s.endpoint_id and subject = lane.subject and state || '' = 'pending' order by sequence) d
  order by s.n, lane.turn, d.sequence`;

const RELEASE = `
  update delivery_slot s set leased_by = null, leased_until = null
  from unnest($1::uuid[], $2::smallint[], $3::text[]) as held(endpoint_id, slot, holder)
  where s.endpoint_id = held.endpoint_id and s.slot = held.slot and s.leased_by = held.holder`;

const NEXT = (urgent: boolean) => `
  (select ${urgent} as urgent, next_attempt_at as at from delivery d
   where d.endpoint_id = s.endpoint_id and d.slot = s.slot and d.state = 'pending' and d.urgent = ${urgent}
   order by next_attempt_at limit 1)`;

/** The job for what is due next in the slots `s`, not before so many seconds. */
export const WAKE = (seconds = '0'): string => `
  wake_deliveries(s.endpoint_id, s.slot, next.urgent,
    now() + greatest(next.at - register_now(), ${seconds} * interval '1 s'))`;
/** What is due next in each slot of `s`. */
export const NEXT_OF_SLOT = `cross join lateral (${NEXT(true)} union all ${NEXT(false)}) next`;

/** With the other slots of endpoints that are slow or were: who asked for them was refused while enough were worked. */
const WAKE_NEXT = `
  with asked as (select * from unnest($1::uuid[], $2::smallint[], $3::boolean[], $4::float8[]) as a(endpoint_id, slot, is_of_all, seconds)),
  s as (
    select endpoint_id, slot, seconds from asked
    union all
    select a.endpoint_id, other::smallint, a.seconds from asked a cross join generate_series(0, ${SLOTS - 1}) other
    where a.is_of_all or a.seconds = 0 and exists (select from delivery_slow_endpoint slow where slow.endpoint_id = a.endpoint_id))
  select ${WAKE('s.seconds')} from s ${NEXT_OF_SLOT}`;

const columns = (slots: readonly Slot[]) => [slots.map(({ endpointId }) => endpointId), slots.map(({ slot }) => slot)];

/** The slots in the tables of the deliveries. */
export function slotTable(pool: Pool): Slots {
  const look = grouped<Slot & { urgentOnly: boolean }, LaneDelivery[]>(async (asked) => {
    const values = [...columns(asked), asked.map(({ urgentOnly }) => urgentOnly)];
    const { rows } = await pool.query<LaneDelivery & { n: number }>({ name: 'delivery_look', text: LOOK, values });
    const answers = asked.map((): LaneDelivery[] => []);
    for (const row of rows) answers[row.n - 1]?.push(row);
    return answers;
  }, GROUPING);
  const claims = (name: string, text: string) => async (wanted: readonly Claim[]) => {
    const values = [...columns(wanted), wanted.map(({ holder }) => holder)];
    return (await pool.query<Claimed>({ name, text, values })).rows;
  };
  const claim = grouped<Claim, Claimed>(claims('delivery_claim', CLAIM(QUICK)), GROUPING);
  // One statement at a time, so that each sees what those before it have taken.
  const claimSlow = grouped<Claim, Claimed>(claims('delivery_claim_slow', CLAIM(SLOWLY)), {
    most: 64,
    atOnce: 1,
  });
  const release = grouped<Slot & { holder: string }, void>(async (slots) => {
    const values = [...columns(slots), slots.map(({ holder }) => holder)];
    await pool.query({ name: 'delivery_release', text: RELEASE, values });
    return [];
  }, GROUPING);
  const wake = grouped<Slot & Next, void>(async (slots) => {
    const nexts = [slots.map(({ isOfAll }) => isOfAll), slots.map(({ afterSeconds }) => afterSeconds)];
    await pool.query({ name: 'delivery_wake', text: WAKE_NEXT, values: [...columns(slots), ...nexts] });
    return [];
  }, GROUPING);
  return {
    claim: (wanted, slowly) => (slowly ? claimSlow(wanted) : claim(wanted)),
    look: (slot, urgentOnly) => look({ ...slot, urgentOnly }),
    release: (slot, holder) => release({ ...slot, holder }),
    wake: (slot, next) => wake({ ...slot, ...next }),
    renew: async ({ endpointId, slot }, holder) =>
      (await pool.query({ name: 'delivery_renew', text: RENEW, values: [endpointId, slot, holder] })).rowCount === 1,
    markSlow: async (endpointId, slow) => {
      await pool.query(slow ? SLOW : NOT_SLOW, [endpointId]);
    },
  };
}

const SLOW = 'insert into delivery_slow_endpoint (endpoint_id) values ($1) on conflict do nothing';
const NOT_SLOW = 'delete from delivery_slow_endpoint where endpoint_id = $1';
