const { testMatch: _, ...config } = require('./jest.config');
const releaseTests = require('./test/support/run/release-tests');

/** `npm run test:release`: the tests that `npm test` leaves out. */
module.exports = { ...config, testRegex: releaseTests.map((path) => `${path}test\\.ts$`) };
