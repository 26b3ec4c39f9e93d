import fc from 'fast-check';
import { APPLIED_CASES, TELEMARK, objectsOf, realText, removalOfATenth, sectionOf } from '../../support/applied-cases';
import { type AppliedCase, appliedByPython, appliedByRegister } from '../../support/applied-models';
import { HAS_PYTHON } from '../../support/python';
import { differenceModelXml } from '../../support/grid-archives';
import { fullModelXml } from '../../support/grid-base-archives';
import { describeWithRealFiles, REAL_FILES } from '../../support/real-grid-models';

const describeWithPython = HAS_PYTHON ? describe : describe.skip;
if (REAL_FILES.size === 0) console.warn('the real CIM files are not on the machine: tests with them are skipped');

describeWithPython('A base model after a project', () => {
  it('has the statements, and the findings, that an independent script computes', () => {
    const sample = fc.sample(APPLIED_CASES, 1_000);
    const expected = appliedByPython(sample);
    const kinds = new Set(expected.flatMap(({ findings }) => findings.map(([kind]) => kind)));
    expect(kinds.size).toBe(3);
    for (const [index, each] of sample.entries()) {
      const found = appliedByRegister(each);
      if (JSON.stringify(found) !== JSON.stringify(expected[index]))
        expect({ each, ...found }).toEqual({ each, ...expected[index] });
    }
  });
});

describeWithRealFiles('Real models', () => {
  (HAS_PYTHON ? it : it.skip).each([
    [
      'what ENTSO-E published as differences, applied to a base that holds what they delete',
      () => ({
        base: {
          EQ: fullModelXml('EQ', sectionOf('MicroGrid-NL-MAS-EQ_diff.xml', 'reverse')),
          SC: fullModelXml('SC', sectionOf('FullGrid_SC_diff.xml', 'reverse')),
          GL: fullModelXml('GL', sectionOf('MicroGrid-NL-MAS-GL_diff.xml', 'reverse')),
        },
        project: {
          EQ: realText('MicroGrid-NL-MAS-EQ_diff.xml'),
          SC: realText('FullGrid_SC_diff.xml'),
          GL: realText('MicroGrid-NL-MAS-GL_diff.xml'),
        },
      }),
      'missing-statement',
      0,
    ],
    [
      'the same differences, applied to another grid, which has none of it',
      () => ({
        base: TELEMARK(),
        project: {
          EQ: realText('MicroGrid-NL-MAS-EQ_diff.xml'),
          SC: realText('FullGrid_SC_diff.xml'),
          GL: realText('MicroGrid-NL-MAS-GL_diff.xml'),
        },
      }),
      'missing-statement',
      // Statements of the reverse sections (README of the files), and the classes of whole objects.
      346 +
        2 +
        99 +
        wholeObjects('MicroGrid-NL-MAS-EQ_diff.xml', 'MicroGrid-NL-MAS-GL_diff.xml', 'FullGrid_SC_diff.xml'),
    ],
    ['the removal of a tenth of a grid, and of half the short-circuit data', removalOfATenth, 'missing-statement', 0],
    [
      'a grid that is added to itself',
      () => ({
        base: TELEMARK(),
        project: { EQ: differenceModelXml('EQ', { forward: objectsOf('Telemark-120-MV1_EQ.xml').join('') }) },
      }),
      'added-twice',
      objectsOf('Telemark-120-MV1_EQ.xml').length,
    ],
  ] as const)('are applied as an independent script applies them: %s', (_, made, kind, count) => {
    const each: AppliedCase = made();
    const [expected] = appliedByPython([each]);
    const found = appliedByRegister(each);
    expect(found.statements.length).toBeGreaterThan(100);
    expect(found).toEqual(expected);
    expect(found.findings.filter(([found_]) => found_ === kind)).toHaveLength(count);
  });
});

/** Number of whole objects in the reverse sections of files. */
function wholeObjects(...names: string[]): number {
  return names.flatMap((name) => sectionOf(name, 'reverse').match(/ rdf:ID=/g) ?? []).length;
}
