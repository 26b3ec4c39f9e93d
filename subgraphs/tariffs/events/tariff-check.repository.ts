import type { Session } from '../../server/database/transaction';
import { tariffLinks } from '../catalogue/tariff-links.queries';
import {
  type CheckState,
  type LastPublished,
  type MpxnAssignments,
  type MpxnEvent,
  type PendingAssignment,
  type Recheck,
  type TariffCheck,
  assignmentsBefore,
  chainPlaces,
  eventsOfCheck,
  rechecksOf,
} from './tariff-check';

/** Locks due changes of assignments, so that a concurrent withdrawal ends before the assignments are read. */
const LOCK_DUE = {
  name: 'lock_due_assignments',
  text: `select from tariff_step step join tariff_effect effect on effect.step_id = step.id
    where step.mpxn_hash = any($1::bytea[]) and step.withdrawn_at is null and effect.done_at is null
      and effect.cancelled_at is null and effect.due_at <= register_now()
    order by effect.id for update of effect`,
};

/** Assignments that are applied, or due. Due ones are in the order of their changes. */
const ASSIGNMENTS = {
  name: 'assignments_to_check',
  text: `select encode(step.mpxn_hash, 'hex') as mpxn, step.valid_from as "validFrom", step.tariff_id as "tariffId", step.mpid,
      step.recorded_at as "recordedAt", effect.id as "changeId", effect.due_at as "dueAt"
    from tariff_step step left join tariff_effect effect on effect.step_id = step.id and effect.done_at is null
    where step.mpxn_hash = any($1::bytea[]) and step.withdrawn_at is null and (effect.id is null or effect.due_at <= register_now())
    order by effect.due_at, effect.id`,
};

/** The previous release stores the end of an assignment as a null tariff, without `ceased_at`. */
const PUBLISHED = {
  name: 'published_tariffs',
  text: `select encode(mpxn_hash, 'hex') as mpxn, tariff_id as "tariffId", mpid, as_of as "asOf",
      case when tariff_id is null then coalesce(ceased_at, as_of) else ceased_at end as "ceasedAt"
    from tariff_standing where mpxn_hash = any($1::bytea[])`,
};

const INSERT_EVENTS = {
  name: 'publish_tariff_changes',
  text: `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id, ceased_at)
    select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[])`,
};

const STORE_PUBLISHED = {
  name: 'store_published_tariffs',
  text: `insert into tariff_standing (mpxn_hash, tariff_id, mpid, as_of, ceased_at)
    select * from unnest($1::bytea[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
    on conflict (mpxn_hash) do update set tariff_id = excluded.tariff_id, mpid = excluded.mpid, as_of = excluded.as_of,
      ceased_at = excluded.ceased_at`,
};

/** Schedules those checks whose instants have passed. */
const SCHEDULE_RECHECKS = {
  name: 'schedule_rechecks',
  text: `insert into tariff_effect (kind, due_at, mpxn_hash)
    select 'recheck', recheck.due_at, recheck.mpxn_hash from unnest($1::timestamptz[], $2::bytea[]) as recheck (due_at, mpxn_hash)
    where recheck.due_at <= register_now()`,
};

/**
 * Compares the tariff that applies to each MPxN with the last published one, and publishes an event for each difference. A late check
 * therefore repeats no event and publishes only what still applies. Each check first applies the assignments of its MPxN that are due before
 * it, so that the events follow the order of the assignments. Callers hold the lock of scheduled changes.
 *
 * @param checks in the order in which they are due
 * @returns the ids of the changes of assignments that are applied, which the caller completes
 */
export async function publishTariffChanges(
  session: Session,
  checks: readonly TariffCheck[],
): Promise<readonly string[]> {
  if (checks.length === 0) return [];
  const state = await readState(session, checks);
  await insertEvents(
    session,
    checks.flatMap((check) => eventsOfCheck(check, state)),
  );
  await storePublished(session, state);
  await scheduleRechecks(session, rechecksOf(checks, state));
  return [...state.applied];
}

async function readState(session: Session, checks: readonly TariffCheck[]): Promise<CheckState> {
  const hashes = hashesOf(checks);
  await session.query({ ...LOCK_DUE, values: [hashes] });
  const published = await readPublished(session, hashes);
  const { assignments, rows } = await readAssignments(session, hashes);
  const tariffs = [...published.values(), ...rows];
  const links = await tariffLinks(
    session,
    tariffs.flatMap(({ tariffId }) => tariffId ?? []),
  );
  return { published, assignments, links, places: chainPlaces(links), applied: new Set() };
}

/** Returns the hashes of the checked MPxNs, each once. */
function hashesOf(checks: readonly TariffCheck[]): readonly Buffer[] {
  return [...new Map(checks.map(({ mpxnHash }) => [mpxnHash.toString('hex'), mpxnHash])).values()];
}

async function readPublished(session: Session, hashes: readonly Buffer[]): Promise<Map<string, LastPublished>> {
  type Row = LastPublished & { readonly mpxn: string };
  const { rows } = await session.query<Row>({ ...PUBLISHED, values: [hashes] });
  return new Map(rows.map(({ mpxn, ...published }) => [mpxn, published]));
}

/** The assignments of the checked MPxNs, by hash, and as stored. */
interface ReadAssignments {
  readonly assignments: Map<string, MpxnAssignments>;
  readonly rows: readonly PendingAssignment[];
}

async function readAssignments(session: Session, hashes: readonly Buffer[]): Promise<ReadAssignments> {
  type Row = PendingAssignment & { readonly mpxn: string };
  const { rows } = await session.query<Row>({ ...ASSIGNMENTS, values: [hashes] });
  const ofMpxns = new Map<string, Row[]>(rows.map(({ mpxn }) => [mpxn, []]));
  for (const row of rows) ofMpxns.get(row.mpxn)?.push(row);
  return { rows, assignments: new Map([...ofMpxns].map(([mpxn, ofMpxn]) => [mpxn, assignmentsBefore(ofMpxn)])) };
}

async function storePublished(session: Session, { published, assignments }: CheckState): Promise<void> {
  const stored = [...published].filter(([mpxn]) => assignments.has(mpxn));
  const values = [
    stored.map(([mpxn]) => Buffer.from(mpxn, 'hex')),
    stored.map(([, { tariffId }]) => tariffId),
    stored.map(([, { mpid }]) => mpid),
    stored.map(([, { asOf }]) => asOf),
    stored.map(([, { ceasedAt }]) => ceasedAt),
  ];
  await session.query({ ...STORE_PUBLISHED, values });
}

/** Inserts events in the order of the MPxNs, as every writer of events does, to avoid deadlocks on the lanes of deliveries. */
async function insertEvents(session: Session, unordered: readonly MpxnEvent[]): Promise<void> {
  if (unordered.length === 0) return;
  const events = unordered.toSorted((one, other) => Buffer.compare(one.mpxnHash, other.mpxnHash));
  await session.query({
    ...INSERT_EVENTS,
    values: [
      events.map(({ type }) => type),
      events.map(({ at }) => at),
      events.map(({ mpid }) => mpid),
      events.map(({ mpxnHash }) => mpxnHash),
      events.map(({ tariffId }) => tariffId),
      events.map(({ ceasedAt }) => ceasedAt),
    ],
  });
}

async function scheduleRechecks(session: Session, rechecks: readonly Recheck[]): Promise<void> {
  if (rechecks.length === 0) return;
  const values = [rechecks.map(({ at }) => at), rechecks.map(({ mpxnHash }) => mpxnHash)];
  await session.query({ ...SCHEDULE_RECHECKS, values });
}
