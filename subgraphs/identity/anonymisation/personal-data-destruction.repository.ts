import { addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import { type Session, onlyRow } from '../../server/database/transaction';
import { adoption } from '../legacy/provisional-record.repository';
import { type AnonymisingState, nameOf } from './anonymising-state';

const STATE = `select ref, duid, closing_at is not null as closing, closed_at is not null as "isClosed", anonymised_at as "anonymisedAt"
  from identity_record where id = $1`;

/** Closes a record permanently. `$2` is the instant of the closing if a restore repeats it, else null. */
export const CLOSED = `update identity_record set closed_at = coalesce(closed_at, $2::timestamptz, register_now()),
  closing_at = coalesce(closing_at, $2::timestamptz, register_now()) where id = $1 and anonymised_at is null`;

/** Sessions of a supplier sign-in at the meter point have no record; they end with the last record there. */
const END_SESSIONS_THERE = `
  delete from customer_session session using identity_record own
    where own.id = $1 and session.mpxn_index = own.mpxn_index and session.record_id is null
      and not exists (select from identity_record other where other.mpxn_index = own.mpxn_index and other.id <> own.id)`;

const ANONYMISED = `
  update identity_record set anonymised_at = coalesce($2::timestamptz, register_now()), closing_at = coalesce(closing_at, register_now()),
    mpxn_index = null, email_index = null, meter_point_id = null where id = $1 and anonymised_at is null`;

/** Ends the sessions of a record's customer. */
export const END_SESSIONS = 'delete from customer_session where record_id = $1';

const DESTROY = [
  'delete from identity_keys.data_key where record_id = $1',
  'delete from passkey where record_id = $1',
  'delete from rejected_assertion where record_id = $1',
  'delete from reidentification where record_id = $1',
  END_SESSIONS,
  'delete from sign_in_link where record_id = $1',
  'delete from identity_look where record_id = $1',
  'delete from idempotency_key where record_id = $1',
];

/** Whether a record has the contact of a row as e-mail address or passkey. */
const has = (record: string, contact: string): string => `(${record}.email_index = noted.${contact}
  or exists (select from passkey where passkey.record_id = ${record}.id and passkey.credential_hash = noted.${contact}))`;
/** Whether another record of the meter point of the record `$1` exists that meets a condition. */
const anotherThere = (condition: string): string => `exists (
  select from identity_record other where other.mpxn_index = own.mpxn_index and other.id <> own.id and ${condition})`;

/** Deletes rows about contacts at the meter point of the record `$1` that no other record there has. */
const lastOf = (table: string, contact: string, condition = 'true'): string => `
  delete from ${table} noted using identity_record own
  where own.id = $1 and noted.mpxn_index = own.mpxn_index and not ${anotherThere(has('other', contact))} and ${condition}`;

/** A rejection of a passkey that was removed remains until the last record of the meter point ends: the passkey could be registered again. */
const IS_OBSOLETE_VERDICT = `(noted.verdict <> 'rejected' or ${has('own', 'contact')} or not ${anotherThere('true')})`;

/** Links that prove the address of the record in a session at its meter point, unless another record there has the address. */
const DELETE_LINKS = `
  delete from contact_link noted using identity_record own, customer_session session
  where own.id = $1 and noted.contact = own.email_index and session.id = noted.session_id and session.mpxn_index = own.mpxn_index
    and not ${anotherThere(has('other', 'contact'))}`;

const DELETE_CONTACTS = [
  DELETE_LINKS,
  lastOf('contact_verdict', 'contact', IS_OBSOLETE_VERDICT),
  lastOf('contact_contest', 'contact'),
  lastOf('contact_proof', 'one'),
  lastOf('contact_proof', 'other'),
];

/**
 * Destroys the data key, the blind indexes and all dependent rows of a record, in the transaction of the session. `at` is the original
 * instant if a restore repeats the anonymising.
 */
export async function destroyPersonalData(session: Session, id: string, at?: string): Promise<void> {
  for (const statement of DELETE_CONTACTS) await session.query(statement, [id]);
  await session.query(END_SESSIONS_THERE, [id]);
  await session.query(ANONYMISED, [id, at ?? null]);
  for (const statement of DESTROY) await session.query(statement, [id]);
}

/** Provisional records in the list $1, and those without a data key. */
const ADOPT = adoption(`id = any($1)
  or not exists (select from identity_keys.data_key where record_id = provisional.id)`);

/** Actor of the erasures that a restore repeats, in the audit. */
const RESTORE = 'restore';

/** Returns the state of a record. */
export async function anonymisingState(session: Session, id: string): Promise<AnonymisingState> {
  return onlyRow(await session.query<AnonymisingState>(STATE, [id]));
}

/**
 * Runs a change of a record and adds its transition to the audit: a step that is repeated, or that a later state
 * excludes, changes nothing and adds no entry.
 */
export async function audited(
  session: Session,
  id: string,
  actor: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const { ref, ...former } = await anonymisingState(session, id);
  await change();
  const [from, to] = [nameOf(former), nameOf(await anonymisingState(session, id))];
  if (from === to) return;
  const detail = { from: { state: from }, to: { state: to } };
  await addAuditEntry(session, { actor, action: 'anonymise-identity-record', subject: fingerprintOf(ref), detail });
}

/** Anonymises a record that a restore brought back; `at` is the original instant if a list contains it. */
export function anonymiseAgain(session: Session, id: string, at: string | undefined): Promise<void> {
  return audited(session, id, RESTORE, () => destroyPersonalData(session, id, at));
}

/**
 * Turns provisional records that a restore brought back and that must be closed or anonymised into Identity Records, in the transaction of the
 * session.
 */
export async function adoptProvisional(session: Session, ids: readonly string[]): Promise<void> {
  await session.query(ADOPT, [ids]);
}

/** Locks the listed records that are neither closed nor anonymised. */
const OPEN = `select id from identity_record where id = any($1) and closed_at is null and anonymised_at is null
  order by id for no key update`;

/** Closes records again that were closed by an instant and are open in a restored database; returns how many. A job continues with them. */
export async function closeAgain(session: Session, closed: ReadonlyMap<string, string>): Promise<number> {
  const { rows } = await session.query<{ id: string }>(OPEN, [[...closed.keys()]]);
  for (const { id } of rows) {
    await audited(session, id, RESTORE, () => session.query(CLOSED, [id, closed.get(id)]));
    await session.query(END_SESSIONS, [id]);
  }
  return rows.length;
}
