import type { OccupantRecord } from './occupant-record';

/**
 * By what a customer proves who they are: an e-mail address or a passkey of verified Identity Records (2-decisions-a-b.md, section 11),
 * as the hexadecimal form of its keyed hash.
 */
export type Contact = string;

/** Kinds of contacts. */
export type ContactKind = 'email' | 'passkey';

/** A contact as an Identity Record holds it. */
export interface HeldContact {
  readonly contact: Contact;
  readonly kind: ContactKind;
  readonly recordId: string;
  /** The Data User that wrote the record. */
  readonly duid: string;
  /** When the record got it. */
  readonly since: Date;
}

/** Two contacts that were proven in one session to belong together. */
export type ContactProof = readonly [Contact, Contact];

/** What somebody whom the supplier proved has said of a contact. */
export type ContactVerdict = 'confirmed' | 'rejected';

/** What decides which contacts of an occupancy are one person; rejected contacts are left out of it. */
export interface ContactFacts {
  readonly held: readonly HeldContact[];
  readonly proofs: readonly ContactProof[];
  readonly confirmed: readonly Contact[];
}

/** The contacts of one person. */
export type ContactGroup = ReadonlySet<Contact>;

/**
 * The contacts of an occupancy, grouped by person, the group of the oldest contact first. Contacts are one person when they are one
 * contact, were proven to belong together, or were all confirmed by whom the supplier proved. That a Data User wrote two contacts into one
 * record proves nothing, unless nobody else has a contact there: then there is nothing to decide.
 */
export function contactGroups({ held, proofs, confirmed }: ContactFacts): ContactGroup[] {
  const oldestFirst = held.toSorted((one, other) => one.since.getTime() - other.since.getTime());
  const contacts = [...new Set(oldestFirst.map(({ contact }) => contact))];
  if (new Set(held.map(({ recordId }) => recordId)).size === 1) return [new Set(contacts)];
  let groups: ContactGroup[] = contacts.map((contact) => new Set([contact]));
  for (const together of [...proofs, confirmed]) groups = united(groups, together);
  return groups;
}

/** The groups that have one of these contacts become one, in the place of the first of them. */
function united(groups: readonly ContactGroup[], contacts: readonly Contact[]): ContactGroup[] {
  const isMeant = (group: ContactGroup) => contacts.some((contact) => group.has(contact));
  const [first, ...others] = groups.filter(isMeant);
  if (first === undefined || others.length === 0) return [...groups];
  const whole = new Set([first, ...others].flatMap((group) => [...group]));
  return groups.flatMap((group) => (group === first ? [whole] : isMeant(group) ? [] : [group]));
}

/** Whether a second, unconnected contact stands beside the first. */
export function isContested(groups: readonly ContactGroup[]): boolean {
  return groups.length > 1;
}

/** Whether whom the supplier proved has rejected every contact of a record: it opens nothing any more. */
export function isRejected({ hasPasskey, email, rejected }: Pick<OccupantRecord, 'hasPasskey' | 'email' | 'rejected'>) {
  return rejected.length > 0 && !hasPasskey && email === null;
}

/** The contacts by which an occupancy became contested: the oldest of each group but the first. */
export function contestants({ held }: Pick<ContactFacts, 'held'>, groups: readonly ContactGroup[]): HeldContact[] {
  return groups.slice(1).flatMap((group) => {
    const ofGroup = held.filter(({ contact }) => group.has(contact));
    return ofGroup.toSorted((one, other) => one.since.getTime() - other.since.getTime()).slice(0, 1);
  });
}

/** The contacts of a tenancy, and what is known of them. */
export interface TenancyContacts extends ContactFacts {
  /** Its verified records; of the current tenancy without those of who is yet to come. */
  readonly records: readonly OccupantRecord[];
  readonly groups: readonly ContactGroup[];
}

/** The contacts of a tenancy of a meter point, whose verified records are given. */
export function contactsOf(atMeterPoint: readonly OccupantRecord[], tenancy: string): TenancyContacts {
  const records = atMeterPoint.filter(
    (record) => record.isVerified && record.tenancy === tenancy && record.occupancy !== 'to-come',
  );
  const facts = {
    held: records.flatMap(({ contacts }) => contacts),
    proofs: records[0]?.proofs ?? [],
    confirmed: records[0]?.confirmed ?? [],
  };
  return { ...facts, records, groups: contactGroups(facts) };
}

/** The contacts of the current occupancy. */
export function currentContacts(atMeterPoint: readonly OccupantRecord[]): TenancyContacts {
  return contactsOf(atMeterPoint, atMeterPoint[0]?.changes.at(-1)?.day ?? '');
}
