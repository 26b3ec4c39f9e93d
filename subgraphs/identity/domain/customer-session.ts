import { type Contact, type ContactGroup, contactsOf, isContested } from './contacts';
import { changeAfter, changeBefore, tenancyOf } from './occupancy';
import type { TenancyChange } from './occupancy';
import type { OccupantRecord } from './occupant-record';

/** By what a customer proved to be one (2-decisions-a-b.md, section 9). */
export type SignInMeans = 'magic-link' | 'passkey' | 'supplier';

/** What a session lets a customer see: one meter point, and since when (2-decisions-a-b.md, sections 9 and 11). */
export interface CustomerScope {
  readonly sessionId: string;
  /** The Identity Record by which the customer signed in; null for a supplier sign-in where there is none. */
  readonly identityRecordId: string | null;
  readonly meterPointId: string;
  /** Whether it is the present occupancy; of an ended one only access records linked to own Identity Records are shown. */
  readonly isCurrent: boolean;
  /** Whether contacts stand against each other: then, too, only access records linked to own Identity Records are shown. */
  readonly isContested: boolean;
  /** The Identity Records of the customer's own contact, and of the contacts that were proven to be the same person's. */
  readonly ownRecordIds: readonly string[];
  /** Day on which the customer moved in: first day of the history that is shown. */
  readonly since: string;
  /** The instant at which the occupancy began; null in the one before the first Change of Tenancy. */
  readonly beganAt: Date | null;
  /** The instant at which the next occupancy began; null while this one lasts. */
  readonly endedAt: Date | null;
}

/** A customer's session, as it is at this instant. */
export interface CustomerSession extends CustomerScope {
  readonly mpxn: string;
  /** The Identity Record of the session; null when there is none. */
  readonly record: OccupantRecord | null;
  /** The contact by which the customer signed in; null for a supplier sign-in. */
  readonly contact: Contact | null;
  /** The tenancy of the meter point that the session is of. */
  readonly tenancy: string;
  readonly mpxnIndex: Buffer;
  /** The verified records of the meter point, of the instant at which the scope was found. */
  readonly atMeterPoint: readonly OccupantRecord[];
  readonly means: SignInMeans;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  /** Where the customer came from, when it is a return URL registered for the organisation that sent them. */
  readonly returnUrl: string | null;
}

/** What is known of a session by itself. */
export interface SessionFacts {
  /** Day on which the customer moved in, by the Identity Record of the session, or of the place alone. */
  readonly movedIn: string;
  readonly recordId: string | null;
  readonly contact: Contact | null;
  /** Effective Changes of Tenancy at the meter point, the earliest first. */
  readonly changes: readonly TenancyChange[];
}

/** What a session shows: `atMeterPoint` are the verified records there, all of one instant. */
export function scopeOf(
  { movedIn, recordId, contact, changes }: SessionFacts,
  atMeterPoint: readonly OccupantRecord[],
): Omit<CustomerScope, 'sessionId' | 'identityRecordId' | 'meterPointId'> & { readonly tenancy: string } {
  const tenancy = tenancyOf(movedIn, changes);
  const { records, groups, confirmed } = contactsOf(atMeterPoint, tenancy);
  const own = groups.find((group) =>
    contact === null ? confirmed.some((each) => group.has(each)) : group.has(contact),
  );
  const ownRecords = records.filter((record) => record.id === recordId || isHeldBy(record, own));
  const endedAt = changeAfter(movedIn, changes)?.began ?? null;
  return {
    tenancy,
    isCurrent: endedAt === null,
    isContested: endedAt === null && isContested(groups),
    ownRecordIds: ownRecords.map(({ id }) => id),
    since: ownRecords.reduce((first, { moveInDate }) => (moveInDate < first ? moveInDate : first), movedIn),
    beganAt: changeBefore(movedIn, changes)?.began ?? null,
    endedAt,
  };
}

function isHeldBy({ contacts }: OccupantRecord, group: ContactGroup | undefined): boolean {
  return group !== undefined && contacts.some(({ contact }) => group.has(contact));
}
