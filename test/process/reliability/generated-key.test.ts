import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { generatedKey } from '../../../process/settings/generated-key';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { FROM_SOURCES } from '../../support/run/product-command';

/** Exports keys until garbage was collected during an export many times: with a small heap, a key object of Node's own never returned after 200. */
const EXPORTS = `
  const { generatedKey } = require(${JSON.stringify(join(REPOSITORY_ROOT, 'process/settings/generated-key'))});
  for (let key = 0; key < 1000; key += 1) {
    const generated = generatedKey('ed25519');
    for (let time = 0; time < 50; time += 1) generated.export({ format: 'jwk' });
  }`;
const MAX_MS = 60_000;

describe('A generated key', () => {
  it.each([
    ['ed25519', 'ed25519'],
    ['p-256', 'ec'],
  ] as const)('has its type: %s', (type, expected) => {
    const key = generatedKey(type);
    const types = [key.type, key.asymmetricKeyType, createPublicKey(key).asymmetricKeyType];
    expect(types).toEqual(['private', expected, expected]);
  });

  it(
    'can be exported while garbage is collected',
    () => {
      const options = ['--max-semi-space-size=1', ...FROM_SOURCES, '-e', EXPORTS];
      const { status, signal, stderr } = spawnSync(process.execPath, options, { timeout: MAX_MS, encoding: 'utf8' });
      expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
    },
    2 * MAX_MS,
  );
});
