/** Compiles TypeScript with swc. The result is cached for other processes, by the hash of source and settings. */
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { transformSync, version } = require('@swc/core');

const root = join(__dirname, '..', '..');
const configFile = join(root, '.swcrc');
const kept = join(root, 'node_modules', '.cache', 'swc-register');
const settings = version + readFileSync(configFile, 'utf8');
mkdirSync(kept, { recursive: true });

/** Returns the JavaScript of a source, with an inline source map. */
function compiled(source, filename) {
  const file = join(kept, createHash('sha256').update(settings).update(filename).update(source).digest('hex'));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = transformSync(source, { filename, configFile });
    const whole = `${file}.${randomUUID()}`;
    writeFileSync(whole, code);
    renameSync(whole, file); // other processes find the complete file or none
    return code;
  }
}

module.exports = { compiled };
