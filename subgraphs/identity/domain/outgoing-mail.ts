/** Languages of pages and mails. */
export type Language = 'en' | 'cy';

/**
 * A mail to the person of an Identity Record. Its address is read when it is sent; secrets of links are sealed until then. Every mail
 * is in both languages; `language` says which comes first.
 */
export type OutgoingMail =
  ReidentificationMail | PasskeyProofMail | SignInLinkMail | SignInNoticeMail | ContestNoticeMail | ContactLinkMail;

/** A link that confirms a re-identification (2-decisions-a-b.md, section 4). */
export interface ReidentificationMail {
  readonly kind: 'reidentification-link';
  readonly recordId: string;
  /** The initiating organisation, as its account is called. */
  readonly organisation: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** A link that proves who somebody is before a passkey is added. */
export interface PasskeyProofMail {
  readonly kind: 'passkey-proof-link';
  readonly recordId: string;
  readonly organisation: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}

/** A link that signs in to the portal, in the browser in which its button is pressed (section 9). */
export interface SignInLinkMail {
  readonly kind: 'sign-in-link';
  readonly recordId: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}

/** Tells the other verified addresses of an occupancy that somebody signed in (section 9). */
export interface SignInNoticeMail {
  readonly kind: 'sign-in-notice';
  readonly recordId: string;
  readonly at: Date;
  readonly means: 'magic-link' | 'passkey' | 'supplier';
}

/** Tells every address of an occupancy that a second, unconnected contact stands beside the first (section 11). */
export interface ContestNoticeMail {
  readonly kind: 'contest-notice';
  readonly recordId: string;
  /** The Data User that wrote the record of the new contact. */
  readonly duid: string;
  /** Its name; found when the mail is sent. */
  readonly organisation?: string;
  readonly at: Date;
}

/** A link by which somebody who is signed in by another contact proves this one, in the same session (section 11). */
export interface ContactLinkMail {
  readonly kind: 'contact-link';
  readonly recordId: string;
  readonly secret: string;
  readonly expiresAt: Date;
  readonly language: Language;
}
