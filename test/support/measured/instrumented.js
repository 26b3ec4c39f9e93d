const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { transformSync, version } = require('@swc/core');
const { createInstrumenter } = require('istanbul-lib-instrument');

const root = join(__dirname, '..', '..', '..');
const configFile = join(root, '.swcrc');
const kept = join(root, 'node_modules', '.cache', 'measured-product');
const settings = version + readFileSync(configFile, 'utf8') + readFileSync(__filename, 'utf8');
const NOT_PRODUCT = /^(?:\.\.|test|node_modules|dist|coverage|tmp|\.[^/]*)(?:\/|$)/;

/**
 * Global variable with the counters of instrumented code. It differs from istanbul's, which jest would copy between
 * processes.
 */
const COUNTERS = '__productCounters__';

/** Reports whether a file is a source of the product. */
function isProduct(filename) {
  return /(?<!\.d)\.ts$/.test(filename) && !NOT_PRODUCT.test(relative(root, filename));
}

/** Returns all sources of the product. */
function productFiles(folder = root) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NOT_PRODUCT.test(relative(root, path))) return [];
    if (entry.isDirectory()) return productFiles(path);
    return isProduct(path) ? [path] : [];
  });
}

/**
 * Compiles a source with the usual settings and with counters of its statements, functions and branches. Cached on
 * disk, by hash.
 */
function instrumented(source, filename) {
  mkdirSync(kept, { recursive: true });
  const file = join(kept, createHash('sha256').update(settings).update(filename).update(source).digest('hex'));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = instrumentedWithMap(source, filename);
    const whole = `${file}.${randomUUID()}`;
    writeFileSync(whole, code);
    renameSync(whole, file); // other processes find the complete file or none
    return code;
  }
}

/** Compiles a source like {@link instrumented}; also returns the counted locations and the source map. */
function instrumentedWithMap(source, filename) {
  const compiled = transformSync(source, { filename, configFile, sourceMaps: true });
  const instrumenter = createInstrumenter({ coverageVariable: COUNTERS, esModules: false, compact: false });
  const code = instrumenter.instrumentSync(compiled.code, filename);
  return { code, coverage: instrumenter.lastFileCoverage(), sourceMap: JSON.parse(compiled.map) };
}

module.exports = { COUNTERS, instrumented, instrumentedWithMap, isProduct, productFiles, root };
