const { join } = require('node:path');

/** The usual tests over sources that count what runs of them: `npm run test:coverage`. */
module.exports = {
  ...require('../../../jest.config'),
  rootDir: join(__dirname, '..', '..', '..'),
  transform: { '^.+\\.[cm]?[tj]s$': [join(__dirname, 'jest-transform.js')] },
  testEnvironment: join(__dirname, 'jest-environment.js'),
};
