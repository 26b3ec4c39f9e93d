import { productFiles } from './source-files';

/** Files that every subgraph runs. A new file needs a reason, so that the folder does not collect unrelated code. */
const FILES = [
  'audit/audit.repository',
  'audit/audit.resolver',
  'audit/audit.types',
  'callers/bearer-token',
  'callers/caller',
  'callers/rate-limits',
  'callers/resource-owner',
  'callers/service-rights',
  'callers/sparing-limit',
  'damaged-rows',
  'damaged-values',
  'database/advisory-locks',
  'database/apply-migrations',
  'database/batched',
  'database/check-only',
  'database/checked-session',
  'database/connection-budget',
  'database/database',
  'database/database-kind',
  'database/database-login',
  'database/forward-migration',
  'database/key-check',
  'database/lock-session',
  'database/migrate',
  'database/prepare',
  'database/register-clock',
  'database/released-sql',
  'database/rows-by-key',
  'database/separated-by-key',
  'database/short-reads',
  'database/transaction',
  'encryption',
  'event-log/event-cursor',
  'event-log/event-era',
  'event-log/event-follow',
  'event-log/event-log-lag',
  'fair-limit',
  'graceful-stop',
  'graph/checked-mutations',
  'graph/data-type.enums',
  'graph/decorator-options',
  'graph/graphql.enums',
  'graph/idempotency-key.types',
  'graph/json-text',
  'graph/list-writer',
  'graph/remote-link',
  'graph/root-fields',
  'graph/running-subgraph',
  'graph/selected-field',
  'graph/service-query',
  'graph/subgraph-calls',
  'graph/subgraph-link',
  'graph/subgraph-schema',
  'graph/text-fields',
  'graph/uk-address.types',
  'idempotency',
  'in-slices',
  'jobs/job-sweep',
  'jobs/job-workers',
  'jobs/jobs',
  'jobs/recoverable-job',
  'jobs/repeat',
  'keyed-hash',
  'link/link-client',
  'link/link-connection',
  'link/link-messages',
  'link/link-server',
  'link/peer-check',
  'link/replica-readiness',
  'link/service-addresses',
  'link/service-identity',
  'link/service-requests',
  'link/service-server',
  'lists/connection',
  'lists/connection.types',
  'lists/history',
  'lists/list-cursor',
  'lists/offset-page',
  'lists/offset-page.types',
  'lists/page-info.types',
  'lists/paged-list',
  'mail-server',
  'observability/collected-gauge',
  'observability/error-log',
  'observability/failures',
  'observability/metrics-route',
  'observability/readiness-routes',
  'observability/tracing',
  'occupancy-keys',
  'outgoing/addresses',
  'outgoing/issuer-requests',
  'outgoing/name-lookup',
  'request-content',
  'restore-mark', // separate from migrate, so that readers of the mark need not load the ORM
  'retention',
  'shared-read',
  'unavailable',
  'web-address',
];

const ROOT = 'subgraphs/server/';

/** Terms of the domain, in names and in comments. */
const DOMAIN_WORD =
  /\b(access|identity)[ -]?records?|mpxn|\bconsent|legal.?basis|\bcontrollers?\b|tariff(?!s[':])|meter.?point|data subject/i;

const files = productFiles().filter(({ path }) => path.startsWith(ROOT));

describe('the folder that all subgraphs share', () => {
  it('contains the listed files and no other', () => {
    expect(files.map(({ path }) => path.slice(ROOT.length, -'.ts'.length)).toSorted()).toEqual(FILES);
  });

  it('contains no term of the domain', () => {
    const knowing = files.flatMap(({ path, text }) => {
      const [word] = DOMAIN_WORD.exec(text) ?? [];
      return word === undefined ? [] : [`${path}: ${word}`];
    });
    expect(knowing).toEqual([]);
  });

  it('contains no unused file', () => {
    const imported = new Set(productFiles().flatMap(({ imports }) => imports.flatMap(ownModulesOf)));
    expect(files.map(({ path }) => path.replace(/\.ts$/, '')).filter((path) => !imported.has(path))).toEqual([]);
  });
});

function ownModulesOf(imported: object): string[] {
  return 'own' in imported ? [String(imported.own)] : [];
}
