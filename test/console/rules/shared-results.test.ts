import { OperationError } from '../../../web/shared/operation-error';
import { sharedResults } from '../../../web/console/request/shared-results';

const LIMITS = { maxResults: 2, maxSize: 10, sizeOf: ({ text }: { readonly text: string }) => text.length };

/** A computation that ends when the test ends it, and counts its starts. */
class Computation {
  starts = 0;
  resolve: (result: { text: string }) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  private readonly ended = new Promise<{ text: string }>((resolve, reject) => Object.assign(this, { resolve, reject }));

  readonly compute = () => {
    this.starts += 1;
    return this.ended;
  };
}

describe('A result that requests share', () => {
  it('is computed once for concurrent and later requests', async () => {
    const shared = sharedResults(LIMITS);
    const map = new Computation();
    const requests = [shared('a', map.compute), shared('a', map.compute), shared('a', map.compute)];
    map.resolve({ text: 'map' });
    expect(await Promise.all(requests)).toEqual([{ text: 'map' }, { text: 'map' }, { text: 'map' }]);
    expect(await shared('a', map.compute)).toEqual({ text: 'map' });
    expect(map.starts).toBe(1);
  });

  it('is that of its key', async () => {
    const shared = sharedResults(LIMITS);
    const textOf = (key: string) => shared(key, async () => ({ text: key }));
    expect(await Promise.all(['a', 'b', 'a'].map(textOf))).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'a' }]);
  });

  it('fails for all requests that wait for it, and is computed again by the next one', async () => {
    const shared = sharedResults(LIMITS);
    const map = new Computation();
    const requests = Array.from({ length: 5 }, () => shared('a', map.compute));
    map.reject(new OperationError('SYS002'));
    const results = await Promise.allSettled(requests);
    expect([map.starts, results.map(({ status }) => status)]).toEqual([1, Array(5).fill('rejected')]);
    expect(await shared('a', async () => ({ text: 'map' }))).toEqual({ text: 'map' });
  });

  it('is computed by a request that waited for one whose rate limit was exhausted', async () => {
    const shared = sharedResults(LIMITS);
    const [failing, succeeding] = [new Computation(), new Computation()];
    const first = shared('a', failing.compute);
    const others = [shared('a', succeeding.compute), shared('a', succeeding.compute)];
    failing.reject(new OperationError('LIM002'));
    succeeding.resolve({ text: 'map' });
    await expect(first).rejects.toThrow('LIM002');
    expect(await Promise.all(others)).toEqual([{ text: 'map' }, { text: 'map' }]);
    expect([failing.starts, succeeding.starts]).toEqual([1, 1]);
  });

  it.each([
    ['more results than are cached', ['a', 'b', 'c']],
    ['larger results than are cached', ['eight...', 'eight more']],
  ])('is computed again after %s', async (_, keys) => {
    const shared = sharedResults(LIMITS);
    let starts = 0;
    for (const key of [...keys, keys[0] as string])
      await shared(key, async () => {
        starts += 1;
        return { text: key };
      });
    expect(starts).toBe(keys.length + 1);
  });
});
