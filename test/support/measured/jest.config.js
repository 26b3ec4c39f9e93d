const { join } = require('node:path');

/** Runs the usual tests with instrumented sources: `npm run test:coverage`. */
module.exports = {
  ...require('../../../jest.config'),
  rootDir: join(__dirname, '..', '..', '..'),
  transform: { '^.+\\.[cm]?[tj]s$': [join(__dirname, 'jest-transform.js')] },
  testEnvironment: join(__dirname, 'jest-environment.js'),
};
