import type { UkAddress } from './identity-record';
import type { Occupancy } from './occupancy';

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
  /** Null when none is stored. */
  readonly email: string | null;
  readonly hasPasskey: boolean;
  /** Whether the Data User vouches that the principal's identity was verified. */
  readonly isVerified: boolean;
  /** Whether the person lives there now, has left, or is yet to come: at this instant, by the `move-in-date`. */
  readonly occupancy: Occupancy;
}
