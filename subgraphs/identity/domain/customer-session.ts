import type { OccupantRecord } from './occupant-record';

/** By what a customer proved to be one (2-decisions-a-b.md, section 9). */
export type SignInMeans = 'magic-link' | 'passkey' | 'supplier';

/** What a session lets a customer see: one meter point, and since when (2-decisions-a-b.md, section 9). */
export interface CustomerScope {
  readonly sessionId: string;
  /** The Identity Record by which the customer signed in; null for a supplier sign-in where there is none. */
  readonly identityRecordId: string | null;
  readonly meterPointId: string;
  /** Whether it is the present occupancy; of an ended one only access records linked to the Identity Record are shown. */
  readonly isCurrent: boolean;
  /** First day of the history that is shown. */
  readonly since: string;
  /** Day of the Change of Tenancy that ended the occupancy; null while it lasts. */
  readonly until: string | null;
}

/** A customer's session, as it is at this instant. */
export interface CustomerSession extends CustomerScope {
  readonly mpxn: string;
  /** The Identity Record of the session; null when there is none. */
  readonly record: OccupantRecord | null;
  readonly means: SignInMeans;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  /** Where the customer came from, when it is a return URL registered for the organisation that sent them. */
  readonly returnUrl: string | null;
}
