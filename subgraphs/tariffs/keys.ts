/** Keys of `tariffs`, 32 bytes each; no other service has them. */
export interface TariffKeys {
  /** Hashes lookup values that are not personal data, and derives the password of the subgraph's login. */
  readonly hashKey: Buffer;
  /** Hashes MPxNs and consumers: with another key, stored ones are not found. */
  readonly indexKey: Buffer;
  /** Encrypts MPxNs, contacts, URLs and signing secrets of webhooks. */
  readonly encryptionKey: Buffer;
}
