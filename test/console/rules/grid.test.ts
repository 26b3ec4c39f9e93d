import { modelCards } from '../../../web/console/grid/model-cards';
import { objectFilterOf } from '../../../web/console/grid/object-filter';
import {
  comparisonPage,
  filePath,
  objectPage,
  projectOfAddress,
  projectPage,
  versionOfAddress,
} from '../../../web/console/grid/project-address';
import { projectFilterOf } from '../../../web/console/grid/project-list';
import type { GridModel } from '../../../web/console/grid/operation-results';
import { differenceOf, valueRows } from '../../../web/console/grid/value-rows';
import { fileSize, quantity, utcMinute } from '../../../web/console/format';
import { breakable, cimName, className, publicationName } from '../../../web/console/grid/labels';
import { problemOf } from '../../../web/console/request/problems';
import { withQuery } from '../../../web/console/request/query';
import { OperationError } from '../../../web/shared/operation-error';

const project = { licenceArea: { code: 'EPN' }, publicationYear: 2026, period: '01', projectId: 'Thetford-33kV' };

describe('addresses of the grid pages', () => {
  it('contain the project key of Interface C', () => {
    expect(projectPage(project)).toBe('/grid/EPN/2026/01/Thetford-33kV');
    expect(projectOfAddress({ area: 'EPN', year: '2026', period: '01', projectId: 'Thetford-33kV' })).toEqual({
      area: 'EPN',
      publicationYear: 2026,
      period: '01',
      projectId: 'Thetford-33kV',
    });
    expect(comparisonPage(project, 1, 2)).toBe('/grid/EPN/2026/01/Thetford-33kV/compare?from=1&to=2');
  });

  it.each([
    ['a malformed year', { year: '26' }],
    ['an unknown cycle', { period: '03' }],
    ['a malformed identifier', { projectId: '-x' }],
    ['an identifier that is too long', { projectId: 'x'.repeat(25) }],
  ])('are rejected for %s', (_, part) => {
    expect(projectOfAddress({ area: 'EPN', year: '2026', period: '01', projectId: 'A', ...part })).toBeUndefined();
  });

  it('preserve an mRID of any characters', () => {
    expect(objectPage(project, 2, 'a/b?c#d')).toBe('/grid/EPN/2026/01/Thetford-33kV/objects/a%2Fb%3Fc%23d?version=2');
  });

  it('link to the files of one version at Interface C', () => {
    const query = 'licenceArea=EPN&publicationYear=2026&period=01&version=2';
    const path = '/grid-modelling/stage3/development-projects/Thetford-33kV';
    expect(filePath(project, 2, 'EQ.xml')).toBe(`${path}/EQ.xml?${query}`);
    expect(filePath(project, 2)).toBe(`${path}?${query}`);
  });

  it.each([
    ['the version 1', '1', 1],
    ['the version 12', '12', 12],
    ['no version', '0', undefined],
    ['no version', '01', undefined],
    ['no version', '1.5', undefined],
    ['no version', '9999999999', undefined],
    ['no version', ['1', '2'], undefined],
    ['no version', undefined, undefined],
  ])('contain %s if their parameter is %p', (_, text, version) => {
    expect(versionOfAddress(text)).toBe(version);
  });
});

describe('filters of the grid pages', () => {
  it('of objects accept known values and ignore others', () => {
    expect(objectFilterOf({ kind: 'ADDED', type: 'cim:Breaker', search: ' T1 ' })).toEqual({
      kind: 'ADDED',
      type: 'cim:Breaker',
      search: 'T1',
    });
    const nothing = { kind: undefined, type: undefined, search: undefined };
    expect(objectFilterOf({ kind: 'added', type: '', search: '  ' })).toEqual(nothing);
    expect(objectFilterOf({ kind: ['ADDED', 'REMOVED'], type: ['a', 'b'], search: ['c'] })).toEqual(nothing);
    expect(objectFilterOf({ search: 'x'.repeat(1000) }).search).toHaveLength(512);
  });

  it('of projects accept areas, years and the two publications', () => {
    expect(projectFilterOf({ area: 'EPN', year: '2026', period: '02' })).toEqual({
      area: 'EPN',
      publicationYear: 2026,
      period: '02',
    });
    const nothing = { area: undefined, publicationYear: undefined, period: undefined };
    expect(projectFilterOf({ area: '', year: 'soon', period: 'toString' })).toEqual(nothing);
  });

  it('are escaped in the address of the next page', () => {
    expect(withQuery('/grid', { area: 'EPN', year: undefined, after: 'a=b&c' })).toBe('/grid?area=EPN&after=a%3Db%26c');
    expect(withQuery('/grid', { area: undefined })).toBe('/grid');
  });
});

