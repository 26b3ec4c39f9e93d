import { randomUUID } from 'node:crypto';
import { type SessionRevalidator, sessionRevalidator } from '../../../gateway/subscriptions/session-revalidator';
import type { ConnectionEnd } from '../../../gateway/subscriptions/connection-end';
import type { AccountState, AccountQueries } from '../../../gateway/subscriptions/session-queries';

const NOW = '2026-06-01T12:00:00.000Z';
const STATE: AccountState = {
  accountId: 'acc',
  active: true,
  role: 'ANALYST',
  duid: null,
  tokenSeries: null,
  now: NOW,
};
const CALLER = { accountId: 'acc', role: 'analyst', duid: null, mpid: null } as const;

const fail = (error: unknown): never => {
  throw error;
};

/** Returns a revalidator over accounts with the given states; the test decides when each query returns. */
function revalidatorOver(states: AccountState[], liveKeys: string[] = [], activeSuppliers: string[] = []) {
  const queries: { readonly accountIds: readonly string[]; respond(): void }[] = [];
  const accounts: AccountQueries = {
    states: (accountIds) =>
      new Promise((resolve) => void queries.push({ accountIds, respond: () => resolve([...states]) })),
    liveSupplierKeys: async (keyIds) => liveKeys.filter((live) => keyIds.includes(live)),
  };
  const suppliers = {
    active: async (mpids: readonly string[]) => activeSuppliers.filter((each) => mpids.includes(each)),
  };
  return { revalidator: sessionRevalidator(accounts, suppliers, fail), queries };
}

const connectionOf = (revalidator: SessionRevalidator, supplierKeyId: string | null = null) => {
  const ended: ConnectionEnd[] = [];
  const validity = { validFrom: new Date('2026-06-01T10:00:00.001Z'), expiresAt: new Date('2026-06-01T12:00:00.001Z') };
  const token = supplierKeyId === null ? { ...validity, series: null } : null;
  const stop = revalidator.add({ caller: CALLER, token, supplierKeyId, end: (reason) => void ended.push(reason) });
  return { ended, stop };
};

describe('A long-lived connection', () => {
  it.each<[string, AccountState[], ConnectionEnd[]]>([
    ['stays open while its account is unchanged', [STATE], []],
    ['ends when the account is not active', [{ ...STATE, active: false }], ['AUT001']],
    ['ends when the account no longer exists', [], ['AUT001']],
    ['ends when the account has another role', [{ ...STATE, role: 'ADMIN' }], ['AUT001']],
    ['ends when the account has another Data User', [{ ...STATE, duid: `duid_${'0'.repeat(24)}` }], ['AUT001']],
    ['ends when its token is revoked', [{ ...STATE, tokenSeries: randomUUID() }], ['AUT001']],
    [
      'ends at the instant at which its token expires by the clock of the register',
      [{ ...STATE, now: '2026-06-01T12:00:00.001Z' }],
      ['AUT002'],
    ],
    [
      'ends when the clock of the register is set back to before its token was issued',
      [{ ...STATE, now: '2026-06-01T09:58:00.000Z' }],
      ['AUT001'],
    ],
  ])('%s', async (_, states, expected) => {
    const { revalidator, queries } = revalidatorOver(states);
    const { ended, stop } = connectionOf(revalidator);
    const check = revalidator.check();
    queries[0]?.respond();
    await check;
    stop();
    expect(ended).toEqual(expected);
  });

  it.each([
    ['stays open while its supplier is active in the register', ['SUPA'], 0],
    ['is notified once the supplier is not active, regardless of its account', ['SUPB'], 1],
  ])('%s', async (_, active, calls) => {
    const { revalidator } = revalidatorOver([STATE], [], active);
    const [onInactive, end] = [jest.fn(), jest.fn()];
    const supplier = { mpid: 'SUPA', onInactive };
    const stop = revalidator.add({ caller: CALLER, token: null, supplierKeyId: null, supplier, end });
    await revalidator.checkSuppliers();
    stop();
    expect([onInactive.mock.calls.length, end.mock.calls.length]).toEqual([calls, 0]);
  });

  it.each<[string, string[], ConnectionEnd[]]>([
    ['stays open, without expiry or series, while its API key has not been replaced', ['key-1'], []],
    ['ends when its API key is replaced', ['key-2'], ['AUT003']],
  ])('%s', async (_, liveKeys, expected) => {
    const { revalidator, queries } = revalidatorOver(
      [{ ...STATE, tokenSeries: randomUUID(), now: '2036-06-01T12:00:00.000Z' }],
      liveKeys,
    );
    const { ended, stop } = connectionOf(revalidator, 'key-1');
    const check = revalidator.check();
    queries[0]?.respond();
    await check;
    stop();
    expect(ended).toEqual(expected);
  });

  it('is not ended by the result of a query that was sent before it opened', async () => {
    const { revalidator, queries } = revalidatorOver([]);
    const check = revalidator.check();
    const { ended, stop } = connectionOf(revalidator);
    queries[0]?.respond();
    await check;
    stop();
    expect(ended).toEqual([]);
  });
});

describe('A check of callers', () => {
  it('is not scheduled for a connection that opens after the close', () => {
    const scheduled = jest.spyOn(global, 'setInterval');
    const { revalidator } = revalidatorOver([STATE]);
    revalidator.close();
    connectionOf(revalidator).stop();
    expect(scheduled).not.toHaveBeenCalled();
    scheduled.mockRestore();
  });

  it('queries once for all connections of an account, after the call, and coalesces concurrent calls', async () => {
    const { revalidator, queries } = revalidatorOver([STATE]);
    const connections = [connectionOf(revalidator), connectionOf(revalidator)];
    const first = revalidator.check();
    const later = [revalidator.check(), revalidator.check()];
    expect(queries.map(({ accountIds }) => accountIds)).toEqual([['acc']]);
    queries[0]?.respond();
    await first;
    await new Promise((resolve) => void setImmediate(resolve));
    expect(queries).toHaveLength(2);
    queries[1]?.respond();
    await Promise.all(later);
    expect(queries).toHaveLength(2);
    for (const { stop } of connections) stop();
  });
});
