/** Scopes of supplier tokens: what the RTI User may do for the consumer (decisions D.1). */
export const CONSUMER_SCOPES = ['tariff:read', 'consent:write', 'webhook:write'] as const;
/** A scope that the register uses. */
export type ConsumerScope = (typeof CONSUMER_SCOPES)[number];

/** Milliseconds by which the clock of an issuer may be ahead of the register's. */
export const MAX_CLOCK_SKEW_MS = 60_000;

/** Claims of a supplier token about a consumer and the RTI User to which it was issued (decisions D.1). */
export interface ConsumerClaims {
  /** `iss`: the authorisation server of the supplier. */
  readonly issuer: string;
  /** `sub`: identifier of the consumer, unique per issuer. Personal data. */
  readonly subject: string;
  /** `client_id`: the RTI User. */
  readonly userId: string;
  /** `mpxn`: current meter points of the consumer with this supplier, none after the consumer has left. Personal data. */
  readonly mpxns: readonly string[];
  /** Values of {@link CONSUMER_SCOPES}, and any others of the supplier. */
  readonly scopes: readonly string[];
  /**
   * `iat`: the token says nothing about occupants of the meter points after an assignment has ended since. It may be a minute ahead of the
   * register's clock.
   */
  readonly issuedAt: Date;
}
