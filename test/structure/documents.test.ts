import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, validate } from 'graphql';
import { CloseCode } from 'graphql-ws';
import { UNREAD_TIMEOUT_MS } from '../../gateway/client/time-limits';
import { MAX_BODY_BYTES, USUAL_BODY_BYTES } from '../../gateway/requests/body-sender';
import { OPERATION_DEADLINE_MS } from '../../gateway/requests/deadline';
import { LIST_LENGTHS, READ_COSTS } from '../../gateway/requests/field-costs';
import { ASSUMED_LIST_LENGTH } from '../../gateway/requests/operation-cost';
import { MAX_AD_HOC } from '../../gateway/requests/concurrent-operations';
import { MAX_PAGES_OF_ACCOUNT } from '../../subgraphs/access/records/access-record.queries';
import { OPERATION_LIMITS, SUBSCRIPTION_LIMITS } from '../../gateway/requests/operation-limits';
import {
  CLOSE_FRAMES,
  INVALID_MESSAGE,
  MESSAGE_TOO_LONG,
  NOT_INITIALISED,
  OPERATION_ACTIVE,
  SLOW_CLIENT_TIMEOUT_MS,
  closeFrameFor,
} from '../../gateway/subscriptions/connection-end';
import { CONNECTION_LIMITS } from '../../gateway/subscriptions/open-connections';
import { MAX_CONCURRENT_EXECUTIONS_OF_OWNER } from '../../gateway/subscriptions/shared-results';
import { MAX_CONCURRENT_OPERATIONS } from '../../gateway/subscriptions/transports/running-operations';
import {
  MAX_FIRST_MESSAGE_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_OPERATION_ID_LENGTH,
} from '../../gateway/subscriptions/transports/socket-messages';
import { apiSchemaOf } from '../../gateway/supergraph';
import { generatedSchema } from '../../schema/generated-schema';
import { RegisterError } from '../../schema/register-error';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { BEARER_TOKEN_LIFETIME } from '../../subgraphs/server/callers/bearer-token';
import { USER_DOCUMENTS, codeBlocks } from '../support/documents';
import { productFiles, repositoryFiles, textOf, variablesRead } from './source-files';

const DOCUMENTS = [...USER_DOCUMENTS, 'CONTRIBUTING.md', 'CHANGELOG.md', 'THIRD-PARTY.md', 'subgraphs/README.md'];
const { scripts, version } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string>; version: string };

/** Variables that the product reads or sets but that are not settings. */
const OF_THE_SYSTEM = ['PATH', 'HOME', 'NODE_ENV', 'LC_ALL', 'APOLLO_TELEMETRY_DISABLED'];

