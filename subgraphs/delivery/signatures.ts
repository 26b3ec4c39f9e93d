import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';

const signers = new LRUCache<string, Webhook>({ max: 5_000 });

/**
 * The headers of an attempt after Standard Webhooks: the key is what the secret encodes. The timestamp is that of the attempt, in real
 * time: receivers compare it with their own clocks.
 *
 * @param secrets every one that is valid, the current one first
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
