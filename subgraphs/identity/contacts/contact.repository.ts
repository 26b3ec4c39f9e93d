import { type Session, onlyRow } from '../../server/database/transaction';
import { addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import { LIVE } from '../occupancy/meter-point-records.sql';
import { TODAY } from '../occupancy/tenancy-change.sql';
import type { Contact, ContactVerdict, HeldContact } from './contact';

/** Counters of the contacts that a Data User asserts. */
type ContactCountKind = 'asserted' | 'contest' | 'rejection';

/** A tenancy of a meter point, by blind index. */
interface Tenancy {
  readonly mpxnIndex: Buffer;
  readonly tenancy: string;
}

/** A tenancy, and the supplier that proved its customer; null in sessions of the previous release. */
interface JudgingSession extends Tenancy {
  readonly mpid: string | null;
}

/** A contact to judge. */
type JudgedContact = Pick<HeldContact, 'contact' | 'kind' | 'recordId'>;

const PROVE = `
  insert into contact_proof (mpxn_index, tenancy, one, other)
  values ($1, $2, least(decode($3, 'hex'), decode($4, 'hex')), greatest(decode($3, 'hex'), decode($4, 'hex'))) on conflict do nothing`;

const REF_OF_RECORD = 'select ref from identity_record where id = $1';

const JUDGE = `
  insert into contact_verdict (mpxn_index, tenancy, contact, verdict, mpid) values ($1, $2, decode($3, 'hex'), $4, $5)
  on conflict (mpxn_index, tenancy, contact) do update set verdict = excluded.verdict, judged_at = register_now(), mpid = excluded.mpid
  where contact_verdict.verdict <> excluded.verdict`;

const NOTE_CONTEST = `
  insert into contact_contest (mpxn_index, tenancy, contact, duid) values ($1, $2, decode($3, 'hex'), $4) on conflict do nothing`;

/** Slots of a counter, which reduce contention for its rows. A transaction uses one of them: two that count several times cannot deadlock. */
const SLOTS = 16;

const COUNT = `
  insert into contact_count as counted (duid, day, kind, slot, count) values ($1, ${TODAY}, $2, mod(pg_current_xact_id()::text::bigint, ${SLOTS}), 1)
  on conflict (duid, day, kind, slot) do update set count = counted.count + 1`;

const CONTESTS_TODAY = `
  select coalesce(sum(count), 0)::int as contests from contact_count where duid = $1 and day = ${TODAY} and kind = 'contest'`;

/** Blind index of the meter point of a live record. */
const MPXN_INDEX = `
  select r.mpxn_index as "mpxnIndex" from identity_record r where r.id = $1 and ${LIVE}`;

/** SQL: rows of the meter point of the passkey $1. */
const OF_PASSKEY = `noted using passkey p, identity_record own
  where p.id = $1 and own.id = p.record_id and noted.mpxn_index = own.mpxn_index and p.credential_hash`;

const DISTRUST = [
  `delete from contact_proof ${OF_PASSKEY} in (noted.one, noted.other)`,
  `delete from contact_verdict ${OF_PASSKEY} = noted.contact and noted.verdict = 'confirmed'`,
  `delete from contact_contest ${OF_PASSKEY} = noted.contact`,
];

/** Records that two contacts of a tenancy are one person's. */
export async function proveContacts(session: Session, { mpxnIndex, tenancy }: Tenancy, one: Contact, other: Contact) {
  if (one !== other) await session.query(PROVE, [mpxnIndex, tenancy, one, other]);
}

/**
 * Stores a verdict with the supplier of the customer, and states the former verdict and the supplier in the audit; returns false if it is
 * unchanged, also by a concurrent request. The meter point is locked. The audit names the Identity Record instead of the contact, whose hash
 * is deleted when the record is anonymised.
 */
export async function judgeContact(
  session: Session,
  { mpxnIndex, tenancy, mpid }: JudgingSession,
  { contact, kind, recordId }: JudgedContact,
  { from, to }: { readonly from: ContactVerdict | null; readonly to: ContactVerdict },
): Promise<boolean> {
  if (from === to) return false;
  const { rowCount } = await session.query(JUDGE, [mpxnIndex, tenancy, contact, to, mpid]);
  if (rowCount === 0) return false;
  const { ref } = onlyRow(await session.query<{ ref: string }>(REF_OF_RECORD, [recordId]));
  const detail = { contact: kind, supplier: mpid, from: { verdict: from }, to: { verdict: to } };
  await addAuditEntry(session, { actor: 'customer', action: 'judge-contact', subject: fingerprintOf(ref), detail });
  return true;
}

/** Records that a contact made an occupancy contested; returns false if it was recorded before. */
export async function noteContest(
  session: Session,
  { mpxnIndex, tenancy }: Tenancy,
  held: HeldContact,
): Promise<boolean> {
  return (await session.query(NOTE_CONTEST, [mpxnIndex, tenancy, held.contact, held.duid])).rowCount === 1;
}

/** Increments a counter of a Data User for the present day in Great Britain. */
export async function countContact(session: Session, duid: string, kind: ContactCountKind): Promise<void> {
  await session.query(COUNT, [duid, kind]);
}

/** Returns the number of contests that a Data User caused on the present day. */
export async function contestsToday(session: Session, duid: string): Promise<number> {
  return (await session.query<{ contests: number }>(CONTESTS_TODAY, [duid])).rows[0]?.contests ?? 0;
}

/**
 * Deletes proofs and confirmations of a passkey that is about to be removed, and its contest; a rejection remains. Afterwards its id can be
 * registered with another key, because authenticators choose ids without attestation.
 */
export async function distrustPasskey(session: Session, credentialId: string): Promise<void> {
  for (const statement of DISTRUST) await session.query(statement, [credentialId]);
}

/** Returns the blind index of a live record's meter point; undefined if the record is closed or anonymised. */
export async function meterPointOf(session: Session, recordId: string): Promise<Buffer | undefined> {
  return (await session.query<{ mpxnIndex: Buffer }>(MPXN_INDEX, [recordId])).rows[0]?.mpxnIndex;
}
