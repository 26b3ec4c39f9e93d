import { boundViolations } from '../../../rest-adapter/requests/body-bounds';

const MANY = Array.from({ length: 100_000 }, (_, index) => index);

/** Counts how many members of a list or an object are read. */
function counted(target: object) {
  const counts = { reads: 0 };
  const get = (from: object, name: string | symbol): unknown => {
    counts.reads += 1;
    return Reflect.get(from, name);
  };
  return { value: new Proxy(target, { get }), counts };
}

describe('A body with too many values', () => {
  it.each([
    ['a list', MANY],
    ['an object', Object.fromEntries(MANY.map((each) => [`n${each}`, each]))],
    ['names that cannot be stored', Object.fromEntries(MANY.map((each) => [`${each}\u0000`, each]))],
  ])('is not read further than the limit: %s', (_, target) => {
    const { value, counts } = counted(target);
    expect(boundViolations({ value })).toEqual([
      { code: 'VAL003', pointer: '', message: 'has more than 20000 values' },
    ]);
    expect(counts.reads).toBeLessThan(50_000);
  });
});
