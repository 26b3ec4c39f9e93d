import pino from 'pino';
import { identityLinks } from '../../../subgraphs/access/identity-links/identity-link.client';
import type { CallContext } from '../../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../../subgraphs/server/graph/subgraph-link';
import { FACTS, recordOnContract } from '../../support/access-records';

const contextOf = (transactionId: string): CallContext => ({
  caller: null,
  service: null,
  transactionId,
  clientAddress: '192.0.2.7',
});

describe('Vouching for Identity Records', () => {
  const contexts: CallContext[] = [];
  const lines: string[] = [];
  let changes: object = {};
  const identity: SubgraphLink = {
    name: 'identity',
    execute: ({ variables }, context) => {
      contexts.push(context);
      const open = { id: 'id', duid: FACTS.duid, meterPointId: 'meter point', anonymised: false, closing: false };
      const link = { ...open, ...changes };
      return Promise.resolve({
        data: { identityRecordLinks: ((variables?.['refs'] ?? []) as string[]).map(() => link) },
      });
    },
  };
  const noProof = () => Promise.resolve(undefined);
  const links = identityLinks(
    identity,
    noProof,
    pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
  );
  const vouchFor = (...transactionIds: string[]) =>
    Promise.all(transactionIds.map((id) => links.vouchFor(recordOnContract(), FACTS.duid, contextOf(id))));
  beforeEach(() => {
    contexts.length = 0;
    changes = {};
    lines.length = 0;
  });

  it.each([
    [{ closing: true }, 'The Identity Record is closing: it will be anonymised.'],
    [{ closing: true, anonymised: true }, 'The Identity Record is anonymised.'],
    [{ anonymised: true, meterPointId: null }, 'The Identity Record is anonymised.'],
  ])('is rejected for %j, with the reason', async (state, message) => {
    changes = state;
    await expect(vouchFor('tid_one')).rejects.toMatchObject({ code: 'CNF003', message });
  });

  it('has the transaction id of a single request', async () => {
    await vouchFor('tid_one');
    expect(contexts).toEqual([{ ...contextOf('tid_one'), service: 'access', checkOnly: false }]);
    expect(lines).toEqual([]);
  });

  it('has the transaction id of one request with several concurrent registrations', async () => {
    await vouchFor('tid_one', 'tid_one');
    expect(contexts.map(({ transactionId }) => transactionId)).toEqual(['tid_one']);
  });

  it('has its own transaction id for several requests, which the log lists', async () => {
    await vouchFor('tid_one', 'tid_two');
    expect(contexts).toHaveLength(1);
    const [{ transactionId, clientAddress, service }] = contexts as [CallContext];
    expect([transactionId, clientAddress, service]).toEqual([
      expect.stringMatching(/^tid_[0-9a-f]{24}$/),
      '',
      'access',
    ]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      'transaction-id': transactionId,
      requests: ['tid_one', 'tid_two'],
    });
  });
});
