/** TypeScript as JavaScript, by swc. What one process has compiled is kept for the others, by the hash of source and settings. */
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { transformSync, version } = require('@swc/core');

const root = join(__dirname, '..', '..');
const configFile = join(root, '.swcrc');
const kept = join(root, 'node_modules', '.cache', 'swc-register');
const settings = version + readFileSync(configFile, 'utf8');
mkdirSync(kept, { recursive: true });

/** The JavaScript of a source, with its source map in it. */
function compiled(source, filename) {
  const file = join(kept, createHash('sha256').update(settings).update(filename).update(source).digest('hex'));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = transformSync(source, { filename, configFile });
    const whole = `${file}.${randomUUID()}`;
    writeFileSync(whole, code);
    renameSync(whole, file); // a process that finds it finds all of it
    return code;
  }
}

module.exports = { compiled };
