/**
 * Mutation of the rules that need neither a database nor a server, by the tests of those rules alone: `npm run test:mutation`, with
 * `-- --mutate 'subgraphs/tariffs/rates/**'` for a part. What a mutation was found to do is kept for the next run, as far as neither
 * source nor tests have changed since.
 */
export default {
  mutate: ['subgraphs/*/*/**/!(*.*).ts', 'subgraphs/delivery/*.ts', 'rest-adapter/**/*.ts', 'gateway/**/*.ts'],
  testRunner: 'jest',
  jest: { projectType: 'custom', configFile: 'jest.rules.config.js' },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: 'coverage/mutation/incremental.json',
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  htmlReporter: { fileName: 'coverage/mutation/report.html' },
  jsonReporter: { fileName: 'coverage/mutation/report.json' },
  // A machine that is busy must not make a mutant look as if it never ended.
  timeoutMS: 20_000,
  tempDirName: 'tmp/stryker',
  concurrency: 2,
  allowEmpty: false,
  // Only for a check of types, for which it needs the interface of TypeScript before 7.
  tsconfigFile: 'none',
  disableTypeChecks: true,
  ignorePatterns: ['.data', 'dist', 'coverage'],
};
