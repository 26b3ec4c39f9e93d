/** What the token of a supplier allows an RTI User to do (3-decisions-c-d.md, D.1). */
export const CONSUMER_SCOPES = ['tariff:read', 'consent:write', 'webhook:write'] as const;
/** A value of {@link CONSUMER_SCOPES}. */
export type ConsumerScope = (typeof CONSUMER_SCOPES)[number];

/** What the token of a supplier says of its consumer and of the RTI User to whom it was issued (3-decisions-c-d.md, D.1). */
export interface ConsumerClaims {
  /** `iss`: the authorisation server of the supplier. */
  readonly issuer: string;
  /** `sub`: the consumer, in the words of that issuer, and unique with it only. Personal data. */
  readonly subject: string;
  /** `client_id`: the RTI User. */
  readonly userId: string;
  /** `mpxn`: the meter points of the consumer at this supplier. Personal data. */
  readonly mpxns: readonly string[];
  /** Of {@link CONSUMER_SCOPES} and any others that the supplier knows. */
  readonly scopes: readonly string[];
}
