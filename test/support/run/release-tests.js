/**
 * Tests that a release needs in addition to `npm test`, as regular expressions of paths without their ending: registers that are killed, frozen, restored or
 * upgraded; the same results from other layouts and in Welsh; large amounts; every command of the documents. `npm run test:release` runs them.
 */
module.exports = [
  '/test/[^/]+/reliability/[^/]+\\.',
  '/test/records/database/partitions\\.',
  '/test/tariffs/database/many-(events|assignments)\\.',
  '/test/tariffs/journeys/year-of-prices-over-links\\.',
  '/test/gateway/exchanges/subscription-floods\\.',
  '/test/gateway/properties/graphql-bombs\\.property\\.',
  '/test/portal/journeys/many-records\\.',
  '/test/portal/browser/contact-journeys-in-welsh\\.',
  '/test/process/journeys/(same-results|other-routers|division-into-processes|life-of-a-register)\\.',
  '/test/process/journeys/(documented-commands|command-lines)\\.',
  '/test/structure/container\\.',
];
