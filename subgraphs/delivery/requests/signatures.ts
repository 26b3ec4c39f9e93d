import { createHmac } from 'node:crypto';
import { SIGNING_SECRET_PREFIX } from './signing-secret';

/**
 * Returns the headers of an attempt (Standard Webhooks): the key is the decoded secret. The timestamp is the real time of
 * the attempt, because receivers compare it with their clocks.
 *
 * @param secrets all valid secrets, the current one first
 */
export function standardHeaders(messageId: string, body: string, secrets: readonly string[], at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${messageId}.${timestamp}.${body}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Central-Data-Access-Register',
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, signed)}`).join(' '),
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SIGNING_SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
