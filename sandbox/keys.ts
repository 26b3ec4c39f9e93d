import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../process/settings/environment';
import { newKeyVariables } from '../process/settings/new-keys';
import { readSettings } from '../process/settings/read-settings';
import type { Settings } from '../process/settings/settings';

/**
 * Returns the keys of a sandbox. Creates them once, in `keys.json` of the data folder (mode 0600). Processes that start
 * at the same time use the file that was created first.
 */
export function sandboxKeyVariables(dataDir: string): Record<string, string> {
  const file = join(dataDir, 'keys.json');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) createKeys(file);
  const stored = readKeys(file);
  const missing = Object.entries(newKeyVariables()).filter(([variable]) => !(variable in stored));
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
function createKeys(file: string): void {
  const temporary = writeTemporary(file, newKeyVariables());
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary);
  }
}

/**
 * Reads the settings of an environment. Outside production adds the keys of the data folder, and permits moving the
 * clock of an embedded database; the clock of another database can move only if the environment permits it.
 */
export async function sandboxedSettings(environment: Environment, isCommand = false): Promise<Settings> {
  const settings = readSettings(environment, isCommand);
  if (settings.production) return settings;
  const clock: Environment = settings.databaseUrl === undefined ? { CLOCK_CAN_MOVE: 'true' } : {};
  const keys = sandboxKeyVariables(settings.dataDir);
  const given = Object.entries(environment).filter(([, text]) => text !== undefined && text.trim() !== '');
  return readSettings({ ...clock, ...keys, ...Object.fromEntries(given) }, isCommand);
}
