const { statSync } = require('node:fs');

/** Rooms of tests whose files take long whatever their size: they begin first, so that no worker is left with one at the end. */
const SLOW_ROOMS = ['reliability', 'browser', 'exchanges', 'properties', 'journeys'];

function ordered(tests) {
  const rank = ({ path }) => {
    const room = SLOW_ROOMS.findIndex((name) => path.includes(`/test/${name}/`));
    return room === -1 ? SLOW_ROOMS.length : room;
  };
  const size = new Map(tests.map((test) => [test, statSync(test.path).size]));
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
