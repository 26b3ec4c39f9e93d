const LONGEST = 2_048;

/** The characters of a URI (RFC 3986), scheme and a non-empty authority written out: WHATWG parsing alone would repair what is wrong. */
const WEB_ADDRESS = /^(https?):\/\/([^/?#]+)(?:[/?#].*)?$/i;
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** Where the rule applies: http is for development only. */
export interface WebAddressRealm {
  readonly production: boolean;
}

/**
 * The rule of every URI field (2-decisions-a-b.md, section 1; VAL008): https (http too outside production), no credentials, at most
 * 2,048 characters. Undefined when the text is such an address, else the reason, which never echoes it.
 */
export function webAddressFault(text: string, { production }: WebAddressRealm): string | undefined {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const [, scheme, authority] = WEB_ADDRESS.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || !URI_CHARACTERS.test(text) || !URL.canParse(text)) {
    return production ? 'is not an https URL' : 'is not an https or http URL';
  }
  if (authority.includes('@')) return 'contains credentials';
  if (production && scheme.toLowerCase() !== 'https') return 'is not an https URL';
  return undefined;
}
