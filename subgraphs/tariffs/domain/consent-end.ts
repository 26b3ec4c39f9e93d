/** Who or what ended a consent (3-decisions-c-d.md, D.2 and D.3). */
export const CONSENT_ENDS = ['consumer', 'admin', 'rti_user_removed', 'supplier_removed'] as const;
/** A value of {@link CONSENT_ENDS}. */
export type ConsentEnd = (typeof CONSENT_ENDS)[number];
