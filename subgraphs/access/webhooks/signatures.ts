import { createHmac } from 'node:crypto';
import { standardHeaders } from '../../delivery/signatures';
import type { SigningSecrets } from '../../delivery/signing-secret';

/**
 * The headers of an attempt (2-decisions-a-b.md, section 6): `X-DAR-Signature`, whose key is the whole text of the secret, and the
 * triple of Standard Webhooks, whose key is what the secret encodes.
 */
export function signedHeaders(eventId: string, body: string, { single, all }: SigningSecrets, at: Date) {
  return {
    ...standardHeaders(eventId, body, all, at),
    'x-dar-signature': `sha256=${createHmac('sha256', single).update(body).digest('hex')}`,
  };
}
