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

const PASSKEY = `select encode(credential_hash, 'hex') as contact from passkey where id = $1 and removed_at is null`;

/**
 * Locks the meter point of a record that is about to end, or to lose the passkey `credentialId`, and stores proofs of the connections that
 * end with its contacts. A contact that another live record of the tenancy has still connects, until it is rejected there.
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
    credentialId === null ? contactsOf(others, tenancy) : await withoutPasskey(session, before, credentialId);
  for (const [one, other] of lostConnections(before, after)) {
    await proveContacts(session, { mpxnIndex, tenancy }, one, other);
  }
}

async function withoutPasskey(
  session: Session,
  evidence: ContactEvidence,
  credentialId: string,
): Promise<ContactEvidence> {
  const passkey = (await session.query<{ contact: Contact }>(PASSKEY, [credentialId])).rows[0]?.contact;
  return { ...evidence, held: evidence.held.filter(({ contact }) => contact !== passkey) };
}
