import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';

const FOLDER = join(REPOSITORY_ROOT, '..', 'shared', 'data', 'cim');

/** Real CIM files, if they are on the machine; they are not part of the repository. */
export const REAL_FILES: ReadonlyMap<string, Buffer> = new Map(
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter((name) => name.endsWith('.xml'))
    .map((name) => [name, readFileSync(join(FOLDER, name))] as const),
);

/** `describe` if the real files exist; otherwise the suite is skipped. */
export const describeWithRealFiles = REAL_FILES.size > 0 ? describe : describe.skip;
