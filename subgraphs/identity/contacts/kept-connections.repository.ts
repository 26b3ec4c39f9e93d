import type { Session } from '../../server/database/transaction';
import { lockMeterPoint } from '../locks.sql';
import { verifiedUntilEnd } from '../occupancy/occupancy.repository';
import type { PersonalDataCipher } from '../records/personal-data-cipher';
import type { Contact } from './contact';
import { proveContacts } from './contact.repository';
import { type ContactEvidence, contactsOf, lostConnections } from './contacts';

/** Blind index of the meter point of a record that is not anonymised, even if it is closed. */
const MPXN_INDEX_UNTIL_ANONYMISED = `
  select mpxn_index as "mpxnIndex" from identity_record where id = $1 and anonymised_at is null`;

const PASSKEY = `
  select encode(credential_hash, 'hex') as contact from passkey where id = $1 and record_id = $2 and removed_at is null`;

/** Confirms a contact like the latest confirmation of the contacts $4, so that what undoes their confirmation also undoes this one. */
const CONFIRM_LIKE = `
  insert into contact_verdict (mpxn_index, tenancy, contact, verdict, judged_at, mpid)
  select $1, $2, decode($3, 'hex'), 'confirmed', judged_at, mpid from contact_verdict
  where mpxn_index = $1 and verdict = 'confirmed' and encode(contact, 'hex') = any($4) order by judged_at desc limit 1
  on conflict do nothing`;

/**
 * Locks the meter point of a record that is about to end, or to lose the passkey `credentialId`, and stores the connections that end with its
 * contacts: as proofs, or as confirmations if a customer signed in at the supplier confirmed a contact that ends. A contact that another live
 * record of the tenancy has still connects, until it is rejected there.
 */
export async function keepConnections(
  session: Session,
  cipher: PersonalDataCipher,
  recordId: string,
  credentialId: string | null = null,
): Promise<void> {
  const { rows } = await session.query<{ mpxnIndex: Buffer }>(MPXN_INDEX_UNTIL_ANONYMISED, [recordId]);
  const mpxnIndex = rows[0]?.mpxnIndex;
  if (mpxnIndex === undefined) return;
  await lockMeterPoint(session, mpxnIndex);
  const all = await verifiedUntilEnd(session, cipher, mpxnIndex);
  const tenancy = all.find(({ id }) => id === recordId)?.tenancy;
  if (tenancy === undefined) return;
  const before = contactsOf(all, tenancy);
  const others = all.filter(({ id }) => id !== recordId);
  const after =
    credentialId === null
      ? contactsOf(others, tenancy)
      : await withoutPasskey(session, before, { recordId, credentialId });
  const proofs = lostConnections(unconfirmed(before), unconfirmed(after));
  for (const [one, other] of proofs) await proveContacts(session, { mpxnIndex, tenancy }, one, other);
  const ending = before.confirmed.filter((contact) => !after.held.some((held) => held.contact === contact));
  for (const contact of lostConnections(before, { ...after, proofs: [...after.proofs, ...proofs] }).flat())
    await session.query(CONFIRM_LIKE, [mpxnIndex, tenancy, contact, ending]);
}

const unconfirmed = (evidence: ContactEvidence): ContactEvidence => ({ ...evidence, confirmed: [] });

async function withoutPasskey(
  session: Session,
  evidence: ContactEvidence,
  { recordId, credentialId }: { readonly recordId: string; readonly credentialId: string },
): Promise<ContactEvidence> {
  const passkey = (await session.query<{ contact: Contact }>(PASSKEY, [credentialId, recordId])).rows[0]?.contact;
  return { ...evidence, held: evidence.held.filter(({ contact }) => contact !== passkey) };
}
