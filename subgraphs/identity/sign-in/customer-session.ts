import { type OwnRecords, contactsOf, isContested, ownRecordsOf, recordsOf } from '../contacts/contacts';
import {
  type OccupantRecord,
  type TenancyChange,
  changeAfter,
  occupancyPeriod,
  tenancyOf,
} from '../occupancy/occupancy';
import type { Contact } from '../contacts/contact';

/** Methods of sign-in (decisions A/B, 9). */
export type SignInMethod = 'magic-link' | 'passkey' | 'supplier';

/** Scope of a session: one meter point and a period (decisions A/B, 9 and 11). */
export interface CustomerScope extends OwnRecords {
  readonly sessionId: string;
  /** The Identity Record by which the customer signed in; null for a supplier sign-in without one. */
  readonly identityRecordId: string | null;
  readonly meterPointId: string;
  /** Whether the occupancy is the present one. Of an ended one only access records linked to own Identity Records are visible. */
  readonly isCurrent: boolean;
  /** Whether contacts are contested: then, too, only access records linked to own Identity Records are visible. */
  readonly isContested: boolean;
  /** Instant at which the occupancy started; null before the first Change of Tenancy. */
  readonly beganAt: Date | null;
  /** Instant at which the next occupancy started; null while this one lasts. */
  readonly endedAt: Date | null;
}

/** Present state of a customer's session. */
export interface CustomerSession extends CustomerScope {
  readonly mpxn: string;
  /** The Identity Record of the session; null without one. */
  readonly record: OccupantRecord | null;
  /** The contact by which the customer signed in; null for a supplier sign-in. */
  readonly contact: Contact | null;
  /** Key of the session's tenancy of the meter point. */
  readonly tenancy: string;
  readonly mpxnIndex: Buffer;
  /** The live verified records of the meter point that can be decrypted, read in the same statement as the scope. */
  readonly atMeterPoint: readonly OccupantRecord[];
  readonly means: SignInMethod;
  /** The supplier that proved the customer; null for other sign-ins, and in sessions of the previous release. */
  readonly mpid: string | null;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  /** Return URL, if it is registered for the organisation from which the customer came. */
  readonly returnUrl: string | null;
  /** The Data User for which the return URL is registered; null without one, and in sessions of the previous release. */
  readonly returnDuid: string | null;
}

/** Facts of a session that decide its scope. */
export interface SessionInputs {
  /** Day on which the customer moved in, by the Identity Record, or the start of the occupancy without one. */
  readonly movedIn: string;
  readonly recordId: string | null;
  readonly contact: Contact | null;
  /** Effective Changes of Tenancy at the meter point, in ascending order. */
  readonly changes: readonly TenancyChange[];
  /** The change that ended the occupancy; by default the first to take effect of a day after the customer moved in. */
  readonly endedBy?: TenancyChange | undefined;
}

/** Returns the scope of a session. `atMeterPoint` are the verified records of the meter point, closed ones included, of one instant. */
export function scopeOf(
  { movedIn, recordId, contact, changes, endedBy = changeAfter(movedIn, changes) }: SessionInputs,
  atMeterPoint: readonly OccupantRecord[],
): Omit<CustomerScope, 'sessionId' | 'identityRecordId' | 'meterPointId'> & { readonly tenancy: string } {
  const tenancy = tenancyOf(movedIn, changes);
  const { groups, confirmed } = contactsOf(atMeterPoint, tenancy);
  const contacts = contact === null ? confirmed : [contact];
  const group = groups.find((each) => contacts.some((proven) => each.has(proven)));
  const endedAt = endedBy?.began ?? null;
  return {
    tenancy,
    isCurrent: endedAt === null,
    isContested: endedAt === null && isContested(groups),
    ...ownRecordsOf({ recordId, movedIn, contacts, group }, recordsOf(atMeterPoint, tenancy)),
    beganAt: occupancyPeriod(movedIn, changes).beganAt,
    endedAt,
  };
}
