import { placeOf, productSources, seededFaults } from '../seeded-faults/catalogue';
import { patternOf } from '../seeded-faults/test-run';
import { repositoryFiles, textOf } from './source-files';

const faults = seededFaults();
const sources = productSources();
const tests = repositoryFiles().filter((path) => path.endsWith('.test.ts'));

describe('the faults that `npm run test:seeded-faults` seeds', () => {
  it('are at least sixty, with unique names', () => {
    expect(faults.length).toBeGreaterThanOrEqual(60);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });

  it.each(faults)('$name: its text occurs once in the sources of the product', (fault) => {
    expect(placeOf(fault, sources)).toMatch(/\.\w+$/);
    expect(fault.instead).not.toBe(fault.text);
    expect(fault.breaks).toMatch(/\.$/);
  });

  it.each(faults)('$name: the tests that should detect it exist', ({ shown }) => {
    expect(shown.map(patternOf).filter(([paths, name]) => !tests.some((path) => isNamed(path, paths, name)))).toEqual(
      [],
    );
  });
});

const isNamed = (path: string, paths: string, name: string | undefined) =>
  new RegExp(paths).test(path) && (name === undefined || textOf(path).includes(`describe('${name}`));
