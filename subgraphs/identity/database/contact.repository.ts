import type { Session } from '../../server/transaction';
import type { Contact, ContactVerdict, HeldContact } from '../domain/contacts';
import { TODAY } from './tenancy-changes';

/** What the register counts of the contacts that a Data User asserts. */
export type ContactCountKind = 'asserted' | 'contest' | 'rejection';

/** A tenancy of a meter point, by the blind index. */
export interface Tenancy {
  readonly mpxnIndex: Buffer;
  readonly tenancy: string;
}

const PROVE = `
  insert into contact_proof (mpxn_index, tenancy, one, other)
  values ($1, $2, least(decode($3, 'hex'), decode($4, 'hex')), greatest(decode($3, 'hex'), decode($4, 'hex'))) on conflict do nothing`;

/** A verdict that was the same before changes nothing. */
const JUDGE = `
  insert into contact_verdict as known (mpxn_index, tenancy, contact, verdict) values ($1, $2, decode($3, 'hex'), $4)
  on conflict (mpxn_index, tenancy, contact) do update set verdict = excluded.verdict, judged_at = register_now()
  where known.verdict <> excluded.verdict`;

const NOTE_CONTEST = `
  insert into contact_contest (mpxn_index, tenancy, contact, duid) values ($1, $2, decode($3, 'hex'), $4) on conflict do nothing`;

/** Slots of a counter. */
const SLOTS = 16;

const COUNT = `
  insert into contact_count as counted (duid, day, kind, slot, count) values ($1, ${TODAY}, $2, floor(random() * ${SLOTS}), 1)
  on conflict (duid, day, kind, slot) do update set count = counted.count + 1`;

const CONTESTS_TODAY = `
  select coalesce(sum(count), 0)::int as contests from contact_count where duid = $1 and day = ${TODAY} and kind = 'contest'`;

const NOW = 'select register_now() as now';

/** The blind index of a meter point, of a live record there. */
const MPXN_INDEX = `
  select mpxn_index as "mpxnIndex" from identity_record where id = $1 and anonymised_at is null and closing_at is null`;

/** Two contacts are one person from now on, in a tenancy. */
export async function proveContacts(session: Session, { mpxnIndex, tenancy }: Tenancy, one: Contact, other: Contact) {
  if (one !== other) await session.query(PROVE, [mpxnIndex, tenancy, one, other]);
}

/** Keeps a verdict; false when it was known. */
export async function judgeContact(
  session: Session,
  { mpxnIndex, tenancy }: Tenancy,
  contact: Contact,
  verdict: ContactVerdict,
): Promise<boolean> {
  return (await session.query(JUDGE, [mpxnIndex, tenancy, contact, verdict])).rowCount === 1;
}

/** Notes that a contact has made an occupancy contested; false when that was noted before. */
export async function noteContest(
  session: Session,
  { mpxnIndex, tenancy }: Tenancy,
  held: HeldContact,
): Promise<boolean> {
  return (await session.query(NOTE_CONTEST, [mpxnIndex, tenancy, held.contact, held.duid])).rowCount === 1;
}

/** Counts for a Data User, in its day in Great Britain. */
export async function countContact(session: Session, duid: string, kind: ContactCountKind): Promise<void> {
  await session.query(COUNT, [duid, kind]);
}

/** How many contests a Data User has caused on the present day. */
export async function contestsToday(session: Session, duid: string): Promise<number> {
  return (await session.query<{ contests: number }>(CONTESTS_TODAY, [duid])).rows[0]?.contests ?? 0;
}

/** The register's time in a transaction. */
export async function registerTime(session: Session): Promise<Date> {
  return (await session.query<{ now: Date }>(NOW)).rows[0]?.now as Date;
}

/** Where a live record is; undefined when it is closing or anonymised. */
export async function meterPointOf(session: Session, recordId: string): Promise<Buffer | undefined> {
  return (await session.query<{ mpxnIndex: Buffer }>(MPXN_INDEX, [recordId])).rows[0]?.mpxnIndex;
}
