import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import type { ServiceName } from '../subgraphs/server/caller';

/** The services that own data, in start order. */
export const SUBGRAPHS = ['identity', 'access', 'grid-models', 'tariffs'] as const satisfies readonly ServiceName[];

/** The services of the register, in start order. */
export const SERVICES = [
  ...SUBGRAPHS,
  'gateway',
  'rest-adapter',
  'portal',
  'console',
] as const satisfies readonly ServiceName[];

/** Every key of an installation. */
export interface Keys {
  /** Private JWKs (Ed25519) that sign bearer tokens: the first signs, all verify. */
  readonly tokenSigningKeys: readonly JWK[];
  /** Shared by all services: signs what they say to each other. */
  readonly serviceKey: Buffer;
  readonly accessHashKey: Buffer;
  readonly accessEncryptionKey: Buffer;
  readonly identityHashKey: Buffer;
  readonly identityIndexKey: Buffer;
  readonly identityEncryptionKey: Buffer;
  /** Signs the addresses of published files, and makes the subgraph's login. */
  readonly gridModelsKey: Buffer;
  readonly tariffsHashKey: Buffer;
  readonly tariffsIndexKey: Buffer;
  readonly tariffsEncryptionKey: Buffer;
  /** Seals what the portal keeps in the browser before somebody is signed in, and makes the tokens of its forms. */
  readonly portalKey: Buffer;
  /** Seals the sessions of the console in the browsers of the back office, and makes the tokens of its forms. */
  readonly consoleKey: Buffer;
}

/** Length of every symmetric key. */
export const KEY_BYTES = 32;

/** Which variable carries which key, and which services need it. */
export const KEY_VARIABLES: Readonly<Record<keyof Keys, { variable: string; services: readonly ServiceName[] }>> = {
  tokenSigningKeys: { variable: 'TOKEN_SIGNING_KEYS', services: ['access'] },
  serviceKey: { variable: 'SERVICE_KEY', services: SERVICES },
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

/** The three keys of a subgraph that holds sealed and findable values. */
export function sealingKeys(keys: Keys, subgraph: 'identity' | 'tariffs') {
  return {
    hashKey: keys[`${subgraph}HashKey`],
    indexKey: keys[`${subgraph}IndexKey`],
    encryptionKey: keys[`${subgraph}EncryptionKey`],
  };
}

/** A random key of 32 bytes. */
export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}
