import type { OldestFirst } from '../occupancy/oldest-records';

/** Languages of pages and mails. */
export type Language = 'en' | 'cy';

/**
 * A mail to the person of an Identity Record. Its address is read when it is sent; secrets of links are encrypted until then. Mails contain
 * both languages; `language` is the first one.
 */
export type OutgoingMail =
  ReidentificationMail | PasskeyProofMail | SignInLinkMail | SignInNoticeMail | ContestNoticeMail | ContactLinkMail;

/** A link that confirms a re-identification (decisions A/B, 4). */
export interface ReidentificationMail {
  readonly kind: 'reidentification-link';
  readonly recordId: string;
  /** Name of the initiating organisation, from its account. */
  readonly organisation: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** A link that proves the customer's identity before a passkey is added. */
interface PasskeyProofMail {
  readonly kind: 'passkey-proof-link';
  readonly recordId: string;
  readonly organisation: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}

/** A link that signs in to the portal, in the browser in which its button is pressed (decisions A/B, 9). */
export interface SignInLinkMail {
  readonly kind: 'sign-in-link';
  readonly recordId: string;
  /** The home that the link is for, if one request mails several links to the address. */
  readonly home?: HomeOfLink;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}

/** Distinguishes the link of one registration from those of the other registrations of an address. */
export interface HomeOfLink {
  /** Position among the links of the request, from 1. */
  readonly number: number;
  /** Links of the request. */
  readonly total: number;
  readonly isCurrent: boolean;
  /** The Data User that registered the address for the home. */
  readonly duid: string;
  readonly registeredAt: Date;
  /** Name of the Data User; read when the mail is sent. */
  readonly organisation?: string;
}

/** Receiver of a notice: an address of the occupancy. */
export interface NoticeReceiver {
  /** The record by which the address is reached. */
  readonly recordId: string;
  /** Other records with the address, by which it is reached if that one has been anonymised; absent in jobs of earlier releases. */
  readonly otherRecordIds?: readonly string[];
}

/** Returns the receiver for the records with one address. */
export function noticeReceiver([first, ...others]: OldestFirst<{ readonly id: string }>): NoticeReceiver {
  return { recordId: first.id, otherRecordIds: others.map(({ id }) => id) };
}

/** Returns the records by which the address of a notice is reached, in their order. */
export function recordIdsOf({ recordId, otherRecordIds = [] }: NoticeReceiver): readonly string[] {
  return [recordId, ...otherRecordIds];
}

/** Notifies the other verified addresses of an occupancy of a sign-in (decisions A/B, 9). */
export interface SignInNoticeMail extends NoticeReceiver {
  readonly kind: 'sign-in-notice';
  readonly at: Date;
  readonly means: 'magic-link' | 'passkey' | 'supplier';
  /** Whether the session opens only access of the customer's own contacts (decisions A/B, 11), and not that of the whole home. */
  readonly isLimited: boolean;
  /** Whether the mail waited, so that there may have been more sign-ins of its means and scope; `at` is that of the last one. */
  readonly isMerged?: boolean;
}

/** Notifies every address of an occupancy of a second, unconnected contact (decisions A/B, 11). */
export interface ContestNoticeMail extends NoticeReceiver {
  readonly kind: 'contest-notice';
  /** The Data User that registered the record of the new contact. */
  readonly duid: string;
  /** Its name; read when the mail is sent. */
  readonly organisation?: string;
  /** Whether customers can sign in at some supplier; read when the mail is sent. */
  readonly hasSupplierSignIn?: boolean;
  readonly at: Date;
}

/** A link by which a customer who signed in by another contact proves this one in the same session (decisions A/B, 11). */
interface ContactLinkMail {
  readonly kind: 'contact-link';
  readonly recordId: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}

/** Hours in which a notice is useful; it has no link that expires. */
export const NOTICE_HOURS = { 'sign-in-notice': 24, 'contest-notice': 7 * 24 } as const;
