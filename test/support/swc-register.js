/** Lets a plain Node process run the TypeScript sources: `node -r ./test/support/swc-register.js <file>.ts`. */
require('reflect-metadata'); // as the first import of each program
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { compiled } = require('./swc-compiled');

/** Folder for the coverage counters of processes, if coverage is measured (`npm run test:coverage`). */
const measured = process.env.TEST_COVERAGE;
const { instrumented, isProduct } = measured ? require('./measured/instrumented') : {};
if (measured) require('./measured/kept-counters').keepCounters(measured);

Module._extensions['.ts'] = (module, filename) => {
  const compile = measured && isProduct(filename) ? instrumented : compiled;
  module._compile(compile(readFileSync(filename, 'utf8'), filename), filename);
};
