import type { ReidentificationMethod } from './reidentification-methods';

/** The query parameter in which a token-ref comes back (2-decisions-a-b.md, section 4). */
function parameterOf(method: ReidentificationMethod): string {
  return method === 'magic-link' ? 'dar-reid-token' : 'dar-passkey-token';
}

/**
 * Where the customer returns to, with the token-ref and, where the Data User supplied one, its `state`. What the URL had in its query stays
 * as it was, character by character.
 */
export function returnAddress(
  returnUrl: string,
  method: ReidentificationMethod,
  tokenRef: string,
  state: string | null,
): string {
  const [, address = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(returnUrl) ?? [];
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  const stated = state === null ? '' : `&state=${encodeURIComponent(state)}`;
  return `${address}${separator}${parameterOf(method)}=${tokenRef}${stated}${fragment}`;
}
