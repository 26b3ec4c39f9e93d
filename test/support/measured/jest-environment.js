const { TestEnvironment } = require('jest-environment-node');
const { writeCounters } = require('./kept-counters');

/** The usual environment of a test file; writes its counters to the folder of the measurement. */
module.exports = class MeasuredEnvironment extends TestEnvironment {
  async teardown() {
    writeCounters(process.env.TEST_COVERAGE, this.global);
    await super.teardown();
  }
};
