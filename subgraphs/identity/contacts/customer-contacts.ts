import { contactsOf, oldestFirst } from './contacts';
import type { CustomerSession } from '../sign-in/customer-session';
import { maskedEmail } from '../reidentification/reidentification';
import type { Contact, ContactKind, ContactVerdict, HeldContact } from './contact';

/** Relation of a contact to the calling customer. */
export type ContactStanding = 'own' | 'other' | 'confirmed' | 'rejected';

/** A contact, as customers of its occupancy read it. */
export interface CustomerContact {
  readonly contact: Contact;
  readonly kind: ContactKind;
  /** Masked e-mail address; null for a passkey. */
  readonly shown: string | null;
  /** Data Users that registered records with it, first one first. */
  readonly duids: readonly string[];
  readonly since: Date;
  readonly standing: ContactStanding;
  /** A live record with this contact. */
  readonly recordId: string;
}

/** A contact without what a customer may not read of it. */
export interface ReadableContact extends Omit<CustomerContact, 'since'> {
  /** Null if the customer may not read it. */
  readonly since: Date | null;
}

/** The part of a session that decides its contacts. */
type ContactSession = Pick<CustomerSession, 'atMeterPoint' | 'tenancy' | 'contact' | 'means'>;

/** Whether the customer of a session may confirm and reject contacts: one who signed in at the supplier, in the current occupancy. */
export function mayJudge({ means, isCurrent }: Pick<CustomerSession, 'means' | 'isCurrent'>): boolean {
  return means === 'supplier' && isCurrent;
}

/**
 * Returns the contacts of a session's tenancy, oldest first. A customer signed in at the supplier also reads rejected ones, and may confirm
 * them.
 */
export function customerContacts({ atMeterPoint, tenancy, contact: own, means }: ContactSession): CustomerContact[] {
  const { held, groups, confirmed } = contactsOf(atMeterPoint, tenancy);
  const mine = groups.find((group) => own !== null && group.has(own));
  const standingOf = (contact: Contact): ContactStanding =>
    mine?.has(contact) ? 'own' : confirmed.includes(contact) ? 'confirmed' : 'other';
  const rejected =
    means === 'supplier' ? atMeterPoint.flatMap((record) => (record.tenancy === tenancy ? record.rejected : [])) : [];
  const emails = new Map(atMeterPoint.map(({ id, storedEmail }) => [id, storedEmail]));
  const shown = (all: readonly HeldContact[], standing: (contact: Contact) => ContactStanding) =>
    grouped(all).map((each) => contactOf(each, emails, standing));
  return oldestFirst([...shown(held, standingOf), ...shown(rejected, () => 'rejected')]);
}

/**
 * Returns the contacts of a session as its customer reads them. A Data User can plant a contact. At a contested home, a customer whom the supplier
 * has not confirmed therefore reads neither the Data Users nor the day of older contacts. Of a newer one this customer reads the first Data User,
 * which the mail about the contest names.
 */
export function readableContacts(session: ContactSession & Pick<CustomerSession, 'isContested'>): ReadableContact[] {
  const contacts = customerContacts(session);
  if (!session.isContested || session.means === 'supplier' || isConfirmed(session, contacts)) return contacts;
  const ownSince = contacts.find(({ standing }) => standing === 'own')?.since;
  return contacts.map((contact) => {
    if (contact.standing === 'own') return contact;
    const isNewer = ownSince !== undefined && contact.since >= ownSince;
    return isNewer ? { ...contact, duids: contact.duids.slice(0, 1) } : { ...contact, duids: [], since: null };
  });
}

/** Whether a customer signed in at the supplier confirmed one of the customer's own contacts. */
function isConfirmed({ atMeterPoint, tenancy }: ContactSession, contacts: readonly CustomerContact[]): boolean {
  const { confirmed } = contactsOf(atMeterPoint, tenancy);
  return contacts.some(({ contact, standing }) => standing === 'own' && confirmed.includes(contact));
}

function grouped(held: readonly HeldContact[]): HeldContact[][] {
  const ordered = oldestFirst(held);
  const contacts = [...new Set(ordered.map(({ contact }) => contact))];
  return contacts.map((contact) => ordered.filter((each) => each.contact === contact));
}

function contactOf(
  held: readonly HeldContact[],
  emails: ReadonlyMap<string, string | null>,
  standingOf: (contact: Contact) => ContactStanding,
): CustomerContact {
  const { contact, kind, since, recordId } = held[0] as HeldContact;
  return {
    contact,
    kind,
    shown: kind === 'email' ? maskedEmail(emails.get(recordId) ?? '') : null,
    duids: [...new Set(held.map(({ duid }) => duid))],
    since,
    standing: standingOf(contact),
    recordId,
  };
}

/** Returns the latest verdict of a customer on a contact of a session's tenancy; null without one. The rejection by an admin is none. */
export function verdictOn({ atMeterPoint, tenancy }: ContactSession, contact: Contact): ContactVerdict | null {
  const inTenancy = atMeterPoint.filter((record) => record.tenancy === tenancy);
  return inTenancy.flatMap(({ verdicts }) => verdicts.get(contact) ?? [])[0] ?? null;
}
