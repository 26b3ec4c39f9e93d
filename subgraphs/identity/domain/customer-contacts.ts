import { type Contact, type ContactKind, type HeldContact, contactsOf } from './contacts';
import type { CustomerSession } from './customer-session';
import { maskedEmail } from './masked-email';

/** How a contact stands to the customer who asks. */
export type ContactStanding = 'own' | 'other' | 'confirmed' | 'rejected';

/** A contact as the customers of its occupancy see it. */
export interface CustomerContact {
  readonly contact: Contact;
  readonly kind: ContactKind;
  /** Of an e-mail address, masked; null for a passkey. */
  readonly shown: string | null;
  /** The Data Users that wrote records with it, the first one first. */
  readonly duids: readonly string[];
  readonly since: Date;
  readonly standing: ContactStanding;
  /** A live record that has it. */
  readonly recordId: string;
}

/** What of a session says which contacts there are. */
export type ContactSession = Pick<CustomerSession, 'atMeterPoint' | 'tenancy' | 'contact' | 'means'>;

/** Whether a session is that of somebody whom the supplier proved: they confirm and reject contacts. */
export function mayJudge({ means, isCurrent }: Pick<CustomerSession, 'means' | 'isCurrent'>): boolean {
  return means === 'supplier' && isCurrent;
}

/** The contacts of the tenancy of a session, the oldest first; rejected ones are shown to whom the supplier proved, who may change it. */
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
  return [...shown(held, standingOf), ...shown(rejected, () => 'rejected')].toSorted(
    (one, other) => one.since.getTime() - other.since.getTime(),
  );
}

function grouped(held: readonly HeldContact[]): HeldContact[][] {
  const oldestFirst = held.toSorted((one, other) => one.since.getTime() - other.since.getTime());
  const contacts = [...new Set(oldestFirst.map(({ contact }) => contact))];
  return contacts.map((contact) => oldestFirst.filter((each) => each.contact === contact));
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
