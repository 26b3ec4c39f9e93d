import { returnUrlParts } from '../../../schema/return-url';
import type { OwnRecords } from '../contacts/contacts';
import type { OccupancyPeriod } from '../occupancy/occupancy';
import { comparableEmail } from '../records/personal-data-rules';

/** Methods of re-identification (specification, existence check). */
export type ReidentificationMethod = 'magic-link' | 'passkey-assert' | 'passkey-register';

/** Scope: `own` by the key of an own record, `cross` by MPxN for a record of any Data User. */
export type ReidentificationScope = 'own' | 'cross';

/** States of a re-identification. */
export type ReidentificationState = 'pending' | 'confirmed' | 'expired';

/** Lifetimes in seconds of a mailed link, a redirect to the ceremony pages, and a token-ref (decisions A/B, 4). */
export const LINK_SECONDS = 10 * 60;
export const REDIRECT_SECONDS = 5 * 60;
export const TOKEN_SECONDS = 60 * 60;

/** Hours after a customer's participation in which the initiator may read consents of other Data Users (decisions A/B, 8). */
export const PARTICIPATION_HOURS = 24;

/** Instants of a re-identification. */
interface ReidentificationTimes {
  /** Until when the customer can confirm: the expiry of the latest link or redirect. */
  readonly openUntil: Date;
  /** One hour after issuance, confirmed or not. */
  readonly expiresAt: Date;
  readonly confirmedAt: Date | null;
}

/** Returns the state at an instant. A confirmed re-identification also expires one hour after issuance. */
export function reidentificationState(
  { openUntil, expiresAt, confirmedAt }: ReidentificationTimes,
  now: Date,
): ReidentificationState {
  if (now >= expiresAt) return 'expired';
  if (confirmedAt !== null) return 'confirmed';
  return now < openUntil ? 'pending' : 'expired';
}

/** Returns the instant `seconds` later. */
export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

/** A re-identification, for its initiator's status query and the services of the register. */
export interface Reidentification extends ReidentificationTimes {
  readonly id: string;
  /** The initiating Data User; no other organisation can use the token. */
  readonly duid: string;
  readonly scope: ReidentificationScope;
  readonly method: ReidentificationMethod;
  readonly recordId: string;
  /** Null after anonymising. */
  readonly meterPointId: string | null;
  readonly anonymised: boolean;
  readonly closing: boolean;
  /** Whether the record waits to be anonymised: the customer can confirm nothing, and the token creates no link. */
  readonly isClosed: boolean;
  readonly state: ReidentificationState;
  /** The person and the occupancy; undefined after anonymising has begun. */
  readonly occupant?: (OwnRecords & OccupancyPeriod) | undefined;
}

/** Response of a start, stored for repeats with the same idempotency key. Instants are ISO 8601 strings. */
export interface StartedReidentification {
  readonly method: ReidentificationMethod;
  readonly magicLink: {
    readonly dispatchedTo: string;
    readonly expiresAt: string;
    readonly tokenRef: string;
    readonly redirectUrl: string | null;
  } | null;
  readonly passkey: {
    readonly redirectUrl: string;
    readonly tokenRef: string;
    readonly expiresAt: string;
    readonly returnUrl: string | null;
  } | null;
}

/** The response, and whether it is that of an earlier request. */
export type ReidentificationResponse = StartedReidentification & { readonly replayed: boolean };

/**
 * Masks an e-mail address for the initiator: first letter, `***@`, first letter, `***`, top-level domain, such as `j***@e***.uk` (decisions
 * A/B, 4), in normal form. It discloses nothing else, not even the length of a part.
 */
export function maskedEmail(email: string): string {
  const address = comparableEmail(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return `${address.charAt(0)}***@${domain.charAt(0)}***${domain.slice(domain.lastIndexOf('.'))}`;
}

/** The query parameter that returns the token-ref (decisions A/B, 4). */
function parameterOf(method: ReidentificationMethod): string {
  return method === 'magic-link' ? 'dar-reid-token' : 'dar-passkey-token';
}

/** Returns the return URL with the token-ref and the Data User's `state`, if supplied. The existing query is not changed. */
export function returnAddress(
  returnUrl: string,
  method: ReidentificationMethod,
  tokenRef: string,
  state: string | null,
): string {
  const { beginning, fragment } = returnUrlParts(returnUrl);
  const stated = state === null ? '' : `&state=${encodeURIComponent(state)}`;
  return `${beginning}${parameterOf(method)}=${tokenRef}${stated}${fragment}`;
}

/** Whether {@link returnAddress} made an address of a return URL. */
export function isOfReturnUrl(address: string, returnUrl: string): boolean {
  const { beginning, fragment } = returnUrlParts(returnUrl);
  return /^dar-(?:reid|passkey)-token=[^&#]*(?:&state=[^&#]*)?$/.test(
    address.startsWith(beginning) && address.endsWith(fragment)
      ? address.slice(beginning.length, address.length - fragment.length)
      : '',
  );
}

/** Returns a return URL without its token-ref, for a customer who does not confirm; `state` remains. */
export function withoutToken(address: string): string {
  return address.replace(/([?&])dar-(?:reid|passkey)-token=[^&#]*(&?)/, (_, separator: string, more: string) =>
    more === '' ? '' : separator,
  );
}
