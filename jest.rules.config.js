const { globalSetup: _, globalTeardown: __, reporters: ___, ...config } = require('./jest.config');

/** Pure rules: no PostgreSQL, no server, no browser. `npm run test:rules`, with `-- --watch` while working. */
module.exports = { ...config, testMatch: ['<rootDir>/test/*/rules/**/*.test.ts'] };
