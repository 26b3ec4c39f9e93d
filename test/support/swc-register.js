/**
 * Lets a plain Node process run the TypeScript sources: `node -r ./test/support/swc-register.js <file>.ts`. Tests start hundreds of
 * processes: what one has compiled is kept for the others, by the hash of source and settings.
 */
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync, version } = require('@swc/core');

const root = join(__dirname, '..', '..');
const configFile = join(root, '.swcrc');
const kept = join(root, 'node_modules', '.cache', 'swc-register');
const settings = version + readFileSync(configFile, 'utf8');
mkdirSync(kept, { recursive: true });

function compiled(source, filename) {
  const file = join(kept, createHash('sha256').update(settings).update(filename).update(source).digest('hex'));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = transformSync(source, { filename, configFile });
    const whole = `${file}.${randomUUID()}`;
    writeFileSync(whole, code);
    renameSync(whole, file); // whoever finds it finds all of it
    return code;
  }
}

/** Folder to which processes write what runs of the product, when that is measured (`npm run test:coverage`). */
const measured = process.env.TEST_COVERAGE;
const { instrumented, isProduct } = measured ? require('./measured/instrumented') : {};
if (measured) require('./measured/kept-counters').keepCounters(measured);

Module._extensions['.ts'] = (module, filename) => {
  const compile = measured && isProduct(filename) ? instrumented : compiled;
  module._compile(compile(readFileSync(filename, 'utf8'), filename), filename);
};
