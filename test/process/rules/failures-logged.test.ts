import { GraphQLError } from 'graphql';
import pino from 'pino';
import { logError } from '../../../subgraphs/server/observability/error-log';
import { errorFields, formatError, logConsole } from '../../../subgraphs/server/observability/failures';

const TRANSACTION = `tid_${'0'.repeat(24)}`;

describe('An error that the database causes', () => {
  const logged = () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    return { logger, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  };

  it.each([
    ['no free connection', new Error('timeout exceeded when trying to connect')],
    ['unreachable', new Error('Connection terminated due to connection timeout')],
    ['unreachable', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['57014', Object.assign(new Error('canceling statement'), { code: '57014' })],
  ])('is logged once with the fault "%s", then counted', (fault, error) => {
    jest.useFakeTimers();
    try {
      const { logger, entries } = logged();
      for (let times = 0; times < 3; times += 1)
        logError(logger, 'error', error, { failure: errorFields(error) }, 'background work failed');
      expect(entries()).toMatchObject([{ fault, msg: 'background work failed' }]);
      jest.advanceTimersByTime(10_000);
      expect(entries()[1]).toMatchObject({ fault, repeats: 2, msg: 'fault repeated' });
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['warn', 40],
    ['error', 50],
  ] as const)('is counted in a line of the most severe level of the repeats: %s', (mostSevere, level) => {
    jest.useFakeTimers();
    try {
      const { logger, entries } = logged();
      const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      for (const each of ['warn', mostSevere, 'warn'] as const) logError(logger, each, error, {}, 'work failed');
      jest.advanceTimersByTime(10_000);
      expect(entries()).toMatchObject([{ level: 40 }, { level, repeats: 2 }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is distinguished from all others, which are logged each time without a fault', () => {
    const { logger, entries } = logged();
    for (let times = 0; times < 2; times += 1) logError(logger, 'warn', new TypeError('x'), {}, 'job failed');
    expect(entries().map(({ msg, fault }) => [msg, fault])).toEqual([
      ['job failed', undefined],
      ['job failed', undefined],
    ]);
  });
});

describe('An internal error', () => {
  it('is one line of the log for each transaction and field, with the number of failed list entries', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const failed = (path: (string | number)[]) =>
      new GraphQLError('broken', { path, originalError: new Error('broken') });
    const entries = Array.from({ length: 500 }, (_, index) => failed(['records', 'nodes', index, 'dataUser']));
    const formatted = [...entries, failed(['records', 'totalCount'])].map((error) =>
      formatError(error, logger, TRANSACTION),
    );
    formatError(failed(['records', 'nodes', 0, 'dataUser']), logger, `tid_${'1'.repeat(24)}`);
    expect(formatted[499]).toMatchObject({
      path: ['records', 'nodes', 499, 'dataUser'],
      extensions: { code: 'SYS001' },
    });
    await Promise.resolve();
    const entriesLogged = lines
      .map((line) => JSON.parse(line))
      .map((line) => [line['transaction-id'][4], line.place, line.count]);
    expect(entriesLogged).toEqual([
      ['0', 'records.nodes.*.dataUser', 500],
      ['0', 'records.totalCount', 1],
      ['1', 'records.nodes.*.dataUser', 1],
    ]);
    formatError(failed(['records', 'totalCount']), logger, TRANSACTION);
    await Promise.resolve();
    expect(lines).toHaveLength(4);
  });

  it.each([
    ['dependency unavailable', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['internal error', new TypeError('broken')],
  ])('is logged without an alias that may contain a key (%s)', async (message, originalError) => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const key = `ak_${'0'.repeat(24)}`;
    formatError(
      new GraphQLError('failed', { path: [key, 'versions', 0, 'm1012345678'], originalError }),
      logger,
      TRANSACTION,
    );
    await Promise.resolve();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ place: '?.versions.*.?', msg: message }]);
  });
});

describe('What a library prints to the standard error', () => {
  const { trace, error, warn } = console;
  afterEach(() => void Object.assign(console, { trace, error, warn }));

  it('is one line of the log for each call, without the message of an error, which may quote a value', () => {
    const lines: string[] = [];
    logConsole(pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }));
    console.trace(Object.assign(new Error('key (mpxn)=(1012345678)\nexists'), { code: '23505' }));
    console.error('attempt 1 failed:', new TypeError('1012345678'));
    console.warn('a pool has no error handlers');
    expect(lines.every((line) => /^\{.*\}\n$/.test(line))).toBe(true);
    expect(lines.join('')).not.toContain('1012345678');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 50, failure: { kind: 'Error', code: '23505' }, msg: 'printed by a library' },
      { level: 50, report: 'attempt 1 failed:', failure: { kind: 'TypeError' } },
      { level: 40, report: 'a pool has no error handlers' },
    ]);
  });
});
