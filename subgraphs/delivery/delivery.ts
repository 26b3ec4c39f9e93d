import type { Session } from '../server/database/transaction';

/** A delivery that is due: an event, and the endpoint that receives it. */
export interface PendingDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  /** Number of the delivery in its lane, from 1. */
  readonly sequence: number;
  /** When the last redelivery was requested, as text of the database; null without one. */
  readonly redeliveredAt: string | null;
}

/** A request that is ready to be sent. */
export interface Dispatch {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Longest deferral of an endpoint: a suspended one is then tried again, even if it was not resumed. */
export const MAX_DEFERRAL_SECONDS = 600;

/** Decision of a source on a due delivery. Only `send` counts as an attempt. */
export type Assembled =
  /** Sends the request. Endpoints of one `owner` share limits. `firstAttempt` is called when the first attempt ends. */
  | { readonly kind: 'send'; readonly dispatch: Dispatch; readonly owner: string; readonly firstAttempt?: () => void }
  /** Defers all deliveries of the endpoint. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /**
   * Defers the ordinary deliveries of the endpoint until `resume_deliveries`, at most {@link MAX_DEFERRAL_SECONDS}; also the urgent ones if an urgent
   * delivery of the lane is due. With `laneSeconds`, the lane waits for this time instead, and urgent deliveries of other lanes are sent.
   */
  | { readonly kind: 'suspended'; readonly laneSeconds?: number }
  /** Ends the delivery, because it is obsolete: since an instant before `now`, if that decides. */
  | { readonly kind: 'drop'; readonly now?: Date };

/** The subgraph whose deliveries the engine makes. The engine depends neither on its events nor on its endpoints. */
export interface DeliverySource {
  /**
   * Decides on a delivery before each attempt, and must `drop` one that is no longer pending. Called for many deliveries
   * at once. An error defers the delivery; it counts as an assembly failure unless the database was unavailable.
   */
  assemble(delivery: PendingDelivery): Promise<Assembled>;
  /** Called in the transaction that makes a delivery to the endpoint undelivered. */
  undelivered(session: Session, endpointId: string): Promise<void>;
}
