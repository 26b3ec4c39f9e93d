import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder with package.json, above both the sources and `dist`. */
export const REPOSITORY_ROOT = rootAbove(__dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}
