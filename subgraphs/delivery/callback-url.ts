import { isLoopbackAddress, isLoopbackName, isPublicAddress, literalAddress } from './addresses';
import { webAddressFault } from '../server/web-address';

/** Where callback URLs may lead to. */
export interface CallbackRealm {
  /** Receivers on this machine, by http too: in development only. */
  readonly allowLoopback: boolean;
}

/**
 * The rule of callback URLs (1-specification.md, Events; 2-decisions-a-b.md, section 6; VAL008): https, and no literal address
 * other than an ordinary one of the Internet, in whichever form it is written, and a port that can be connected to. Names are
 * checked on the address actually connected to. Undefined when the text is such a URL, else the reason, which never echoes it.
 */
export function callbackUrlFault(text: string, { allowLoopback }: CallbackRealm): string | undefined {
  const fault = webAddressFault(text, { production: !allowLoopback });
  if (fault !== undefined) return fault;
  const url = new URL(text);
  if (url.port === '0') return 'has port 0';
  const literal = literalAddress(url);
  const isOwnMachine = literal === undefined ? isLoopbackName(url.hostname) : isLoopbackAddress(literal);
  if (url.protocol === 'http:' && !isOwnMachine) return 'is not an https URL';
  if (isOwnMachine) return allowLoopback ? undefined : 'leads to this machine';
  if (literal !== undefined && !isPublicAddress(literal)) return 'is a private or special address';
  return undefined;
}

/** The one form of all spellings of a callback URL, by which two are the same. */
export function sameCallback(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
