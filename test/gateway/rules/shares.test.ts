import { RegisterError } from '../../../schema/register-error';
import type { CallContext, Caller } from '../../../subgraphs/server/callers/caller';
import { ownerOf } from '../../../subgraphs/server/callers/resource-owner';
import { fairLimit } from '../../../subgraphs/server/fair-limit';

describe('The owner of a share of resources', () => {
  const of = (caller: Partial<Caller> | null, clientAddress = '192.0.2.1') =>
    ownerOf({ caller, clientAddress } as CallContext);
  const account = (more: Partial<Caller>): Partial<Caller> => ({ accountId: 'acc_1', duid: null, mpid: null, ...more });

  it.each([
    ['the Data User of an account', account({ role: 'data_user', duid: 'duid_1' }), 'duid_1'],
    ['the supplier of an account', account({ role: 'supplier', mpid: 'HRBR' }), 'HRBR'],
    ['an account of the back office', account({ role: 'analyst' }), 'acc_1'],
    ['the network of a client without an account', null, '192.0.2.1'],
  ] as const)('is %s', (_, caller, owner) => {
    expect(of(caller)).toBe(owner);
  });

  it('is an RTI User separately for each supplier, because each issues tokens for it', () => {
    const consumer = (mpid: string) => of(account({ role: 'consumer', accountId: 'usr_1', mpid }));
    expect(consumer('HRBR')).not.toBe(consumer('KSTR'));
  });

  it('is one client for all addresses of an IPv6 network', () => {
    expect(of(null, '2001:db8::1')).toBe(of(null, '2001:db8::2'));
  });
});

describe('A limit of concurrent calls', () => {
  it('starts a call after its caller has received the promise, also if it need not wait', async () => {
    const limited = fairLimit({ max: 1, maxOfOwner: 1 });
    let isCalling = true;
    const calls = [1, 2].map(() => limited('one', () => Promise.resolve(isCalling)));
    isCalling = false;
    expect(await Promise.all(calls)).toEqual([false, false]);
  });

  it('fails calls at once if their owner has too many that wait, and not those of others', async () => {
    const limited = fairLimit({
      max: Infinity,
      maxOfOwner: 1,
      maxWaitingOfOwner: 1,
      exceeded: () => new RegisterError('LIM002'),
    });
    let release = (): void => undefined;
    const running = limited('one', () => new Promise<void>((resolve) => (release = resolve)));
    const waiting = limited('one', () => Promise.resolve('ran'));
    const beyond = limited('one', () => Promise.resolve('ran')).catch(({ code }: RegisterError) => code);
    const ended: unknown[] = [];
    void beyond.then((outcome) => ended.push(outcome));
    expect(await limited('other', () => Promise.resolve('ran'))).toBe('ran');
    expect(ended).toEqual(['LIM002']);
    release();
    expect(await Promise.all([running, waiting, beyond])).toEqual([undefined, 'ran', 'LIM002']);
  });
});
