import type { ReidentificationMethod } from './reidentification-methods';

/** By whom a re-identification is initiated: the record's own Data User by its key, or anyone entitled by the MPxN. */
export type ReidentificationScope = 'own' | 'cross';

/** How far a re-identification has come. */
export type ReidentificationState = 'pending' | 'confirmed' | 'expired';

/** Lifetimes in seconds: of a mailed link, of a redirect to the ceremony pages, and of a token-ref (2-decisions-a-b.md, section 4). */
export const LINK_SECONDS = 10 * 60;
export const REDIRECT_SECONDS = 5 * 60;
export const TOKEN_SECONDS = 60 * 60;

/** Hours for which a customer's part in a re-identification lets its initiator see the consents of others (decisions A/B, section 8). */
export const PARTICIPATION_HOURS = 24;

/** The instants of a re-identification. */
export interface ReidentificationTimes {
  /** Until when the customer can confirm: the expiry of the latest link or redirect. */
  readonly openUntil: Date;
  /** One hour after issuance, confirmed or not. */
  readonly expiresAt: Date;
  readonly confirmedAt: Date | null;
}

/** What a re-identification has come to at an instant: a confirmed one, too, ends an hour after issuance. */
export function reidentificationState(
  { openUntil, expiresAt, confirmedAt }: ReidentificationTimes,
  now: Date,
): ReidentificationState {
  if (now >= expiresAt) return 'expired';
  if (confirmedAt !== null) return 'confirmed';
  return now < openUntil ? 'pending' : 'expired';
}

/** An instant so many seconds later. */
export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

/** A re-identification as its initiator's status question and the services of the register see it. */
export interface Reidentification extends ReidentificationTimes {
  readonly id: string;
  /** The initiating Data User: nobody else can use the token. */
  readonly duid: string;
  readonly scope: ReidentificationScope;
  readonly method: ReidentificationMethod;
  readonly recordId: string;
  /** Null once the record is anonymised. */
  readonly meterPointId: string | null;
  readonly anonymised: boolean;
  readonly closing: boolean;
  readonly state: ReidentificationState;
}
