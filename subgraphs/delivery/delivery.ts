import type { Session } from '../server/transaction';

/** A delivery that is to be sent: what of which event goes where. */
export interface PendingDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  /** Its number in its lane, from 1. */
  readonly sequence: number;
  /** When its receiver last asked for it once more, in words of the database; null when it never did. */
  readonly redeliveredAt: string | null;
}

/** Told as the attempt begins, to a source that measures more than the engine does: given with the first one of a delivery only. */
export type FirstAttempt = () => void;

/** A request that is ready to be sent. */
export interface Dispatch {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What becomes of a delivery whose turn it is: send it, to a receiver of this owner; wait, so that nothing is sent now and no attempt
 * counts, for some seconds or until `resume_deliveries`; or drop it, since it is wanted no more.
 */
export type Assembled =
  | { readonly kind: 'send'; readonly dispatch: Dispatch; readonly owner: string; readonly firstAttempt?: FirstAttempt }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'drop' };

/** Whoever has deliveries to be made: the engine knows neither their events nor their endpoints. */
export interface DeliverySource {
  /**
   * Asked before each attempt, for many deliveries at once; one that is not pending any more is to be dropped. A failure puts the
   * delivery off; it counts as a fault of the delivery unless the database was away.
   */
  assemble(delivery: PendingDelivery): Promise<Assembled>;
  /** Told in the transaction that made a delivery undelivered. */
  undelivered(session: Session, endpointId: string): Promise<void>;
}
