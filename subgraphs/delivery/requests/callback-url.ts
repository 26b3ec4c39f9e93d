import { isLoopbackAddress, isLoopbackName, isPublicAddress, literalAddress } from '../../server/outgoing/addresses';
import { webAddressViolation } from '../../server/web-address';

/** Policy on callback URLs. */
export interface CallbackUrlPolicy {
  /** Allows receivers on this machine, also over http: for development only. */
  readonly allowLoopback: boolean;
  /** In production no setting allows receivers on this machine, so no message names the setting. */
  readonly production: boolean;
}

/** Returns the policy of the setting `WEBHOOK_ALLOW_LOOPBACK`, which has no effect in production. */
export function callbackUrlPolicy(options: { webhookAllowLoopback: boolean; production: boolean }): CallbackUrlPolicy {
  const { webhookAllowLoopback, production } = options;
  return { allowLoopback: webhookAllowLoopback && !production, production };
}

const LOOPBACK = 'leads to this machine';
const LOOPBACK_REMEDY = `${LOOPBACK}, which needs WEBHOOK_ALLOW_LOOPBACK=true`;

/**
 * Checks a callback URL (specification, Events; decisions A/B, 6; VAL008): https, a port other than 0, and no literal
 * address that is not public. The sender checks the addresses of names as it connects. Returns one text with everything
 * that is wrong, which never contains the URL; undefined for a valid URL.
 */
export function callbackUrlViolation(text: string, policy: CallbackUrlPolicy): string | undefined {
  const { allowLoopback, production } = policy;
  if (webAddressViolation(text, { production: false }) !== undefined)
    return webAddressViolation(text, { production: !allowLoopback });
  const url = new URL(text);
  const literal = literalAddress(url);
  const isLoopback = literal === undefined ? isLoopbackName(url.hostname) : isLoopbackAddress(literal);
  const isAllowed = isLoopback && allowLoopback;
  const violations = [
    ...(url.protocol === 'http:' && !isAllowed ? ['is not an https URL'] : []),
    ...(url.port === '0' ? ['has port 0'] : []),
    ...(isLoopback && !isAllowed ? [production ? LOOPBACK : LOOPBACK_REMEDY] : []),
    ...(literal !== undefined && !isLoopback && !isPublicAddress(literal) ? ['is a private or special address'] : []),
  ];
  return violations.length > 0 ? violations.join('; ') : undefined;
}

/** Returns the normal form of a callback URL, in which equal URLs have equal texts. */
export function normalCallbackUrl(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
