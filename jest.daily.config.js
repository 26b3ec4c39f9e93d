const config = require('./jest.config');
const releaseTests = require('./test/support/run/release-tests');

/** `npm test`: all tests but those that only a release needs. */
module.exports = { ...config, testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...releaseTests] };
