const { renameSync, writeFileSync } = require('node:fs');
const { randomUUID } = require('node:crypto');
const { join, relative } = require('node:path');
const { COUNTERS, root } = require('./instrumented');

const EVERY_MS = 1000;

/** Writes the counters of this process to a folder: every second, because tests kill processes, and at its end. */
function keepCounters(folder) {
  const file = join(folder, `${process.pid}-${randomUUID()}.json`);
  let last = '';
  const keep = () => {
    const text = countersOf(globalThis);
    if (text !== last) writeWhole(file, text);
    last = text;
  };
  setInterval(keep, EVERY_MS).unref();
  process.on('exit', keep);
}

/** Writes the counters of a test file's global scope to a folder. */
function writeCounters(folder, scope) {
  writeWhole(join(folder, `${process.pid}-${randomUUID()}.json`), countersOf(scope));
}

function countersOf(scope) {
  const files = Object.entries(scope[COUNTERS] ?? {});
  return JSON.stringify(Object.fromEntries(files.map(([path, { s, f, b }]) => [relative(root, path), { s, f, b }])));
}

function writeWhole(file, text) {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

module.exports = { keepCounters, writeCounters };
