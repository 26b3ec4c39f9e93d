import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { KEY_VARIABLES, type Keys, newKey } from '../process/keys';
import type { Environment } from '../process/environment';
import { type Settings, readSettings } from '../process/settings';

/** A fresh set of keys, as the values of their variables. */
export async function newKeyVariables(): Promise<Record<string, string>> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signingKeys = { keys: [{ ...(await exportJWK(privateKey)), kid: randomUUID() }] };
  return Object.fromEntries(
    Object.values(KEY_VARIABLES).map(({ variable }) => [
      variable,
      variable === KEY_VARIABLES.tokenSigningKeys.variable ? JSON.stringify(signingKeys) : newKey().toString('base64'),
    ]),
  );
}

/**
 * The keys of a sandbox: made once, kept in `keys.json` of the data folder (mode 0600). Processes that start at once agree on the
 * file that came first.
 */
export async function sandboxKeyVariables(dataDir: string): Promise<Record<string, string>> {
  const file = join(dataDir, 'keys.json');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) await makeKeys(file);
  const kept = readKeys(file);
  const missing = Object.entries(await newKeyVariables()).filter(([variable]) => !(variable in kept));
  if (missing.length === 0) return kept;
  const whole = writeBeside(file, { ...kept, ...Object.fromEntries(missing) }); // made by an earlier version, which knew fewer
  renameSync(whole, file);
  return readKeys(file);
}

function readKeys(file: string): Record<string, string> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

function writeBeside(file: string, variables: Record<string, string>): string {
  const whole = `${file}.${randomUUID()}`;
  writeFileSync(whole, JSON.stringify(variables, null, 2), { mode: 0o600 });
  return whole;
}

/** Written beside and linked: whoever finds the file finds all of it, and the first one stays. */
async function makeKeys(file: string): Promise<void> {
  const whole = writeBeside(file, await newKeyVariables());
  try {
    linkSync(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(whole);
  }
}

/** All keys, or an error that names the first missing one (settings.ts has told of all before in production). */
export function completeKeys(keys: Partial<Keys>, needed: readonly (keyof Keys)[]): Keys {
  const missing = needed.find((key) => keys[key] === undefined);
  if (missing !== undefined) throw new Error(`${KEY_VARIABLES[missing].variable} is missing`);
  return keys as Keys;
}

/**
 * The settings of an environment; outside production the keys of the data folder complete it. The clock of a sandbox, which has a database
 * of its own, can be moved; that of another database only where the environment says so.
 */
export async function sandboxedSettings(environment: Environment): Promise<Settings> {
  const settings = readSettings(environment);
  if (settings.production) return settings;
  const clock: Environment = settings.databaseUrl === undefined ? { CLOCK_CAN_MOVE: 'true' } : {};
  return readSettings({ ...clock, ...(await sandboxKeyVariables(settings.dataDir)), ...environment });
}
