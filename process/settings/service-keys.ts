import { type KeyObject, createPrivateKey } from 'node:crypto';
import type { EnvironmentReader } from './environment';
import type { JWK } from 'jose';
import { KEY_BYTES, KEY_VARIABLES, type Keys, SERVICES, SERVICE_KEY_VARIABLES } from './keys';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import { publicKeyText } from '../../subgraphs/server/link/service-identity';

/** The keys by which services of different processes recognise each other. */
export interface ServiceKeys {
  /** Private Ed25519 keys of services of this process. */
  readonly own: Readonly<Partial<Record<ServiceName, KeyObject>>>;
  /** The service of each public key, of all processes. */
  readonly all: ReadonlyMap<string, ServiceName>;
}

/** Variable of the public keys of all services: `access=<key>,gateway=<key>,…`. */
export const PUBLIC_KEYS_VARIABLE = 'SERVICE_PUBLIC_KEYS';

/** Reads the keys of links. Reports private keys whose public key is not listed: no other service would accept them. */
export function readServiceKeys(reader: EnvironmentReader, services: ReadonlySet<ServiceName>): ServiceKeys {
  const all = publicKeys(reader);
  const own: Partial<Record<ServiceName, KeyObject>> = {};
  for (const service of services) {
    const variable = SERVICE_KEY_VARIABLES[service];
    const text = variable && reader.text(variable);
    if (text === undefined) continue;
    const key = privateKey(text);
    if (key === undefined)
      reader.problems.push(
        `${variable}: must be a private Ed25519 key (PKCS#8 in base64; admin create-keys prints one)`,
      );
    else if (all.get(publicKeyText(key)) !== service)
      reader.problems.push(`${variable}: its public key is not listed for ${service} in ${PUBLIC_KEYS_VARIABLE}`);
    else own[service] = key;
  }
  return { own, all };
}

function privateKey(base64: string): KeyObject | undefined {
  try {
    const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** A service and the 32 bytes of its public key in base64url. */
const ENTRY = /^([a-z-]+)=([A-Za-z0-9_-]{43})$/;

function publicKeys(reader: EnvironmentReader): Map<string, ServiceName> {
  const keys = new Map<string, ServiceName>();
  for (const entry of reader.text(PUBLIC_KEYS_VARIABLE)?.split(',') ?? []) {
    const [, name, key = ''] = ENTRY.exec(entry.trim()) ?? [];
    const service = SERVICES.find((each) => each === name);
    if (service === undefined)
      reader.problems.push(`${PUBLIC_KEYS_VARIABLE}: must be a list of <service>=<public key in base64url>`);
    else if ((keys.get(key) ?? service) !== service)
      reader.problems.push(`${PUBLIC_KEYS_VARIABLE}: ${service} and ${keys.get(key)} must not have the same key`);
    else keys.set(key, service);
  }
  return keys;
}

/** Reads the keys of stored data, tokens and cookies that the environment contains. */
export function readKeys(reader: EnvironmentReader): Partial<Keys> {
  const entries = Object.entries(KEY_VARIABLES).map(([key, { variable }]) => [key, keyIn(reader, variable)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<Keys>;
}

function keyIn(reader: EnvironmentReader, variable: string): Buffer | readonly JWK[] | undefined {
  const text = reader.text(variable);
  if (text === undefined) return undefined;
  if (variable === KEY_VARIABLES.tokenSigningKeys.variable) return signingKeys(reader, variable, text);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) reader.problems.push(`${variable}: must be ${KEY_BYTES} bytes in base64`);
  return bytes;
}

function signingKeys(reader: EnvironmentReader, variable: string, text: string): readonly JWK[] {
  try {
    const { keys } = JSON.parse(text) as { keys: JWK[] };
    if (keys.length > 0 && keys.every(({ kty, crv, d, kid }) => kty === 'OKP' && crv === 'Ed25519' && d && kid)) {
      if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
        reader.problems.push(`${variable}: no two keys may have the same kid`);
      if (!keys.every((key) => publicKeyText(createPrivateKey({ key, format: 'jwk' })) === key.x))
        reader.problems.push(`${variable}: the public key x of each key must belong to its private key d`);
      return keys;
    }
  } catch {
    // not JSON, or no private key: reported below, without the value
  }
  reader.problems.push(`${variable}: must be a JSON Web Key Set of private Ed25519 keys with kid`);
  return [];
}
