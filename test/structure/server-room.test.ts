import { basename } from 'node:path';
import { productFiles } from './source-files';

/** What every subgraph runs. A file more needs a reason: a room that everything may be put into holds everything one day. */
const FILES = [
  'advisory-locks',
  'asked-gauge',
  'away',
  'bearer-token',
  'caller',
  'connection',
  'connection.types',
  'data-type.enums',
  'database',
  'database-login',
  'event-cursor',
  'event-era',
  'event-follow',
  'event-standstill',
  'failures',
  'fault-log',
  'graphql.enums',
  'idempotency',
  'job-sweep',
  'job-workers',
  'jobs',
  'key-check',
  'keyed-hash',
  'list-cursor',
  'lock-session',
  'mail-server',
  'metrics-route',
  'migrate',
  'page-info.types',
  'rate-limits',
  'register-clock',
  'remote-link',
  'repeat',
  'restore-mark', // apart from migrate: what only asks for it need not load the ORM
  'retention',
  'rows-by-key',
  'running-subgraph',
  'sealed',
  'service-question',
  'service-request',
  'service-token',
  'short-reads',
  'subgraph-link',
  'subgraph-schema',
  'subgraph-server',
  'tracing',
  'transaction',
  'web-address',
];

/** Words of the domain, in names and in comments. */
const DOMAIN_WORD =
  /\b(access|identity)[ -]?records?|mpxn|\bconsent|legal.?basis|\bcontrollers?\b|tariff(?!s')|meter.?point|data subject/i;

const files = productFiles().filter(({ path }) => path.startsWith('subgraphs/server/'));

describe('the room that all subgraphs share', () => {
  it('holds the listed files and no other', () => {
    expect(files.map(({ path }) => basename(path, '.ts')).toSorted()).toEqual(FILES);
  });

  it('knows no word of the domain', () => {
    const knowing = files.flatMap(({ path, text }) => {
      const [word] = DOMAIN_WORD.exec(text) ?? [];
      return word === undefined ? [] : [`${path}: ${word}`];
    });
    expect(knowing).toEqual([]);
  });

  it('has no file that nobody uses', () => {
    const imported = new Set(productFiles().flatMap(({ imports }) => imports.flatMap(oursOf)));
    expect(files.map(({ path }) => path.replace(/\.ts$/, '')).filter((path) => !imported.has(path))).toEqual([]);
  });
});

function oursOf(imported: object): string[] {
  return 'ours' in imported ? [String(imported.ours)] : [];
}
