import { type OccupantRecord, isUnreadableCustomer } from '../occupancy/occupancy';
import type { Contact, ContactProof, HeldContact } from './contact';
import { representatives } from './connected-contacts';

/** Facts that decide which contacts of an occupancy are one person's, without rejected contacts. */
export interface ContactEvidence {
  readonly held: readonly HeldContact[];
  readonly proofs: readonly ContactProof[];
  readonly confirmed: readonly Contact[];
}

/** Contacts of one person. */
type ContactGroup = ReadonlySet<Contact>;

/**
 * Groups the contacts of an occupancy by person, the group of the oldest contact first. Contacts are one person's if they are equal, were
 * proven to be, or were all confirmed by a customer signed in at the supplier. Two contacts in one record prove nothing, unless it is the
 * only record with contacts.
 */
export function contactGroups({ held, proofs, confirmed }: ContactEvidence): ContactGroup[] {
  if (new Set(held.map(({ recordId }) => recordId)).size === 1) return [new Set(held.map(({ contact }) => contact))];
  return provenGroups({ held, proofs, confirmed });
}

/** Returns contacts in the order in which they were registered. */
export function oldestFirst<Since extends Pick<HeldContact, 'since'>>(contacts: readonly Since[]): Since[] {
  return contacts.toSorted((one, other) => one.since.getTime() - other.since.getTime());
}

/** Groups contacts by proofs and confirmations alone, even if one record contains them all, each group with its oldest contact first. */
export function provenGroups({ held, proofs, confirmed }: ContactEvidence): ContactGroup[] {
  const contacts = new Set(oldestFirst(held).map(({ contact }) => contact));
  const representative = representatives(contacts, [...proofs, confirmed]);
  const groups = new Map<Contact, Set<Contact>>();
  for (const contact of contacts) {
    const group = groups.get(representative(contact)) ?? new Set();
    groups.set(representative(contact), group.add(contact));
  }
  return [...groups.values()];
}

/** Returns pairs that connect what proofs and confirmations connect by the evidence `before` a change, but not by that `after` it. */
export function lostConnections(before: ContactEvidence, after: ContactEvidence): ContactProof[] {
  const remaining = new Map(provenGroups(after).flatMap((part) => [...part].map((contact) => [contact, part])));
  return provenGroups(before).flatMap((group) => {
    const parts = new Map<ContactGroup, Contact>(); // with the oldest contact of each
    for (const contact of group) {
      const part = remaining.get(contact);
      if (part !== undefined && !parts.has(part)) parts.set(part, contact);
    }
    const [first, ...others] = parts.values();
    return first === undefined ? [] : others.map((other): ContactProof => [first, other]);
  });
}

/** Whether an occupancy has a second, unconnected group of contacts. */
export function isContested(groups: readonly ContactGroup[]): boolean {
  return groups.length > 1;
}

/** Whether a customer signed in at the supplier rejected every contact of a record, which then gives access to nothing. */
export function isRejected({ hasPasskey, email, rejected }: Pick<OccupantRecord, 'hasPasskey' | 'email' | 'rejected'>) {
  return rejected.length > 0 && !hasPasskey && email === null;
}

/** Whether a record still has a contact, and the contact was not rejected. */
export function holds({ unrejected }: Pick<OccupantRecord, 'unrejected'>, contact: Contact): boolean {
  return unrejected.some((held) => held.contact === contact);
}

/** Returns the oldest contact of every group except the first group: each of them made the occupancy contested. */
export function contestants({ held }: Pick<ContactEvidence, 'held'>, groups: readonly ContactGroup[]): HeldContact[] {
  const ordered = oldestFirst(held);
  return groups.slice(1).flatMap((group) => ordered.find(({ contact }) => group.has(contact)) ?? []);
}

/** The contacts of a tenancy and the facts about them. */
export interface TenancyContacts extends ContactEvidence {
  /** Its live verified records that can be decrypted, without persons who are yet to move in. */
  readonly records: readonly OccupantRecord[];
  readonly groups: readonly ContactGroup[];
}

/**
 * Returns the contacts of a tenancy. `atMeterPoint` are the verified records of the meter point. Each live one that cannot be decrypted is a
 * group of its own, in every tenancy.
 */
