const { relative } = require('node:path');

const SHOWN = 15;

/** Prints at the end of a whole run which test files took longest: where the time of the suite goes, also on a machine without a terminal. */
module.exports = class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= SHOWN) return;
    const seconds = ({ perfStats: { start, end } }) => (end - start) / 1000;
    const total = testResults.reduce((sum, result) => sum + seconds(result), 0);
    const slowest = testResults.toSorted((one, other) => seconds(other) - seconds(one)).slice(0, SHOWN);
    const lines = slowest.map(
      (result) => `${seconds(result).toFixed(0).padStart(6)} s  ${relative('', result.testFilePath)}`,
    );
    process.stderr.write(
      [`The slowest ${SHOWN} of ${testResults.length} files, ${total.toFixed(0)} s in all:`, ...lines, ''].join('\n'),
    );
  }
};
