import type { Violation } from '../../schema/register-error';

const MAX_LENGTH = 2_048;

/**
 * An absolute URI with a non-empty authority, and the characters of RFC 3986. Without this pattern the WHATWG parser
 * would silently correct other texts.
 */
const WEB_ADDRESS = /^(https?):\/\/([^/?#]+)(?:[/?#].*)?$/is;
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const MUST_BE_ENCODED = 'contains characters that must be encoded: in the host as Punycode (xn--), elsewhere as %XX';

/** Which URLs are accepted: http only outside production. */
export interface WebUrlPolicy {
  readonly production: boolean;
}

/**
 * The rule of every URI field (decisions A/B, 1; VAL008): https (also http outside production), no credentials, at most
 * 2,048 characters. Returns undefined for a valid URL and otherwise the violation, which never contains the text.
 */
export function webAddressViolation(text: string, { production }: WebUrlPolicy): string | undefined {
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const notWebAddress = production ? 'is not an https URL' : 'is not an https or http URL';
  const [, scheme, authority] = WEB_ADDRESS.exec(text) ?? [];
  if (scheme === undefined || authority === undefined) return notWebAddress;
  if (!URI_CHARACTERS.test(text)) return MUST_BE_ENCODED;
  if (!URL.canParse(text)) return notWebAddress;
  if (authority.includes('@')) return 'contains credentials';
  if (production && scheme.toLowerCase() !== 'https') return notWebAddress;
  return undefined;
}

/** Returns VAL008 for a URL that is present and violates {@link webAddressViolation}. */
export function urlViolations(
  path: Violation['path'],
  url: string | null | undefined,
  policy: WebUrlPolicy,
): Violation[] {
  const message = url == null ? undefined : webAddressViolation(url, policy);
  return message === undefined ? [] : [{ code: 'VAL008', path, message }];
}
