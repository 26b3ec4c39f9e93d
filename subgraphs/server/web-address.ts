const MAX_LENGTH = 2_048;

/**
 * An absolute URI with a non-empty authority, and the characters of RFC 3986. Without this pattern the WHATWG parser
 * would silently correct other texts.
 */
const WEB_ADDRESS = /^(https?):\/\/([^/?#]+)(?:[/?#].*)?$/i;
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

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
  const [, scheme, authority] = WEB_ADDRESS.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || !URI_CHARACTERS.test(text) || !URL.canParse(text)) {
    return production ? 'is not an https URL' : 'is not an https or http URL';
  }
  if (authority.includes('@')) return 'contains credentials';
  if (production && scheme.toLowerCase() !== 'https') return 'is not an https URL';
  return undefined;
}
