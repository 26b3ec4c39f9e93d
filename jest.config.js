/** Plans of questions to large tables, and kills of everything at once: part of the long form (`test:long`, `test:chaos`). */
const LONG_ONLY = [
  '<rootDir>/test/rules/grid-graph-plans',
  '<rootDir>/test/rules/tariff-graph-plans',
  '<rootDir>/test/reliability/chaos',
];
const isLong = ['TEST_LONG', 'TEST_CHAOS'].some((name) => process.env[name] !== undefined);

/** One project: TypeScript by swc, ESM-only packages transformed too (require(esm) is not available inside jest on Node 20). */
module.exports = {
  testEnvironment: 'node',
  transform: { '^.+\\.[cm]?[tj]s$': ['@swc/jest'] },
  transformIgnorePatterns: [
    '/node_modules/(?!(jose|openid-client|oauth4webapi|oidc-provider|request-filtering-agent)/)',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  testPathIgnorePatterns: isLong ? [] : LONG_ONLY,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/slow-rooms-first.js',
  testTimeout: 60_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
};
