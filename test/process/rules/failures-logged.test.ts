import { GraphQLError } from 'graphql';
import pino from 'pino';
import { presentable } from '../../../subgraphs/server/failures';

const TRANSACTION = `tid_${'0'.repeat(24)}`;

describe('A fault of the register', () => {
  it('is one line of the log for each transaction and place, with a count of the entries that it befell', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const failed = (path: (string | number)[]) =>
      new GraphQLError('broken', { path, originalError: new Error('broken') });
    const entries = Array.from({ length: 500 }, (_, index) => failed(['records', 'nodes', index, 'dataUser']));
    const answered = [...entries, failed(['records', 'totalCount'])].map((error) =>
      presentable(error, logger, TRANSACTION),
    );
    presentable(failed(['records', 'nodes', 0, 'dataUser']), logger, `tid_${'1'.repeat(24)}`);
    expect(answered[499]).toMatchObject({
      path: ['records', 'nodes', 499, 'dataUser'],
      extensions: { code: 'SYS001' },
    });
    await Promise.resolve();
    const facts = lines
      .map((line) => JSON.parse(line))
      .map((line) => [line['transaction-id'][4], line.place, line.count]);
    expect(facts).toEqual([
      ['0', 'records.nodes.*.dataUser', 500],
      ['0', 'records.totalCount', 1],
      ['1', 'records.nodes.*.dataUser', 1],
    ]);
    presentable(failed(['records', 'totalCount']), logger, TRANSACTION);
    await Promise.resolve();
    expect(lines).toHaveLength(4);
  });
});
