const { TestEnvironment } = require('jest-environment-node');

/**
 * The environment of tests that end at their first failure: it skips the rest of a file. A test whose hook failed already has its error,
 * and reports it.
 */
module.exports = class FirstFailureEnvironment extends TestEnvironment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed && test.errors.length === 0) test.mode = 'skip';
  }
};
