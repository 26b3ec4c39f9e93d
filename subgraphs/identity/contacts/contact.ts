/**
 * A contact proves a customer's identity: an e-mail address or a passkey of verified Identity Records (decisions A/B, 11), as its keyed
 * hash in hexadecimal.
 */
export type Contact = string;

/** Kinds of contacts. */
export type ContactKind = 'email' | 'passkey';

/** A contact of an Identity Record. */
export interface HeldContact {
  readonly contact: Contact;
  readonly kind: ContactKind;
  readonly recordId: string;
  /** The Data User that registered the record. */
  readonly duid: string;
  /** When the contact was added to the record. */
  readonly since: Date;
}

/** Two contacts that were proven in one session to be one person's. */
export type ContactProof = readonly [Contact, Contact];

/** Verdict of a customer signed in at the supplier on a contact. */
export type ContactVerdict = 'confirmed' | 'rejected';
