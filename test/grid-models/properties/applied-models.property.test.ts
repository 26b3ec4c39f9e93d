import fc from 'fast-check';
import type { CimFile } from '../../../subgraphs/grid-models/rdf/difference-model';
import { type AppliedCase, HAS_PYTHON, appliedByPython, appliedByRegister } from '../../support/applied-models';
import { differenceModelXml } from '../../support/grid-archives';
import { fullModelXml } from '../../support/grid-base-archives';
import { describeWithRealFiles, REAL_FILES } from '../../support/real-grid-models';

const describeWithPython = HAS_PYTHON ? describe : describe.skip;
if (!HAS_PYTHON) console.warn('python3 is not on the machine: applied models are not compared with it');
if (REAL_FILES.size === 0) console.warn('the real CIM files are not on the machine: tests with them are skipped');

const mRID = (number: number) => `0000000${number}-0000-4000-8000-00000000000a`;

/** Few objects, names and values, so that statements meet. */
const object = fc.integer({ min: 0, max: 5 }).map(mRID);
const statement = fc.oneof(
  fc
    .tuple(fc.constantFrom('cim:ACLineSegment.r', 'cim:IdentifiedObject.name'), fc.constantFrom('1', '2', ''))
    .map(([name, value]) => `<${name}>${value}</${name}>`),
  fc
    .tuple(object, fc.constantFrom('#_', 'urn:uuid:', '#_up'))
    .map(
      ([target, form]) =>
        `<cim:Terminal.ConductingEquipment rdf:resource="${form === '#_up' ? `#_${target.toUpperCase()}` : form + target}"/>`,
    ),
  fc
    .constantFrom('A', 'ABC')
    .map((code) => `<cim:Terminal.phases rdf:resource="http://iec.ch/TC57/CIM100#PhaseCode.${code}"/>`),
);
const type = fc.constantFrom('cim:ACLineSegment', 'cim:Breaker');
const body = fc.array(statement, { maxLength: 4 }).map((statements) => statements.join(''));
const whole = fc.tuple(type, object, body).map(([name, id, text]) => ({
  id,
  text: `<${name} rdf:ID="_${id}">${text}</${name}>`,
}));
const part = fc.tuple(fc.oneof(type, fc.constant('rdf:Description')), object, body).map(([name, id, text]) => ({
  id: undefined,
  text: `<${name} rdf:about="#_${id}">${text}</${name}>`,
}));
/** An `rdf:ID` occurs once in a section. */
const items = fc
  .array(fc.oneof(whole, part), { maxLength: 6 })
  .map((all) => all.filter(({ id }, index) => id === undefined || all.findIndex((each) => each.id === id) === index))
  .map((all) => all.map(({ text }) => text).join(''));

const full = (file: CimFile) => items.map((text) => fullModelXml(file, text));
const difference = (file: CimFile) =>
  fc.record({ reverse: items, forward: items }).map((sections) => differenceModelXml(file, sections));
const cases: fc.Arbitrary<AppliedCase> = fc.record({
  base: fc.record({ EQ: full('EQ'), SC: full('SC'), GL: full('GL') }),
  project: fc.record({ EQ: difference('EQ'), SC: difference('SC'), GL: difference('GL') }),
});

describeWithPython('A base model after a project', () => {
  it('has the statements, and the findings, that an independent script computes', () => {
    const sample = fc.sample(cases, 1_000);
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

const text = (name: string) => String(REAL_FILES.get(name));

/** The items of a section of a real difference model, as text. */
function sectionOf(name: string, section: 'forward' | 'reverse'): string {
  const element = `dm:${section}Differences`;
  return new RegExp(`<${element}[^>]*>([^]*)</${element}>`).exec(text(name))?.[1] ?? '';
}

const TELEMARK = (): AppliedCase['base'] => ({
  EQ: text('Telemark-120-MV1_EQ.xml'),
  SC: text('Telemark-120-MV1_SC.xml'),
  GL: text('Telemark-120-MV1_GL.xml'),
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
          EQ: text('MicroGrid-NL-MAS-EQ_diff.xml'),
          SC: text('FullGrid_SC_diff.xml'),
          GL: text('MicroGrid-NL-MAS-GL_diff.xml'),
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
          EQ: text('MicroGrid-NL-MAS-EQ_diff.xml'),
          SC: text('FullGrid_SC_diff.xml'),
          GL: text('MicroGrid-NL-MAS-GL_diff.xml'),
        },
      }),
      'missing-statement',
      // Statements of the reverse sections (README of the files), and the classes of whole objects.
      346 +
        2 +
        99 +
        wholeObjects('MicroGrid-NL-MAS-EQ_diff.xml', 'MicroGrid-NL-MAS-GL_diff.xml', 'FullGrid_SC_diff.xml'),
    ],
    [
      'the removal of a tenth of a grid, and of half the short-circuit data',
      () => {
        const eq = objectsOf('Telemark-120-MV1_EQ.xml').filter((_, index) => index % 10 === 3);
        const sc = objectsOf('Telemark-120-MV1_SC.xml').filter((_, index) => index % 2 === 0);
        return {
          base: TELEMARK(),
          project: {
            EQ: differenceModelXml('EQ', { reverse: eq.join('') }),
            SC: differenceModelXml('SC', { reverse: sc.join(''), forward: sc.join('').replaceAll('>0.', '>1.') }),
          },
        };
      },
      'missing-statement',
      0,
    ],
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

/** The objects of a real full model, as text. */
function objectsOf(name: string): string[] {
  return REAL_FILES.has(name) ? (text(name).match(/<(cim:\w+) rdf:(ID|about)=[^]*?<\/\1>/g) ?? []) : [];
}
