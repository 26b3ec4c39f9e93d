import { type ED25519KeyPairOptions, type KeyObject, createPrivateKey, generateKeyPairSync } from 'node:crypto';

/** Encodings of a generated key pair. */
export const KEY_ENCODINGS: ED25519KeyPairOptions<'der', 'der'> = {
  privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  publicKeyEncoding: { format: 'der', type: 'spki' },
};

/**
 * Generates a private key, and reads it from its encoding. A key object of `generateKeyPair` or of `crypto.subtle` must not be exported: Node
 * locks the key meanwhile, and if garbage is collected at this moment, the job that generated the key waits for the same lock for ever (seen
 * in Node 20).
 */
export function generatedKey(type: 'ed25519' | 'p-256'): KeyObject {
  const { privateKey: key } =
    type === 'ed25519'
      ? generateKeyPairSync('ed25519', KEY_ENCODINGS)
      : generateKeyPairSync('ec', { ...KEY_ENCODINGS, namedCurve: 'P-256' });
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
