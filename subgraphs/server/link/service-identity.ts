import { type KeyObject, X509Certificate, createPublicKey, sign } from 'node:crypto';
import type { ServiceName } from '../callers/caller';

/** The service whose private key belongs to each public key. A service may have several keys: replicas, replacement. */
export type ServicePublicKeys = ReadonlyMap<string, ServiceName>;

/** Key and certificate with which a service of this process authenticates, and the public keys of all services. */
export interface ServiceIdentity {
  readonly name: ServiceName;
  /** Private Ed25519 key and its certificate, in PEM. */
  readonly key: string;
  readonly cert: string;
  readonly publicKeys: ServicePublicKeys;
}

/** Returns the identity of a service with a private Ed25519 key. */
export function serviceIdentity(
  name: ServiceName,
  privateKey: KeyObject,
  publicKeys: ServicePublicKeys,
): ServiceIdentity {
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { name, key, cert: certificateOf(name, privateKey), publicKeys };
}

/** Returns the 32 bytes of a public Ed25519 key, in base64url; of a private key, those of its public key. Node throws for some keys of other types. */
export function publicKeyText(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'jwk' }).x ?? '';
}

/** DER tags of the certificate (ITU-T X.690, section 8). */
const TAG = {
  integer: 0x02,
  bits: 0x03,
  identifier: 0x06,
  text: 0x0c,
  shortTime: 0x17,
  longTime: 0x18,
  sequence: 0x30,
  set: 0x31,
};
const ED25519 = der(TAG.sequence, der(TAG.identifier, Buffer.from('2b6570', 'hex')));
const COMMON_NAME = der(TAG.identifier, Buffer.from('550403', 'hex'));

/**
 * Returns a self-signed certificate (RFC 5280, version 1) in PEM, because TLS carries a public key only in one. Valid
 * from 2000 to 9999: peers check the key and nothing else, so that no clock matters.
 */
function certificateOf(name: ServiceName, privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const subject = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, COMMON_NAME, der(TAG.text, Buffer.from(`register service ${name}`)))),
  );
  const validity = der(
    TAG.sequence,
    der(TAG.shortTime, Buffer.from('000101000000Z')),
    der(TAG.longTime, Buffer.from('99991231235959Z')),
  );
  const content = der(TAG.sequence, der(TAG.integer, Buffer.of(1)), ED25519, subject, validity, subject, spki);
  const signature = der(TAG.bits, Buffer.of(0), sign(null, content, privateKey));
  return new X509Certificate(der(TAG.sequence, content, ED25519, signature)).toString();
}

/** Encodes a value of at most 65,535 bytes. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
