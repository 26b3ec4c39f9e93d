import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { KEY_ENCODINGS } from '../../process/settings/generated-key';

/** Curves of the algorithms of JSON Web Signatures. */
const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/**
 * Generates a key pair for an algorithm of JSON Web Signatures, and reads both keys from their encodings: Node 20 may
 * lock itself for ever when it exports a key that it has generated (`generatedKey`).
 */
export function keyPair(
  alg: string,
  rsaBits = 2_048,
): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  const key = privateKeyOf(alg, rsaBits);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function privateKeyOf(alg: string, modulusLength: number): Buffer {
  const namedCurve = CURVES[alg];
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { ...KEY_ENCODINGS, namedCurve }).privateKey;
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519', KEY_ENCODINGS).privateKey;
  return generateKeyPairSync('rsa', { ...KEY_ENCODINGS, modulusLength }).privateKey;
}
