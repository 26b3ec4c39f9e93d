import { GraphQLError } from 'graphql';
import pino from 'pino';
import { formatError } from '../../../subgraphs/server/observability/failures';

const TRANSACTION = `tid_${'0'.repeat(24)}`;

describe('An internal error', () => {
  it('is one line of the log for each transaction and field, with the number of failed list entries', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const failed = (path: (string | number)[]) =>
      new GraphQLError('broken', { path, originalError: new Error('broken') });
    const entries = Array.from({ length: 500 }, (_, index) => failed(['records', 'nodes', index, 'dataUser']));
    const answered = [...entries, failed(['records', 'totalCount'])].map((error) =>
      formatError(error, logger, TRANSACTION),
    );
    formatError(failed(['records', 'nodes', 0, 'dataUser']), logger, `tid_${'1'.repeat(24)}`);
    expect(answered[499]).toMatchObject({
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
});
