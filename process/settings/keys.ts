import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import type { ServiceName } from '../../subgraphs/server/callers/caller';

/** The services that store data, in start order. */
export const SUBGRAPHS = ['identity', 'access', 'grid-models', 'tariffs'] as const satisfies readonly ServiceName[];

/** A service that stores data. */
export type Subgraph = (typeof SUBGRAPHS)[number];

/** All services of the register, in start order. */
export const SERVICES = [
  ...SUBGRAPHS,
  'gateway',
  'rest-adapter',
  'portal',
  'console',
] as const satisfies readonly ServiceName[];

/** All keys of an installation. */
export interface Keys {
  /** Private Ed25519 keys of bearer tokens: the first one signs, all verify. */
  readonly tokenSigningKeys: readonly JWK[];
  readonly accessHashKey: Buffer;
  readonly accessEncryptionKey: Buffer;
  readonly identityHashKey: Buffer;
  readonly identityIndexKey: Buffer;
  readonly identityEncryptionKey: Buffer;
  /** Signs the short-lived URLs of published files; the subgraph's database password is derived from it. */
  readonly gridModelsKey: Buffer;
  readonly tariffsHashKey: Buffer;
  readonly tariffsIndexKey: Buffer;
  readonly tariffsEncryptionKey: Buffer;
  /** Encrypts the portal's cookies before sign-in; its form tokens are derived from it. */
  readonly portalKey: Buffer;
  /** Encrypts the session cookies of the console; its form tokens are derived from it. */
  readonly consoleKey: Buffer;
}

/** Length of every symmetric key in bytes. */
export const KEY_BYTES = 32;

/** The environment variable of each key, and the services that need the key. */
export const KEY_VARIABLES: Readonly<Record<keyof Keys, { variable: string; services: readonly ServiceName[] }>> = {
  tokenSigningKeys: { variable: 'TOKEN_SIGNING_KEYS', services: ['access'] },
  accessHashKey: { variable: 'ACCESS_HASH_KEY', services: ['access'] },
  accessEncryptionKey: { variable: 'ACCESS_ENCRYPTION_KEY', services: ['access'] },
  identityHashKey: { variable: 'IDENTITY_HASH_KEY', services: ['identity'] },
  identityIndexKey: { variable: 'IDENTITY_INDEX_KEY', services: ['identity'] },
  identityEncryptionKey: { variable: 'IDENTITY_ENCRYPTION_KEY', services: ['identity'] },
  gridModelsKey: { variable: 'GRID_MODELS_KEY', services: ['grid-models'] },
  tariffsHashKey: { variable: 'TARIFFS_HASH_KEY', services: ['tariffs'] },
  tariffsIndexKey: { variable: 'TARIFFS_INDEX_KEY', services: ['tariffs'] },
  tariffsEncryptionKey: { variable: 'TARIFFS_ENCRYPTION_KEY', services: ['tariffs'] },
  portalKey: { variable: 'PORTAL_KEY', services: ['portal'] },
  consoleKey: { variable: 'CONSOLE_KEY', services: ['console'] },
};

/** The variable of each service's private key, with which it proves itself to services of other processes. */
export const SERVICE_KEY_VARIABLES: Readonly<Record<ServiceName, string>> = {
  identity: 'IDENTITY_SERVICE_KEY',
  access: 'ACCESS_SERVICE_KEY',
  'grid-models': 'GRID_MODELS_SERVICE_KEY',
  tariffs: 'TARIFFS_SERVICE_KEY',
  gateway: 'GATEWAY_SERVICE_KEY',
  'rest-adapter': 'REST_SERVICE_KEY',
  portal: 'PORTAL_SERVICE_KEY',
  console: 'CONSOLE_SERVICE_KEY',
};

/**
 * Returns the keys; throws if one of the needed keys is missing, and names it. In production `readSettings` has
 * reported all of them.
 */
export function completeKeys(keys: Partial<Keys>, needed: readonly (keyof Keys)[]): Keys {
  const missing = needed.find((key) => keys[key] === undefined);
  if (missing !== undefined) throw new Error(`${KEY_VARIABLES[missing].variable} is missing`);
  return keys as Keys;
}

/** Returns the hash, index and encryption key of a subgraph. */
export function subgraphKeys(keys: Keys, subgraph: 'identity' | 'tariffs') {
  return {
    hashKey: keys[`${subgraph}HashKey`],
    indexKey: keys[`${subgraph}IndexKey`],
    encryptionKey: keys[`${subgraph}EncryptionKey`],
  };
}

/** Generates a random key of {@link KEY_BYTES} bytes. */
export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}