describe('a problem page', () => {
  const onward = (code: 'NTF001' | 'VAL003' | 'LIM002', address: string) =>
    problemOf(new OperationError(code), address).model?.['onward'];

  it.each(['/grid', '/grid?area=X', '/grid/EPN/2026/01/Unknown', '/grid/'])(
    'links to the list of projects, which is public, from %s',
    (address) => {
      for (const code of ['NTF001', 'VAL003', 'LIM002'] as const)
        expect(onward(code, address)).toEqual({ address: '/grid', name: 'Go to the development projects' });
    },
  );

  it.each(['/', '/gridlock', '/live/grid'])('links to the live page from %s', (address) => {
    expect(onward('NTF001', address)).toMatchObject({ address: '/' });
  });
});

describe('names and figures of the grid pages', () => {
  it.each([
    ['cim:ACLineSegment.r', { prefix: undefined, className: 'ACLineSegment', property: 'r' }],
    ['gb:Feeder.rating.max', { prefix: 'gb', className: 'Feeder', property: 'rating.max' }],
    ['cim:Substation', { prefix: undefined, className: 'Substation', property: undefined }],
    ['bare', { prefix: undefined, className: 'bare', property: undefined }],
  ])('%s is split into its parts', (name, parts) => {
    expect(cimName(name)).toEqual(parts);
  });

  it('of classes omit the prefix of CIM, and state if no file contains the class', () => {
    expect(className('cim:ACLineSegment')).toBe('ACLineSegment');
    expect(className('eu:BoundaryPoint')).toBe('eu:BoundaryPoint');
    expect(className('rdf:Description')).toBe('Class unknown');
    expect(breakable('ACLineSegment')).toEqual(['AC', 'Line', 'Segment']);
    expect(breakable('eu:IdentifiedObject').join('')).toBe('eu:IdentifiedObject');
  });

  it('are formatted for readers', () => {
    expect(publicationName(2026, '01')).toBe('May 2026');
    expect(publicationName(2026, '02')).toBe('November 2026');
    expect([0, 999, 1000, 126_400, 9_400_000].map(fileSize)).toEqual([
      '0 bytes',
      '999 bytes',
      '1.0 kB',
      '126 kB',
      '9.4 MB',
    ]);
    expect(quantity(1, 'item')).toBe('1 item');
    expect(quantity(1200, 'item')).toBe('1,200 items');
    expect(utcMinute('2028-11-01T00:00:00')).toBe('2028-11-01T00:00:00');
    expect(utcMinute('2028-11-01T00:00:00+01:00')).toBe('31 Oct 2028, 23:00 UTC');
    expect(utcMinute('in spring')).toBe('in spring');
  });
});

