import { type WarningInputs, modelWarnings } from '../../../subgraphs/grid-models/difference-models/model-warnings';
import { addedProfiles, profilesWith } from '../../../subgraphs/grid-models/rdf/member-profiles';

const FACTS: WarningInputs = {
  ...{ file: 'EQ', mRID: 'm', created: '2026-05-01T00:00:00Z', isReused: false },
  ...{ dependentOn: ['base'], needsDependency: true, unpublished: [] },
};

describe('Warnings of a model', () => {
  it.each<[Partial<WarningInputs>, string[]]>([
    [{}, []],
    [{ created: '2026-05-01T00:00:00+01:00' }, []],
    [{ created: '2026-05-01T00:00:00.5' }, ['created-without-zone']],
    [{ dependentOn: [] }, ['no-dependency']],
    [{ dependentOn: [], needsDependency: false }, []],
    [{ dependentOn: ['a', 'b', 'c'], unpublished: ['a', 'c'] }, ['unpublished-dependency', 'unpublished-dependency']],
    [{ isReused: true }, ['reused-mrid']],
  ])('%j: %j', (facts, kinds) => {
    expect(modelWarnings({ ...FACTS, ...facts }).map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('Profiles of GRID_PROFILES', () => {
  it('are added to those of their member', () => {
    const uri = 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.1';
    const { EQ, SC } = profilesWith({ EQ: [uri] });
    expect([EQ.at(-1), EQ.length, SC]).toEqual([uri, 3, profilesWith().SC]);
  });

  it.each([
    ['', ['must contain a JSON object with lists of URIs under EQ, SC and GL']],
    ['[]', ['must contain a JSON object with lists of URIs under EQ, SC and GL']],
    [
      '{"EQ": "http://a", "TP": [], "GL": ["a"]}',
      ['EQ must be a list of absolute URIs', '"TP" is not one of EQ, SC, GL', 'GL must be a list of absolute URIs'],
    ],
  ])('%s is rejected with all violations', (text, violations) => {
    expect(addedProfiles(text)).toEqual({ violations });
  });
});
