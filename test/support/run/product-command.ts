import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { SHORT_LIVED } from './short-lived';

/**
 * Variable with the folder of the compiled product; without it, programs run from their sources (benches, coverage).
 */
export const PRODUCT = 'TEST_PRODUCT';

/** Returns the arguments of `node` that run a program of the product, such as `process/main` or `commands/admin`. */
export function productCommand(product: string | undefined, program: string): string[] {
  return product
    ? [...SHORT_LIVED, ...CACHED, join(product, `${program}.js`)]
    : [...FROM_SOURCES, join(REPOSITORY_ROOT, `${program}.ts`)];
}

/** Arguments of `node` that cache compiled modules for later processes. */
const CACHED = ['-r', join(__dirname, 'compile-cache.js')];

/** Arguments of `node` that run TypeScript. */
export const FROM_SOURCES = ['-r', join(__dirname, '..', 'swc-register.js')];
