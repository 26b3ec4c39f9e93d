const { readFileSync, statSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Rooms of tests whose files take long whatever their size: they begin first, so that no worker is left with one at the end. */
const SLOW_ROOMS = ['reliability', 'browser', 'journeys', 'exchanges', 'properties', 'database'];

/** Bytes of a test file and of the chapters that it imports. */
function sizeOf(path) {
  const chapters = [...readFileSync(path, 'utf8').matchAll(/from '(\.\/chapters\/[^']+)'/g)];
  const files = chapters.map(([, chapter]) => join(dirname(path), `${chapter}.ts`));
  return [path, ...files].reduce((bytes, file) => bytes + statSync(file).size, 0);
}

function ordered(tests) {
  const rank = ({ path }) => {
    const room = SLOW_ROOMS.findIndex((name) => path.includes(`/${name}/`));
    return room === -1 ? SLOW_ROOMS.length : room;
  };
  const size = new Map(tests.map((test) => [test, sizeOf(test.path)]));
  return tests.toSorted((one, other) => rank(one) - rank(other) || size.get(other) - size.get(one));
}

/** The order of the test files: slow rooms first, then the larger files. Nothing is remembered from run to run. */
module.exports = class SlowRoomsFirst {
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
