/**
 * Caches what V8 has compiled and where Node has found each module, for the processes of a test run, which all load the
 * same two thousand modules: `node -r ./test/support/run/compile-cache.js <product>/<program>.js`. The product's folder
 * contains the cache; its name contains the hash of the sources. A process that had to compile many modules writes the
 * cache for later processes.
 */
const { randomUUID } = require('node:crypto');
const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { deserialize, serialize } = require('node:v8');
const { Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

// A thread inherits the options of its process, but loads few modules.
if (!isMainThread) return;

/** Number of modules that a process must have compiled before it writes a cache. */
const WORTH_WRITING = 50;

const file = join(dirname(process.argv[1]), `compiled-${process.version}.cache`);
const kept = read();
/** Scripts of this process that are not in the cache, by file. */
const compiledHere = new Map();

function read() {
  try {
    return deserialize(readFileSync(file));
  } catch {
    return { places: new Map(), code: new Map() }; // there is no cache yet
  }
}

const find = Module._resolveFilename;
Module._resolveFilename = function (request, parent, isMain, options) {
  if (isMain || options !== undefined || !parent?.filename) return find.call(this, request, parent, isMain, options);
  const key = `${dirname(parent.filename)}\0${request}`;
  const place = kept.places.get(key) ?? find.call(this, request, parent, isMain);
  kept.places.set(key, place);
  return place;
};

const compile = Module.prototype._compile;
Module.prototype._compile = function (content, filename, format) {
  const isPlain = format !== 'module' && !/\bimport\s*\(/.test(content); // a script from the cache cannot import (V8 11)
  const script = isPlain ? scriptOf(content, filename) : undefined;
  if (script === undefined) return compile.call(this, content, filename, format);
  const run = script.runInThisContext();
  return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
};

/** Returns a CommonJS module as a script; undefined if it is not one. */
function scriptOf(content, filename) {
  const cachedData = kept.code.get(filename);
  try {
    const script = new Script(Module.wrap(content.startsWith('#!') ? `//${content}` : content), {
      filename,
      cachedData,
    });
    if (cachedData === undefined || script.cachedDataRejected) compiledHere.set(filename, script);
    return script;
  } catch {
    return undefined; // Node reports the syntax error
  }
}

/** Returns the `require` of a module, as Node creates it. */
function requireOf(module) {
  const require = (request) => module.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

process.on('exit', () => {
  if (compiledHere.size < WORTH_WRITING) return;
  for (const [filename, script] of compiledHere) kept.code.set(filename, script.createCachedData());
  const whole = `${file}.${randomUUID()}`;
  try {
    writeFileSync(whole, serialize(kept));
    renameSync(whole, file);
  } catch {
    rmSync(whole, { force: true }); // the cache only saves time
  }
});
