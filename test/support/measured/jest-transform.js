const { createTransformer } = require('@swc/jest');
const { instrumented, isProduct } = require('./instrumented');

const usual = createTransformer();

/** Instruments sources of the product; all other files are compiled as usual. */
module.exports = {
  ...usual,
  process: (source, filename, options) =>
    isProduct(filename) ? { code: instrumented(source, filename) } : usual.process(source, filename, options),
};
