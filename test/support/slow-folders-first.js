const { readFileSync, statSync } = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * Folders of tests that run long, whatever the file size: they begin first, so that no worker starts one at the end.
 */
const SLOW_FOLDERS = ['reliability', 'browser', 'journeys', 'exchanges', 'properties', 'database'];

/** Returns the bytes of a test file and its imported chapters. */
function sizeOf(path) {
  const chapters = [...readFileSync(path, 'utf8').matchAll(/from '(\.\/chapters\/[^']+)'/g)];
  const files = chapters.map(([, chapter]) => join(dirname(path), `${chapter}.ts`));
  return [path, ...files].reduce((bytes, file) => bytes + statSync(file).size, 0);
}

function ordered(tests) {
  const rank = ({ path }) => {
    const folder = SLOW_FOLDERS.findIndex((name) => path.includes(`/${name}/`));
    return folder === -1 ? SLOW_FOLDERS.length : folder;
  };
  const size = new Map(tests.map((test) => [test, sizeOf(test.path)]));
  return tests.toSorted((one, other) => rank(one) - rank(other) || size.get(other) - size.get(one));
}

/** Orders the test files: slow folders first, then the larger files. Runs store nothing for each other. */
module.exports = class SlowFoldersFirst {
  sort(tests) {
    return ordered([...tests]);
  }

  shard(tests, { shardIndex, shardCount }) {
    return ordered([...tests]).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
};
