/** Lets a plain Node process run the TypeScript sources: `node -r ./test/support/swc-register.js <file>.ts`. */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const configFile = join(__dirname, '..', '..', '.swcrc');

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, configFile });
  module._compile(code, filename);
};
