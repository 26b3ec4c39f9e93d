import { type AccessState, type LegalBasis, isConsentBasis } from './access-record';

/** What of a record decides whether a notice of its expiry is still due. */
export interface NoticedRecord {
  readonly state: AccessState;
  readonly legalBasis: LegalBasis | null;
  readonly expiry: Date | null;
}

/**
 * Whether `consent.expiring` is still true of its record, asked at every attempt (2-decisions-a-b.md, section 6): the record is ACTIVE, on
 * consent, and its expiry is the one that the notice names and has not passed.
 */
export function isNoticeDue({ state, legalBasis, expiry }: NoticedRecord, noticed: Date, now: Date): boolean {
  if (state !== 'ACTIVE' || legalBasis === null || !isConsentBasis(legalBasis) || expiry === null) return false;
  return expiry.getTime() === noticed.getTime() && expiry.getTime() > now.getTime();
}
