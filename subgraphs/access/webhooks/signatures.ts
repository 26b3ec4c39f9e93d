import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import type { SigningSecrets } from '../domain/signing-secret';

const signers = new LRUCache<string, Webhook>({ max: 5_000 });

/**
 * The headers of an attempt (2-decisions-a-b.md, section 6): `X-DAR-Signature`, whose key is the whole text of the secret, and the
 * triple of Standard Webhooks, whose key is what the secret encodes. The timestamp is that of the attempt, in real time: receivers
 * compare it with their own clocks.
 */
export function signedHeaders(eventId: string, body: string, { single, all }: SigningSecrets, at: Date) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Central-Data-Access-Register',
    'x-dar-signature': `sha256=${createHmac('sha256', single).update(body).digest('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': all.map((secret) => signerOf(secret).sign(eventId, at, body)).join(' '),
  };
}

function signerOf(secret: string): Webhook {
  let signer = signers.get(secret);
  if (signer === undefined) {
    signer = new Webhook(secret);
    signers.set(secret, signer);
  }
  return signer;
}
