import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';

const signers = new LRUCache<string, Webhook>({ max: 5_000 });

/**
 * Returns the headers of an attempt (Standard Webhooks): the key is the decoded secret. The timestamp is the real time of
 * the attempt, because receivers compare it with their clocks.
 *
 * @param secrets all valid secrets, the current one first
 */
export function standardHeaders(messageId: string, body: string, secrets: readonly string[], at: Date) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Central-Data-Access-Register',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => signerOf(secret).sign(messageId, at, body)).join(' '),
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
