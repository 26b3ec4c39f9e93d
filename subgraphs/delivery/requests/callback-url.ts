import { isLoopbackAddress, isLoopbackName, isPublicAddress, literalAddress } from './addresses';
import { webAddressViolation } from '../../server/web-address';

/** Policy on callback URLs. */
export interface CallbackUrlPolicy {
  /** Allows receivers on this machine, also over http: for development only. */
  readonly allowLoopback: boolean;
}

/**
 * Checks a callback URL (specification, Events; decisions A/B, 6; VAL008): https, a port other than 0, and no literal
 * address that is not public. The sender checks the addresses of names as it connects. Returns the violation, which never
 * contains the URL; undefined if there is none.
 */
export function callbackUrlViolation(text: string, { allowLoopback }: CallbackUrlPolicy): string | undefined {
  const violation = webAddressViolation(text, { production: !allowLoopback });
  if (violation !== undefined) return violation;
  const url = new URL(text);
  if (url.port === '0') return 'has port 0';
  const literal = literalAddress(url);
  const isLoopback = literal === undefined ? isLoopbackName(url.hostname) : isLoopbackAddress(literal);
  if (url.protocol === 'http:' && !isLoopback) return 'is not an https URL';
  if (isLoopback) return allowLoopback ? undefined : 'leads to this machine';
  if (literal !== undefined && !isPublicAddress(literal)) return 'is a private or special address';
  return undefined;
}

/** Returns the normal form of a callback URL, in which equal URLs have equal texts. */
export function normalCallbackUrl(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
