import { join } from 'node:path';

/** Returns the folder of an installed package, even if its `exports` hide package.json. */
export function packageFolder(name: string): string {
  const folder = join('node_modules', name);
  const entry = require.resolve(name);
  return entry.slice(0, entry.lastIndexOf(folder) + folder.length);
}
