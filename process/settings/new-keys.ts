import { randomUUID } from 'node:crypto';
import { publicKeyText } from '../../subgraphs/server/link/service-identity';
import { generatedKey } from './generated-key';
import { KEY_VARIABLES, SERVICE_KEY_VARIABLES, newKey } from './keys';
import { PUBLIC_KEYS_VARIABLE } from './service-keys';

/** Generates a set of keys, by environment variable. */
export function newKeyVariables(): Record<string, string> {
  const signingKey = generatedKey('ed25519').export({ format: 'jwk' });
  const signingKeys = { keys: [{ ...signingKey, kid: randomUUID() }] };
  const keys = Object.values(KEY_VARIABLES).map(({ variable }) => [
    variable,
    variable === KEY_VARIABLES.tokenSigningKeys.variable ? JSON.stringify(signingKeys) : newKey().toString('base64'),
  ]);
  return { ...(Object.fromEntries(keys) as Record<string, string>), ...newServiceKeyVariables() };
}

/** Generates a key pair of each service, and the list of their public keys. */
function newServiceKeyVariables(): Record<string, string> {
  const variables: Record<string, string> = {};
  const listed: string[] = [];
  for (const [service, variable] of Object.entries(SERVICE_KEY_VARIABLES)) {
    const privateKey = generatedKey('ed25519');
    variables[variable] = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    listed.push(`${service}=${publicKeyText(privateKey)}`);
  }
  return { ...variables, [PUBLIC_KEYS_VARIABLE]: listed.join(',') };
}
