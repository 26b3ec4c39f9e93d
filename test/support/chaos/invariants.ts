import { until } from '../until';
import type { Acknowledged, Anonymised } from './writers';

type Rows = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The state of an Identity Record in both subgraphs. */
export interface Standing {
  readonly anonymised: boolean;
  readonly closing: boolean;
  readonly unfindable: boolean;
  readonly unreadable: boolean;
  readonly closed: boolean;
  /** Number of its linked ACTIVE records. */
  readonly active: number;
}

export const ANONYMISED: Standing = {
  ...{ anonymised: true, closing: true, unfindable: true, unreadable: true, closed: true },
  active: 0,
};

export const untouched = (active: number): Standing => ({
  ...{ anonymised: false, closing: false, unfindable: false, unreadable: false, closed: false },
  active,
});

/** Returns the state of Identity Records, by key. */
export async function standings(rows: Rows, irs: readonly string[]): Promise<Record<string, Standing>> {
  const found = await rows<Standing & { ref: string }>(
    `select r.ref, r.anonymised_at is not null as anonymised, r.closing_at is not null as closing, r.mpxn_index is null as unfindable,
       not exists (select from identity_keys.data_key k where k.record_id = r.id) as unreadable,
       exists (select from access.closed_identity_link c where c.identity_record_id = r.id) as closed,
       (select count(*)::int from access.access_record a where a.identity_record_id = r.id and a.state = 'ACTIVE') as active
     from identity.identity_record r where r.ref = any($1)`,
    [irs],
  );
  return Object.fromEntries(found.map(({ ref, ...standing }) => [ref, standing]));
}

/** Returns the expected state of Identity Records: anonymised, or unchanged. */
export function standingsExpected(records: readonly Anonymised[]): Record<string, Standing> {
  return Object.fromEntries(
    records.map(({ ir, isAnonymised, registered }) => [ir, isAnonymised ? ANONYMISED : untouched(registered)]),
  );
}

/** Returns the Changes of Tenancy of a day: whether each is announced, and its number of events. */
export function changesOn(rows: Rows, effectiveDate: string) {
  return rows<{ announced: boolean; events: number }>(
    `select announced_at is not null as announced, (select count(*)::int from access.event where change_id = change.id) as events
     from identity.change_of_tenancy change where effective_date = $1`,
    [effectiveDate],
  );
}

/** Returns the records of a purpose, with their history; each purpose is unique. */
export function recordsOf(rows: Rows, purpose: string) {
  return rows<{ purpose: string; state: string; versions: number; transitions: number }>(
    `select document->>'purpose' as purpose, state,
       (select count(*)::int from access.access_record_version v where v.record_id = r.id and v.version <= r.version) as versions,
       (select count(*)::int from access.access_record_transition t where t.record_id = r.id) as transitions
     from access.access_record r where document->>'purpose' like $1 order by 1`,
    [`${purpose} %`],
  );
}

/** Returns the records that the acknowledged registrations must have left, in the order of their purposes. */
export function recordsExpected({ registered }: Acknowledged) {
  return registered
    .map(({ purpose, end }) => {
      const isReplaced = end === 'replaced';
      const isActive = end === 'ACTIVE' || isReplaced;
      return {
        purpose: isReplaced ? `${purpose}, replaced` : purpose,
        state: isActive ? 'ACTIVE' : 'REVOKED',
        versions: isReplaced ? 2 : 1,
        transitions: isActive ? 1 : 2,
      };
    })
    .toSorted((one, other) => (one.purpose < other.purpose ? -1 : 1));
}

/** Counts inconsistencies in all databases of the register, after all jobs; every count must be zero. */
export async function halfDone(rows: Rows): Promise<Record<string, number>> {
  await jobsDone(rows);
  const [counts] = await rows<Record<string, number>>(`select
    (select count(*)::int from access.access_record r where not exists
      (select from access.access_record_version v where v.record_id = r.id and v.version = r.version)) as "recordsWithoutVersion",
    (select count(*)::int from access.access_record r where not exists
      (select from access.access_record_transition t where t.record_id = r.id and t.to_state = r.state)) as "recordsWithoutTransition",
    (select count(*)::int from access.access_record a where is_legacy and not exists
      (select from identity.identity_record i where i.id = a.identity_record_id and i.ref = a.identity_record_ref))
      as "consentsWithoutIdentityRecord",
    (select count(*)::int from identity.provisional_identity_record) as "provisionalRecords",
    (select count(*)::int from identity.identity_record i where i.ref in (select identity_record_ref from access.access_record
      where is_legacy) and not exists (select from identity_keys.data_key k where k.record_id = i.id)) as "consentsWithoutKey",
    (select count(*)::int from identity_keys.data_key k where not exists
      (select from identity.identity_record i where i.id = k.record_id)) as "keysOfNothing",
    (select count(*)::int from identity.identity_record where closing_at is not null and anonymised_at is null) as "closingRecords",
    (select count(*)::int from identity.change_of_tenancy where announced_at is null) as "changesNotAnnounced",
    (select count(*)::int from (select from identity.change_of_tenancy c join access.event e on e.change_id = c.id
      group by c.id, e.duid having count(*) > 1) twice) as "changesToldTwice",
    (select count(*)::int from access.access_record r where duid is not null and (select count(*) from access.event e
      where e.record_id = r.id and e.type = 'access.registered') <> 1) as "registrationsNotToldOnce",
    (select count(*)::int from (select from access.event where record_id is not null
      group by record_id, type, transition, webhook_id, expiry having count(*) > 1) twice) as "eventsTwice"`);
  return counts ?? {};
}

/** Starts the jobs that complete interrupted work, and waits until they are done. */
export function jobsDone(rows: Rows): Promise<void> {
  return until(async () => {
    await rows('update identity_jobs._private_jobs set run_at = now() where locked_at is null');
    return (await rows('select from identity_jobs._private_jobs limit 1')).length === 0 ? true : undefined;
  }, 120_000).then(() => undefined);
}
