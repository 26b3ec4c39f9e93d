import type { ErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { KeyedHash } from '../server/keyed-hash';
import { newSecret } from './keys';

/** A mailed link whose button was pressed. */
export interface PressedLink {
  readonly secret: string;
  /** A value that only one browser has; null if the client sent none, so that no press can be repeated. */
  readonly browser: string | null;
}

/** Description of the argument `browser`. */
export const BROWSER =
  'A value that only one browser has, such as a hash of 256 random bits. A repeat with it has the same result until the link expires; without it, the link works once.';

/**
 * Returns the secret that a browser receives for a mailed link, always the same one, so that it can receive it again: `identity` computes it
 * from link and browser and stores only its keyed hash. A client that names no browser receives a new secret.
 */
export function nextSecretOf(hash: KeyedHash, { secret, browser }: PressedLink): string {
  return browser === null ? newSecret() : hash(`${secret} ${browser}`).toString('base64url');
}

/**
 * Presses a link. If the register rejects it with `code`, returns the result of an earlier press in this browser, whose response may have
 * been lost; throws the error if there is none.
 */
export async function pressOrRepeat<Result>(
  press: () => Promise<Result>,
  code: ErrorCode,
  earlier: () => Promise<Result | undefined>,
): Promise<Result> {
  try {
    return await press();
  } catch (error) {
    const result = error instanceof RegisterError && error.code === code ? await earlier() : undefined;
    if (result === undefined) throw error;
    return result;
  }
}
