const { join } = require('node:path');
const rules = require('../../../jest.rules.config');

/** The tests that load what is mutated into their own process: the rules, and the adapter and the gateway in front of written subgraphs. */
module.exports = {
  ...rules,
  rootDir: join(__dirname, '..', '..', '..'),
  testMatch: [
    ...rules.testMatch,
    '<rootDir>/test/adapter/exchanges/adapter.test.ts',
    '<rootDir>/test/gateway/exchanges/gateway.test.ts',
  ],
};
