/** Query plans on large tables, and the chaos test: part of the long form (`test:long`, `test:chaos`). */
const LONG_ONLY = [
  '<rootDir>/test/grid-models/database/graph-plans',
  '<rootDir>/test/tariffs/database/plans',
  '<rootDir>/test/process/reliability/chaos',
];
const isLong = ['TEST_LONG', 'TEST_CHAOS'].some((name) => process.env[name] !== undefined);

/** One project: TypeScript by swc, ESM-only packages transformed too (require(esm) is not available inside jest on Node 20). */
module.exports = {
  testEnvironment: 'node',
  transform: { '^.+\\.[cm]?[tj]s$': ['@swc/jest'] },
  transformIgnorePatterns: [
    '/node_modules/(?!(auto-bind|jose|openid-client|oauth4webapi|oidc-provider|request-filtering-agent)/)',
  ],
  moduleNameMapper: { '/jsutils/instanceOf\\.js$': '<rootDir>/test/support/run/instance-of.js' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/', '<rootDir>/tmp/'],
  testPathIgnorePatterns: isLong ? [] : LONG_ONLY,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  setupFiles: ['reflect-metadata'], // as the first import of each program: type-graphql needs it
  globalSetup: '<rootDir>/test/support/run/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/slow-folders-first.js',
  reporters: ['default', '<rootDir>/test/support/run/failure-logs.js', '<rootDir>/test/support/run/slowest-files.js'],
  testTimeout: 300_000, // a last resort: nothing is expected within a time
  maxWorkers: 3, // on two processors: many tests wait
  workerIdleMemoryLimit: '1GB',
};
