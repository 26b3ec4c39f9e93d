import { createHmac } from 'node:crypto';

const SECRET = Buffer.alloc(32, 7);

/** Returns a notice of expiry of the same size as the product's, with its headers. */
export function signedPost(url: string, number: number) {
  const id = `evt_${String(number).padStart(24, '0')}`;
  const payload = {
    ak: `ak_${String(number).padStart(24, '0')}`,
    mpxn: '2000000001',
    duid: 'duid_0123456789abcdef01234567',
    expiry: new Date(1_800_000_000_000 + number).toISOString(),
    'days-remaining': 10,
  };
  const body = JSON.stringify({
    'event-id': id,
    'event-type': 'consent.expiring',
    'occurred-at': new Date().toISOString(),
    wid: 'wid_0123456789abcdef01234567',
    sequence: 1,
    payload,
  });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const standard = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const plain = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
    'x-dar-signature': `sha256=${plain}`,
  };
  return { url, headers, body };
}
