import type { Contact, ContactProof, HeldContact } from './contacts';
import type { UkAddress } from './identity-record';
import type { Occupancy, TenancyChange } from './occupancy';

/**
 * A live Identity Record, whosesoever it is, as re-identification and sign-in see it. It never leaves the subgraph: the initiator of a
 * cross-DUID re-identification must not learn any of it.
 */
export interface OccupantRecord {
  /** Internal identifier. */
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
  /** Null when none is stored, or it was rejected as a contact. */
  readonly email: string | null;
  /** The address as stored, whatever was judged of it. */
  readonly storedEmail: string | null;
  /** Whether it has a passkey that was not rejected as a contact. */
  readonly hasPasskey: boolean;
  /** Whether the Data User vouches that the principal's identity was verified; not when every contact of the record was rejected. */
  readonly isVerified: boolean;
  /** Whether the person lives there now, has left, or is yet to come: at this instant, by the `move-in-date`. */
  readonly occupancy: Occupancy;
  /** The tenancy of the meter point in which the `move-in-date` lies (`tenancyOf`). */
  readonly tenancy: string;
  /** Effective Changes of Tenancy at the meter point, the earliest first. */
  readonly changes: readonly TenancyChange[];
  /** The contacts of a verified record, without those that were rejected. */
  readonly contacts: readonly HeldContact[];
  /** Those of its contacts that were rejected in its tenancy, also of a record that is not verified for it. */
  readonly rejected: readonly HeldContact[];
  /** Contacts of the tenancy that were proven to belong together, and those that whom the supplier proved has confirmed. */
  readonly proofs: readonly ContactProof[];
  readonly confirmed: readonly Contact[];
}
