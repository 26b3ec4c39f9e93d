import { type WarningInputs, modelWarnings } from '../../../subgraphs/grid-models/difference-models/model-warnings';
import { addedProfiles, profilesWith } from '../../../subgraphs/grid-models/rdf/member-profiles';

const FACTS: WarningInputs = {
  ...{ file: 'EQ', mRID: 'm', created: '2026-05-01T00:00:00Z', isReused: false },
  ...{ dependentOn: ['base'], needsDependency: true, unpublished: [] },
};

describe('Warnings of a model', () => {
  it.each<[string, Partial<WarningInputs>, string[]]>([
    ['are none for a model without peculiarities', {}, []],
    ['are none for a time with any time zone', { created: '2026-05-01T00:00:00+01:00' }, []],
    ['report a time without time zone', { created: '2026-05-01T00:00:00.5' }, ['created-without-zone']],
    ['report a model that depends on no other', { dependentOn: [] }, ['no-dependency']],
    ['are none for a model that needs no other', { dependentOn: [], needsDependency: false }, []],
    [
      'report each unpublished model on which it depends',
      { dependentOn: ['a', 'b', 'c'], unpublished: ['a', 'c'] },
      ['unpublished-dependency', 'unpublished-dependency'],
    ],
    ['report an mRID that an earlier model has', { isReused: true }, ['reused-mrid']],
  ])('%s', (_, facts, kinds) => {
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
    [
      '{"EQ": [" http://a"], "SC": ["http://a "]}',
      ['EQ', 'SC'].map((each) => `${each} must be a list of absolute URIs`),
    ],
    ['[]', ['must contain a JSON object with lists of URIs under EQ, SC and GL']],
    [
      '{"EQ": "http://a", "TP": [], "GL": ["a"]}',
      ['EQ must be a list of absolute URIs', '"TP" is not one of EQ, SC, GL', 'GL must be a list of absolute URIs'],
    ],
  ])('are rejected with all violations if the variable is %j', (text, violations) => {
    expect(addedProfiles(text)).toEqual({ violations });
  });
});
