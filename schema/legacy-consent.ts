/**
 * Purpose that the register writes into the access record of a consent of Interface B, whose clients state none (decisions A/B, 8).
 */
export const LEGACY_PURPOSE = 'Consent registered through the earlier interface';

/** Version of its terms, which clients of Interface B do not state either. */
export const LEGACY_NOTICE_VERSION = 'unversioned';
