const { readFileSync, readdirSync } = require('node:fs');
const { join, relative } = require('node:path');
const { createCoverageMap } = require('istanbul-lib-coverage');
const { createSourceMapStore } = require('istanbul-lib-source-maps');
const { instrumentedWithMap, productFiles, root } = require('./instrumented');

/**
 * Returns the coverage of all sources of the product, from the counters that the processes of a run have written to a
 * folder.
 */
async function mergedCoverage(folder) {
  const files = new Map(productFiles().map((path) => [relative(root, path), withoutHits(path)]));
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const counters = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const [path, hits] of Object.entries(counters)) add(files.get(path), hits, path);
  }
  const map = createCoverageMap(Object.fromEntries([...files.values()].map((file) => [file.path, file])));
  return createSourceMapStore().transformCoverage(map);
}

function withoutHits(path) {
  const { coverage, sourceMap } = instrumentedWithMap(readFileSync(path, 'utf8'), path);
  return { ...coverage, inputSourceMap: { ...sourceMap, sources: [path] } };
}

function add(file, { s, f, b }, path) {
  if (file === undefined) throw new Error(`${path} counts and is no source of the product`);
  for (const id of Object.keys(file.s)) file.s[id] += s[id];
  for (const id of Object.keys(file.f)) file.f[id] += f[id];
  for (const id of Object.keys(file.b)) file.b[id] = file.b[id].map((hits, arm) => hits + b[id][arm]);
}

module.exports = { mergedCoverage };
