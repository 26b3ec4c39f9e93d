import type { Contact, ContactProof, ContactVerdict, HeldContact } from '../contacts/contact';
import type { UkAddress } from '../records/identity-record';

/**
 * Position of a person's occupancy in time. The current occupancy starts at the latest effective Change of Tenancy (decisions A/B, 4): a
 * person who moved in before it has left; a person who moves in after today is yet to come.
 */
export type Occupancy = 'current' | 'ended' | 'to-come';

/** An effective Change of Tenancy. */
export interface TenancyChange {
  /** Its day, `YYYY-MM-DD`. */
  readonly day: string;
  /** Instant at which the occupancy started; the database function `occupancy_begins` defines it. */
  readonly began: Date;
}

/** Calendar dates that decide an occupancy, `YYYY-MM-DD` in Great Britain. */
interface OccupancyDays {
  readonly moveInDate: string;
  /** Day of the latest effective Change of Tenancy; null if there is none. */
  readonly occupiedSince: string | null;
  readonly today: string;
}

/** Returns the occupancy of a person by the day of moving in. */
export function occupancyOf({ moveInDate, occupiedSince, today }: OccupancyDays): Occupancy {
  if (moveInDate > today) return 'to-come';
  return occupiedSince === null || moveInDate >= occupiedSince ? 'current' : 'ended';
}

/** Returns the change that started the tenancy of a day; undefined before the first change. `changes` are in ascending order. */
export function changeBefore<Change extends Pick<TenancyChange, 'day'>>(
  day: string,
  changes: readonly Change[],
): Change | undefined {
  return changes.findLast((change) => change.day <= day);
}

/**
 * Returns the change that ended the tenancy of a day; undefined while it lasts. It is the one whose occupancy started first: a change of an
 * earlier day that is recorded later ends nothing again.
 */
export function changeAfter(day: string, changes: readonly TenancyChange[]): TenancyChange | undefined {
  const later = changes.filter((change) => change.day > day);
  return later.toSorted((one, other) => one.began.getTime() - other.began.getTime())[0];
}

/** The time that a person's occupancy covers so far. */
export interface OccupancyPeriod {
  /** Day on which the person moved in, `YYYY-MM-DD`. */
  readonly since: string;
  /** Instant at which the occupancy started; null without a Change of Tenancy. */
  readonly beganAt: Date | null;
}

/** Returns the occupancy of a person by the day of moving in. `changes` are in ascending order. */
export function occupancyPeriod(since: string, changes: readonly TenancyChange[]): OccupancyPeriod {
  return { since, beganAt: changeBefore(since, changes)?.began ?? null };
}

/** Returns the key of a tenancy: the day of the change that started it, empty before the first change. */
export function tenancyOf(day: string, changes: readonly Pick<TenancyChange, 'day'>[]): string {
  return changeBefore(day, changes)?.day ?? '';
}

/**
 * Whether a customer may complete a ceremony. Only the current occupant can be re-identified; the record's own Data User, which vouches for
 * the identity, may also enrol a future occupant.
 */
export function admitsCeremony(occupancy: Occupancy, { vouched }: { readonly vouched: boolean }): boolean {
  return occupancy === 'current' || (occupancy === 'to-come' && vouched);
}

/**
 * A live Identity Record of any Data User, neither closed nor anonymised, for re-identification and sign-in. It never leaves the subgraph, because the initiator of a
 * cross-DUID re-identification must not read any of it.
 */
export interface OccupantRecord {
  /** Internal id. */
  readonly id: string;
  readonly ir: string;
  /** The Data User that created the record. */
  readonly duid: string;
  readonly createdAt: Date;
  readonly meterPointId: string;
  readonly mpxn: string;
  /** Calendar date `YYYY-MM-DD`. */
  readonly moveInDate: string;
  readonly address: UkAddress | null;
  /** E-mail address; null if none is stored, or it was rejected as a contact. */
  readonly email: string | null;
  /** E-mail address as stored, even if it was rejected. */
  readonly storedEmail: string | null;
  /** Whether it has a passkey that was not rejected as a contact. */
  readonly hasPasskey: boolean;
  /** Whether it has fewer passkeys than the maximum, rejected ones counted. */
  readonly mayAddPasskey: boolean;
  /** Whether the Data User vouches for the verified identity and not every contact of the record was rejected. */
  readonly isVerified: boolean;
  /** Whether its anonymising has started, which can still be rejected: contacts count and sessions last, but no re-identification starts. */
  readonly isClosing: boolean;
  /**
   * Whether it waits to be anonymised until the access records of other Data Users have ended: its contacts prove and open nothing, but access
   * records that are linked to it remain its customer's.
   */
  readonly isClosed: boolean;
  /** Present occupancy by the `move-in-date`. */
  readonly occupancy: Occupancy;
  /** Tenancy of the meter point that contains the `move-in-date` ({@link tenancyOf}). */
  readonly tenancy: string;
  /** Effective Changes of Tenancy at the meter point, in ascending order. */
  readonly changes: readonly TenancyChange[];
  /** Contacts of a verified record that were not rejected. */
  readonly contacts: readonly HeldContact[];
  /** Contacts of the record that were not rejected, even if the record is not verified. */
  readonly unrejected: readonly HeldContact[];
  /** Contacts of the record that an admin rejected, or a customer by a verdict that holds for it, even if the record is not verified. */
  readonly rejected: readonly HeldContact[];
  /**
   * Pairs of contacts that were proven to be one person's, if the proof holds for the record: it was given in the record's tenancy, or in the
   * one in which the record was at that time.
   */
  readonly proofs: readonly ContactProof[];
  /** The latest verdict of a supplier-proven customer on each contact, if it holds for the record as a proof does, or as a rejection of its tenancy. */
  readonly verdicts: ReadonlyMap<Contact, ContactVerdict>;
  /** Contacts with the verdict `confirmed`. */
  readonly confirmed: readonly Contact[];
}

/** Returns whether the personal data of a record can be decrypted; false if its key or its data is damaged. */
export function isReadable(record: Pick<OccupantRecord, 'occupancy'>): boolean {
  try {
    return Boolean(record.occupancy);
  } catch {
    return false;
  }
}

/**
 * Returns whether a record may be that of a verified customer and cannot be decrypted: its tenancy is unknown. It gives access to nothing, and
 * counts as an unconnected contact, so that it gives no other contact more access than before. Unverified records are not decrypted.
 */
export function isUnreadableCustomer(record: Pick<OccupantRecord, 'isVerified' | 'occupancy'>): boolean {
  try {
    return record.isVerified && !isReadable(record);
  } catch {
    return true;
  }
}