export function contactsOf(atMeterPoint: readonly OccupantRecord[], tenancy: string): TenancyContacts {
  const records = recordsOf(atMeterPoint, tenancy).filter(({ isClosed }) => !isClosed);
  const evidence = evidenceOf(records);
  const unreadable = atMeterPoint.filter((record) => !record.isClosed && isUnreadableCustomer(record));
  if (unreadable.length === 0) return { ...evidence, records, groups: contactGroups(evidence) };
  const unconnected = unreadable.map(({ id }) => new Set([`of the unreadable record ${id}`]));
  return { ...evidence, records, groups: [...provenGroups(evidence), ...unconnected] };
}

/**
 * Returns the verified records of a tenancy, closed ones included, without persons who are yet to move in, and without records that cannot be
 * decrypted.
 */
export function recordsOf(atMeterPoint: readonly OccupantRecord[], tenancy: string): OccupantRecord[] {
  return atMeterPoint.filter(
    (record) =>
      !isUnreadableCustomer(record) &&
      record.isVerified &&
      record.tenancy === tenancy &&
      record.occupancy !== 'to-come',
  );
}

/** Records that are one customer's own. */
export interface OwnRecords {
  /** Identity Records of the customer's own contact, and of contacts proven to be the same person's. */
  readonly ownRecordIds: readonly string[];
  /** Day on which the customer moved in: the first day of the visible history. */
  readonly since: string;
}

/** A customer of a tenancy. */
interface TenancyCustomer {
  /** The Identity Record that identifies the customer; null without one. */
  readonly recordId: string | null;
  /** Day on which the customer moved in by it. */
  readonly movedIn: string;
  /** Contacts that the customer proved, or confirmed after a sign-in at the supplier. */
  readonly contacts: readonly Contact[];
  /** The group of these contacts. */
  readonly group: ContactGroup | undefined;
}

/**
 * Returns the records of a tenancy, closed ones included, that are a customer's own: the record that identifies the customer, live ones with a
 * contact of the group, and closed ones with a contact that the customer proved, or that proofs, and confirmations of contacts of live records,
 * connect with it: a customer can reject only contacts of live records.
 */
export function ownRecordsOf(
  { recordId, movedIn, contacts: proven, group }: TenancyCustomer,
  records: readonly OccupantRecord[],
): OwnRecords {
  const { confirmed } = evidenceOf(records.filter(({ isClosed }) => !isClosed));
  const connected = provenGroups({ ...evidenceOf(records), confirmed }).filter((each) =>
    proven.some((contact) => each.has(contact)),
  );
  const isOwn = ({ id, isClosed, contacts }: OccupantRecord) =>
    id === recordId ||
    contacts.some(({ contact }) => (isClosed ? connected.some((each) => each.has(contact)) : group?.has(contact)));
  const own = records.filter(isOwn);
  return {
    ownRecordIds: own.map(({ id }) => id),
    since: own.reduce((first, { moveInDate }) => (moveInDate < first ? moveInDate : first), movedIn),
  };
}

/**
 * Returns the evidence of the records of a tenancy. A proof or verdict from before a late Change of Tenancy is that of some records only. A
 * confirmation counts while one of the records has its contact.
 */
export function evidenceOf(records: readonly OccupantRecord[]): ContactEvidence {
  const held = records.flatMap(({ contacts }) => contacts);
  const contacts = new Set(held.map(({ contact }) => contact));
  const confirmed = new Set(records.flatMap((record) => record.confirmed));
  return {
    held,
    proofs: records.flatMap(({ proofs }) => proofs),
    confirmed: [...confirmed].filter((contact) => contacts.has(contact)),
  };
}

/** Returns the contacts of the current occupancy. */
export function currentContacts(atMeterPoint: readonly OccupantRecord[]): TenancyContacts {
  return contactsOf(atMeterPoint, currentTenancy(atMeterPoint));
}

/** Returns the present tenancy of a meter point by its records. */
export function currentTenancy(atMeterPoint: readonly OccupantRecord[]): string {
  return atMeterPoint[0]?.changes.at(-1)?.day ?? '';
}
