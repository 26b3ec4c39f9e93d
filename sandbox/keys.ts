import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { KEY_VARIABLES, type Keys, SERVICE_KEY_VARIABLES, newKey } from '../process/settings/keys';
import { PUBLIC_KEYS_VARIABLE } from '../process/settings/service-keys';
import { publicKeyText } from '../subgraphs/server/link/service-identity';
import type { Environment } from '../process/settings/environment';
import { type Settings } from '../process/settings/settings';
import { readSettings } from '../process/settings/read-settings';

/** Generates a set of keys, by environment variable. */
export async function newKeyVariables(): Promise<Record<string, string>> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signingKeys = { keys: [{ ...(await exportJWK(privateKey)), kid: randomUUID() }] };
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
    const { privateKey } = generateKeyPairSync('ed25519');
    variables[variable] = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    listed.push(`${service}=${publicKeyText(privateKey)}`);
  }
  return { ...variables, [PUBLIC_KEYS_VARIABLE]: listed.join(',') };
}

/**
 * Returns the keys of a sandbox. Creates them once, in `keys.json` of the data folder (mode 0600). Processes that start
 * at the same time use the file that was created first.
 */
export async function sandboxKeyVariables(dataDir: string): Promise<Record<string, string>> {
  const file = join(dataDir, 'keys.json');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) await createKeys(file);
  const stored = readKeys(file);
  const missing = Object.entries(await newKeyVariables()).filter(([variable]) => !(variable in stored));
  if (missing.length === 0) return stored;
  // An earlier version of the register had fewer keys.
  const temporary = writeTemporary(file, { ...stored, ...Object.fromEntries(missing) });
  renameSync(temporary, file);
  return readKeys(file);
}

function readKeys(file: string): Record<string, string> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

function writeTemporary(file: string, variables: Record<string, string>): string {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, JSON.stringify(variables, null, 2), { mode: 0o600 });
  return temporary;
}

/**
 * Writes a temporary file and links it, so that the file is always complete and the first process that creates it wins.
 */
async function createKeys(file: string): Promise<void> {
  const temporary = writeTemporary(file, await newKeyVariables());
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary);
  }
}

/**
 * Returns the keys; throws if one of the needed keys is missing, and names it. In production `readSettings` has
 * reported all of them.
 */
export function completeKeys(keys: Partial<Keys>, needed: readonly (keyof Keys)[]): Keys {
  const missing = needed.find((key) => keys[key] === undefined);
  if (missing !== undefined) throw new Error(`${KEY_VARIABLES[missing].variable} is missing`);
  return keys as Keys;
}

/**
 * Reads the settings of an environment. Outside production adds the keys of the data folder, and permits moving the
 * clock of an embedded database; the clock of another database can move only if the environment permits it.
 */
export async function sandboxedSettings(environment: Environment, isCommand = false): Promise<Settings> {
  const settings = readSettings(environment, isCommand);
  if (settings.production) return settings;
  const clock: Environment = settings.databaseUrl === undefined ? { CLOCK_CAN_MOVE: 'true' } : {};
  const keys = await sandboxKeyVariables(settings.dataDir);
  const given = Object.entries(environment).filter(([, text]) => text !== undefined && text.trim() !== '');
  return readSettings({ ...clock, ...keys, ...Object.fromEntries(given) }, isCommand);
}
