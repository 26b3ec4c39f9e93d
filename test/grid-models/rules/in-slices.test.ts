import { setImmediate } from 'node:timers/promises';
import { applyDifferences } from '../../../subgraphs/grid-models/base-models/apply-differences';
import { projectDifferences } from '../../../subgraphs/grid-models/base-models/project-differences';
import { inSlices } from '../../../subgraphs/server/in-slices';

describe('The end of an application of differences', () => {
  it('can be interrupted after each object', () => {
    const project = projectDifferences();
    const objects = ['a', 'b', 'c'];
    for (const mRID of objects)
      project.add('EQ', 'forward', { mRID, type: 'cim:Breaker', isObject: true, statements: [] });
    const written: string[] = [];
    const application = applyDifferences(project, {
      item: (_, item) => void written.push(item.mRID),
      finding: () => undefined,
    });
    const counts = [...application.end()].map(() => 0);
    expect(counts.length).toBeGreaterThanOrEqual(2 * objects.length);
    expect(written).toEqual(objects);
  });
});

describe('A series in slices', () => {
  it('lets the event loop run while its elements are computed', async () => {
    let ticks = 0;
    let isEnded = false;
    const turning = (async () => {
      for (; !isEnded; ticks += 1) await setImmediate();
    })();
    const passed: number[] = [];
    await inSlices(slow(20), (element) => passed.push(element));
    isEnded = true;
    await turning;
    expect(passed).toHaveLength(20);
    expect(ticks).toBeGreaterThanOrEqual(20);
  });

  it('lets the event loop run as often while many series are computed at the same time', async () => {
    let ticks = 0;
    let isEnded = false;
    const turning = (async () => {
      for (; !isEnded; ticks += 1) await setImmediate();
    })();
    const passedInTick = new Map<number, number>();
    const count = () => void passedInTick.set(ticks, (passedInTick.get(ticks) ?? 0) + 1);
    await Promise.all(Array.from({ length: 20 }, () => inSlices(slow(3), count)));
    isEnded = true;
    await turning;
    expect([...passedInTick.values()].reduce((sum, each) => sum + each)).toBe(60);
    expect(Math.max(...passedInTick.values())).toBeLessThanOrEqual(2);
  });
});

/** Yields numbers, each after more than a slice of computing. */
function* slow(count: number): Generator<number> {
  for (let number = 0; number < count; number += 1) {
    const begin = performance.now();
    while (performance.now() - begin < 2);
    yield number;
  }
}