describe('values of an object', () => {
  const change = (before: string[], after: string[], part = {}) => ({
    ...{ file: 'EQ_XML' as const, name: 'cim:ACLineSegment.r', isAssociation: false, before, after },
    ...part,
  });

  it.each([
    ['grows', ['0.5'], ['0.75'], '+0.25 (+50 %)'],
    ['shrinks', ['0.1234'], ['0.0987'], '−0.0247 (−20 %)'],
    ['was nothing', ['0'], ['2'], '+2'],
    ['was negative', ['-4'], ['-2'], '+2 (+50 %)'],
    ['is small', ['1e-6'], ['3e-6'], '+0.000002 (+200 %)'],
    ['stays', ['1.0'], ['1'], undefined],
    ['is not a number', ['open'], ['closed'], undefined],
    ['has no number on one side', [], ['1'], undefined],
    ['has several', ['1', '2'], ['3'], undefined],
  ])('show the difference of a value that %s', (_, before, after, difference) => {
    expect(differenceOf(change(before, after))).toBe(difference);
  });

  it('are sorted by name, associations after attributes', () => {
    const rows = valueRows([
      change(['1'], ['2'], { isAssociation: true, name: 'cim:A.b' }),
      change(['1'], ['2'], { name: 'cim:C.d' }),
      change(['1'], ['2'], { name: 'cim:B.c', file: 'SC_XML' }),
    ]);
    expect(rows.map(({ fullName, file, difference }) => [fullName, file, difference])).toEqual([
      ['cim:B.c', 'SC.xml', '+1 (+100 %)'],
      ['cim:C.d', 'EQ.xml', '+1 (+100 %)'],
      ['cim:A.b', 'EQ.xml', undefined],
    ]);
  });
});

describe('the card of a file', () => {
  const model: GridModel = {
    file: 'SC_XML',
    stored: { name: 'SC.xml', size: 30_400 },
    header: {
      mRID: 'm',
      created: '2026-05-01T00:00:00Z',
      scenarioTime: '2028-11-01T00:00:00Z',
      modelingAuthoritySet: 'http://ltds.example/EPN',
      profile: ['http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0', 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.0'],
      description: '',
      version: '001',
      supersedes: [],
    },
    forwardDifferences: { items: 1, statements: 2 },
    reverseDifferences: null,
    preconditions: { nodes: [], totalCount: 0 },
    dependentOn: [
      { mRID: 'absent', baseModel: null, models: [] },
      { mRID: 'base', baseModel: { publicationYear: 2026, period: '01', version: 3 }, models: [] },
      { mRID: 'other', baseModel: null, models: [{ file: 'EQ_XML', projectVersion: { version: 1, project } }] },
    ],
  };

  it('shows the conditions on the base model', () => {
    const object = { mRID: 'n', type: 'rdf:Description', name: null, description: 'a node' };
    const attributes = [{ name: 'cim:Terminal.connected', value: 'true' }];
    const associations = [{ name: 'cim:Terminal.ConnectivityNode', target: 'c' }];
    const preconditions = {
      nodes: [
        { ...object, attributes, associations },
        { ...object, mRID: 'm', name: 'North', description: null, attributes: [], associations: [] },
      ],
      totalCount: 30,
    };
    const [card] = modelCards(project, { version: 2, models: [{ ...model, preconditions }] });
    expect(card?.preconditions).toMatchObject({ total: '30 objects', listed: '2' });
    expect(card?.preconditions?.objects).toMatchObject([
      {
        mRID: 'n',
        className: 'Class unknown',
        statements: [
          { fullName: 'cim:IdentifiedObject.description', value: 'a node' },
          { value: 'true' },
          { value: 'c' },
        ],
      },
      { mRID: 'm', statements: [{ fullName: 'cim:IdentifiedObject.name', value: 'North' }] },
    ]);
  });

  it('shows sections, profiles and the models on which it depends, published or not', () => {
    const [card] = modelCards(project, { version: 2, models: [model] });
    expect(card).toMatchObject({ letters: 'SC', subject: 'Short circuit', forward: '1 item, 2 statements' });
    expect(card?.reverse).toBe('no such section');
    expect(card?.header.profiles.map(({ name }) => name)).toEqual(['ShortCircuit-EU/3.0', 'LTDS/Equipment/6.0']);
    expect(card?.dependencies).toEqual([
      { mRID: 'absent', base: undefined, models: [] },
      { mRID: 'base', base: 'base model of May 2026, version 3', models: [] },
      {
        mRID: 'other',
        base: undefined,
        models: [
          { address: `${projectPage(project)}?version=1`, name: 'Thetford-33kV EQ.xml, EPN May 2026, version 1' },
        ],
      },
    ]);
  });
});
