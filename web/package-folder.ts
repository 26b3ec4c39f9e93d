import { join } from 'node:path';

/** The folder of an installed package, also of one that does not let its package.json be resolved. */
export function packageFolder(name: string): string {
  const place = join('node_modules', name);
  const entry = require.resolve(name);
  return entry.slice(0, entry.lastIndexOf(place) + place.length);
}
