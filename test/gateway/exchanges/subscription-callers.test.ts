import { type CallerWatch, callerWatch } from '../../../gateway/subscriptions/caller-watch';
import type { ConnectionEnd } from '../../../gateway/subscriptions/connection-end';
import type { AccountStanding, AccountStandings } from '../../../gateway/subscriptions/event-log';

const NOW = '2026-06-01T12:00:00.000Z';
const STANDING: AccountStanding = { accountId: 'acc', active: true, role: 'ANALYST', duid: null, now: NOW };
const CALLER = { accountId: 'acc', role: 'analyst', duid: null, mpid: null } as const;

const fail = (error: unknown): never => {
  throw error;
};

/** A watch over accounts whose standings are as told; each question is answered when the test says so. */
function watchOver(standings: AccountStanding[], liveKeys: string[] = [], activeSuppliers: string[] = []) {
  const asked: { readonly accountIds: readonly string[]; answer(): void }[] = [];
  const accounts: AccountStandings = {
    standings: (accountIds) =>
      new Promise((resolve) => void asked.push({ accountIds, answer: () => resolve([...standings]) })),
    liveSupplierKeys: async (keyIds) => liveKeys.filter((live) => keyIds.includes(live)),
  };
  const suppliers = {
    active: async (mpids: readonly string[]) => activeSuppliers.filter((each) => mpids.includes(each)),
  };
  return { watch: callerWatch(accounts, suppliers, fail), asked };
}

const watchedBy = (watch: CallerWatch, supplierKeyId: string | null = null) => {
  const ended: ConnectionEnd[] = [];
  const expiresAt = supplierKeyId === null ? new Date('2026-06-01T12:00:00.001Z') : null;
  const stop = watch.add({ caller: CALLER, expiresAt, supplierKeyId, end: (reason) => void ended.push(reason) });
  return { ended, stop };
};

describe('A connection that outlives its request', () => {
  it.each<[string, AccountStanding[], ConnectionEnd[]]>([
    ['goes on while its account is what it was', [STANDING], []],
    ['ends when the account is not active', [{ ...STANDING, active: false }], ['AUT001']],
    ['ends when the account does not exist any more', [], ['AUT001']],
    ['ends when the account has another role', [{ ...STANDING, role: 'ADMIN' }], ['AUT001']],
    ['ends when the account has another Data User', [{ ...STANDING, duid: `duid_${'0'.repeat(24)}` }], ['AUT001']],
    [
      'ends at the instant at which its token expires by the clock of the register',
      [{ ...STANDING, now: '2026-06-01T12:00:00.001Z' }],
      ['AUT002'],
    ],
  ])('%s', async (_, standings, expected) => {
    const { watch, asked } = watchOver(standings);
    const { ended, stop } = watchedBy(watch);
    const check = watch.check();
    asked[0]?.answer();
    await check;
    stop();
    expect(ended).toEqual(expected);
  });

  it.each([
    ['goes on while the supplier that it tells is active in the register', ['SUPA'], 0],
    ['is told once the supplier is not active, whatever its account is', ['SUPB'], 1],
  ])('%s', async (_, active, told) => {
    const { watch } = watchOver([STANDING], [], active);
    const [notActive, end] = [jest.fn(), jest.fn()];
    const supplier = { mpid: 'SUPA', notActive };
    const stop = watch.add({ caller: CALLER, expiresAt: null, supplierKeyId: null, supplier, end });
    await watch.checkSuppliers();
    stop();
    expect([notActive.mock.calls.length, end.mock.calls.length]).toEqual([told, 0]);
  });

  it.each<[string, string[], ConnectionEnd[]]>([
    ['goes on, without end, while the API key that let it in has not been replaced', ['key-1'], []],
    ['ends when that API key was replaced', ['key-2'], ['AUT003']],
  ])('%s', async (_, liveKeys, expected) => {
    const { watch, asked } = watchOver([{ ...STANDING, now: '2036-06-01T12:00:00.000Z' }], liveKeys);
    const { ended, stop } = watchedBy(watch, 'key-1');
    const check = watch.check();
    asked[0]?.answer();
    await check;
    stop();
    expect(ended).toEqual(expected);
  });

  it('is not judged by an answer to a question that was asked before it came', async () => {
    const { watch, asked } = watchOver([]);
    const check = watch.check();
    const { ended, stop } = watchedBy(watch);
    asked[0]?.answer();
    await check;
    stop();
    expect(ended).toEqual([]);
  });
});

describe('A check of callers', () => {
  it('asks once for all connections of an account, and after it was called: together with others that were called meanwhile', async () => {
    const { watch, asked } = watchOver([STANDING]);
    const connections = [watchedBy(watch), watchedBy(watch)];
    const first = watch.check();
    const later = [watch.check(), watch.check()];
    expect(asked.map(({ accountIds }) => accountIds)).toEqual([['acc']]);
    asked[0]?.answer();
    await first;
    await new Promise((resolve) => void setImmediate(resolve));
    expect(asked).toHaveLength(2);
    asked[1]?.answer();
    await Promise.all(later);
    expect(asked).toHaveLength(2);
    for (const { stop } of connections) stop();
  });
});