describe('docs/settings.md', () => {
  it('explains every variable that the product reads, and no other', () => {
    const tables = textOf('docs/settings.md').split('## Variables')[1] ?? '';
    const explained = tables
      .split('\n')
      .map((line) => (line.startsWith('|') ? (line.split('|')[1] ?? '') : ''))
      .flatMap((names) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    const read = [...variablesRead()].filter((name) => !OF_THE_SYSTEM.includes(name));
    expect(explained.toSorted()).toEqual(read.toSorted());
  });
});

describe('docs/graphql.md', () => {
  const text = textOf('docs/graphql.md');

  it('states the limits of the gateway, and no other', () => {
    const { tokens, nameLength, depth, aliases, directives, variables, selections, pairs, cost } = OPERATION_LIMITS;
    const times = [OPERATION_DEADLINE_MS / 1_000, BEARER_TOKEN_LIFETIME].map((each) => `${number(each)} s`);
    expect(rowsOf(text, 'Limit').map(([, value]) => value)).toEqual([
      `${MAX_BODY_BYTES / 1_024 ** 2} MiB`,
      `${USUAL_BODY_BYTES / 1_024} KiB`,
      ...[1, tokens, nameLength, depth, aliases, directives, variables, selections, pairs, cost].map(number),
      ...[SUBSCRIPTION_LIMITS.text, SUBSCRIPTION_LIMITS.variables].map(number),
      ...times,
      ...[
        CONNECTION_LIMITS.account,
        CONNECTION_LIMITS.network,
        MAX_CONCURRENT_OPERATIONS,
        MAX_CONCURRENT_EXECUTIONS_OF_OWNER,
        MAX_AD_HOC,
        MAX_PAGES_OF_ACCOUNT,
      ].map(number),
      ...[MAX_MESSAGE_BYTES, MAX_FIRST_MESSAGE_BYTES].map((each) => `${each / 1_024} KiB`),
      number(MAX_OPERATION_ID_LENGTH),
      ...[SLOW_CLIENT_TIMEOUT_MS, UNREAD_TIMEOUT_MS].map((each) => `${each / 1_000} s`),
    ]);
    expect(text).toContain(`${ASSUMED_LIST_LENGTH} for a list without them`);
  });

  it('states the fields whose cost or number of entries differs, and no other', () => {
    const fields = new Set([...Object.keys(READ_COSTS), ...Object.keys(LIST_LENGTHS)]);
    expect(rowsOf(text, 'Field').toSorted()).toEqual(
      [...fields]
        .map((each) => [`\`${each}\``, String(READ_COSTS[each] ?? ''), String(LIST_LENGTHS[each] ?? '')])
        .toSorted(),
    );
  });

  it('explains every code with which the register closes a WebSocket, and no other', () => {
    const rejections = [new RegisterError('SYS001'), new RegisterError('SYS002')].map(closeFrameFor);
    const ofMessages = [INVALID_MESSAGE, NOT_INITIALISED, MESSAGE_TOO_LONG, OPERATION_ACTIVE];
    const frames = [...Object.values(CLOSE_FRAMES), ...ofMessages, ...rejections];
    const ofLibrary = CloseCode.SubprotocolNotAcceptable;
    const codes = [...new Set([...frames.map(({ code }) => code), ofLibrary].map(String))];
    expect(rowsOf(text, 'Code').map(([code]) => code)).toEqual(codes.toSorted());
  });
});

/** Returns the cells of the table whose first heading is given, row by row. */
function rowsOf(text: string, heading: string): string[][] {
  const table = new RegExp(`^\\| ${heading} [^]*?\\n(?!\\|)`, 'm').exec(text)?.[0] ?? '';
  const [, , ...rows] = table.trim().split('\n');
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const number = (value: number) => value.toLocaleString('en');

describe('docs/threats-contacts.md', () => {
  const CONTESTS = 'test/identity/database/chapters/contests.ts';
  const attacks = textOf('docs/threats-contacts.md')
    .split('\n')
    .flatMap((line) => (/^\|(?! -)(.+\|){3}$/.test(line) ? [line.split('|').map((cell) => cell.trim())] : []))
    .filter(([, attack]) => attack !== 'Attack')
    .map(([, attack, , tests = '']) => ({ attack, tests }));

  it.each(attacks)('names tests that exist against: $attack', ({ tests }) => {
    const titles = [...tests.matchAll(/"([^"]+)"/g)].map(([, title]) => title ?? '');
    const named = [...tests.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? '');
    const texts = (named.length > 0 ? named : [CONTESTS]).map(textOf);
    expect(titles).not.toEqual([]);
    expect(titles.filter((title) => !texts.some((text) => text.includes(title)))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('names only metrics and log lines of the product to alert on', () => {
    const [, monitor = ''] = /^## Monitor\n([^]*?)^## /m.exec(textOf('docs/operations.md')) ?? [];
    const metrics = [...monitor.matchAll(/`(?:tariff_)?(\w+_(?:seconds|total|pending))`/g)].map(([, name]) => name);
    const lines = [...monitor.matchAll(/log line `([^`]+)`/g)].map(([, line]) => line);
    expect([metrics.length, lines.length]).toEqual([9, 2]);
    const texts = productFiles().map(({ text }) => text);
    expect([...metrics, ...lines].filter((each) => !texts.some((text) => text.includes(String(each))))).toEqual([]);
  });

  it('passes the login of the owner to commands in a file: cron logs command lines, and a shell stores them', () => {
    const blocks = (['bash', 'sh'] as const).flatMap((language) => codeBlocks('docs/operations.md', language));
    const commands = blocks.flatMap((block) => block.split('\n')).filter((line) => /\b(node|npm run) /.test(line));
    expect(commands.filter((line) => /:\/\/|_URL=|PASSWORD=/.test(line))).toEqual([]);
    const ofOwner = commands.filter((line) => /(migrate|backup)\.js/.test(line));
    expect(ofOwner.length).toBeGreaterThan(4);
    const files = 'node --env-file=.env --env-file=owner.env dist/';
    expect(ofOwner.filter((line) => !line.startsWith(files))).toEqual([]);
  });

  it('has a command that deletes all complete backups of the register but the newest seven', () => {
    const root = mkdtempSync(join(tmpdir(), 'register-backups-'));
    const names = Array.from({ length: 10 }, (_, day) => `202611${11 + day}T031500.000Z`);
    for (const name of [...names, 'incomplete']) mkdirSync(join(root, 'register', name), { recursive: true });
    for (const name of names) writeFileSync(join(root, 'register', name, 'manifest.json'), '{}');
    const [command = ''] = codeBlocks('docs/operations.md', 'sh').filter((block) => block.includes('manifest.json'));
    const run = () => spawnSync('bash', ['-c', command.replaceAll('<folder>', root)]).status;
    try {
      expect([run(), run()]).toEqual([0, 0]);
      expect(readdirSync(join(root, 'register')).toSorted()).toEqual([...names.slice(3), 'incomplete']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('README.md', () => {
  it('has fewer than 80 lines', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThan(80);
  });
});

/** Removes the angle brackets of placeholders such as `<folder>`. */
const withoutPlaceholders = (commands: string) => commands.replace(/<(\w+)>/g, '$1');

describe.each(USER_DOCUMENTS)('The code blocks of %s', (document) => {
  it('are commands that bash can parse', () => {
    const blocks = [...codeBlocks(document, 'bash'), ...codeBlocks(document, 'sh').map(withoutPlaceholders)];
    const failures = blocks.filter((input) => spawnSync('bash', ['-n'], { input }).status !== 0);
    expect(failures).toEqual([]);
  });

  it('are operations that are valid against the schema', () => {
    const schema = apiSchemaOf(generatedSchema().supergraphSdl);
    expect(codeBlocks(document, 'graphql').flatMap((operation) => validate(schema, parse(operation)))).toEqual([]);
  });

  it('are in a language that these tests check', () => {
    const languages = [...textOf(document).matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    expect(languages.filter((language) => !['bash', 'sh', 'js', 'graphql', 'sql'].includes(language ?? ''))).toEqual(
      [],
    );
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = textOf(document);
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, each]) => each ?? '');

  it('names only scripts that exist', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names only files that exist', () => {
    const known = [...repositoryFiles(), ...productFiles().map(({ path }) => dirname(path))];
    const paths = quoted.filter(
      (each) => /^(\w|\.\w+\/)[\w.-]*(\/[\w.-]+)*\/?$/.test(each) && /\/|\w\.(ts|md|yml|yaml|json)$/.test(each),
    );
    const missing = paths.filter((path) => {
      const stands =
        existsSync(join(REPOSITORY_ROOT, path)) || existsSync(join(REPOSITORY_ROOT, dirname(document), path));
      return !stands && !known.some((file) => `${file}/`.includes(`/${path.replace(/\/$/, '')}/`));
    });
    expect(missing.filter((path) => !MADE_WHEN_RUNNING.test(path))).toEqual([]);
  });
});

/** Files that an installation or a start creates; they are not in the repository. */
const MADE_WHEN_RUNNING =
  /^(\.data|dist|node_modules)(\/|$)|^(sandbox|manifest|anonymised)\.json$|^\.env$|^docker-compose\.override\.yml$/;

describe('docs/decisions-a-b.md and docs/decisions-c-d.md', () => {
  it('have every section that a comment cites', () => {
    const headings = ['docs/decisions-a-b.md', 'docs/decisions-c-d.md'].flatMap((document) =>
      [...textOf(document).matchAll(/^## (\d+|[CD]\.\d)\b/gm)].map(([, section]) => section),
    );
    const cited = productFiles().flatMap(({ path, text }) =>
      [...text.matchAll(/decisions (?:A\/B, (\d+)|(?:C\/D, )?([CD]\.\d))/g)].map(
        ([, numbered, lettered]) => [path, numbered ?? lettered] as const,
      ),
    );
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(([, section]) => !headings.includes(section))).toEqual([]);
  });
});

describe('CHANGELOG.md', () => {
  it('describes the version of this package', () => {
    expect(textOf('CHANGELOG.md')).toContain(`## [${version}] - `);
  });
});

describe('npm start', () => {
  it('replaces npm with the register by `exec`, so that a signal to npm ends it', () => {
    expect(scripts['start']).toMatch(/&& exec node dist\/process\/main\.js$/);
  });
});
