import type { DifferenceItem, Statement } from '../../../subgraphs/grid-models/rdf/difference-model';
import {
  differenceModelJsonWriter,
  itemJson,
  numberOf,
} from '../../../subgraphs/grid-models/rdf/difference-model-json';
import { EQ_HEADER } from '../../support/generated-grid-model';

const item = (...statements: Statement[]): DifferenceItem => ({ mRID: 'a', type: 'cim:X', isObject: true, statements });
const text = (name: string, value: string): Statement => ({ name, kind: 'text', value });
/** The header in the JSON view. */
const { supersedes: _, ...HEADER } = EQ_HEADER;
const NAME = 'cim:IdentifiedObject.name';
const DESCRIPTION = 'cim:IdentifiedObject.description';

describe('A number in the JSON view', () => {
  it.each([
    ['0', 0],
    ['-0.5', -0.5],
    ['0e-400', 0],
    ['2.3e-308', 2.3e-308],
    ['10.00', 10],
    ['1e3', 1000],
    ['1.5E-3', 0.0015],
    ['123456789012345', 123456789012345],
    ['0.000000000000000123456789012345', 1.23456789012345e-16],
    ['1.2345e+300', 1.2345e300],
  ])('is the value of the text %s', (written, number) => {
    expect(numberOf(written)).toBe(number);
  });

  it.each([
    ...['', ' 1', '1 ', '+1', '01', '-01', '.5', '5.', '1e', '1.e3', '0x10', '1,5', 'NaN', 'Infinity', '1_000', '१'],
    ...['1e999', '-1e999', '1234567890123456', '0.1234567890123456', '1.000000000000000', '1e-400', '1.23456789e-320'],
  ])('is no value of the text %j, which remains a text', (written) => {
    expect(numberOf(written)).toBeUndefined();
  });
});

describe('An item in the JSON view', () => {
  it('has name and description as fields instead of attributes, always as texts', () => {
    expect(itemJson(item(text(DESCRIPTION, 'a line'), text(NAME, '42'), text('cim:X.r', '42')))).toEqual({
      mRID: 'a',
      type: 'cim:X',
      name: '42',
      description: 'a line',
      attributes: { 'cim:X.r': 42 },
      associations: {},
    });
  });

  it('has values of enumerations as attributes and targets as associations, even with the same name', () => {
    const statements: Statement[] = [
      { name: 'cim:X.a', kind: 'enumeration', value: 'cim:PhaseCode.ABC' },
      { name: 'cim:X.a', kind: 'association', value: '1' },
    ];
    expect(itemJson(item(...statements))).toEqual({
      mRID: 'a',
      type: 'cim:X',
      attributes: { 'cim:X.a': 'cim:PhaseCode.ABC' },
      associations: { 'cim:X.a': '1' },
    });
  });

  it('has the last of repeated statements, and counts the others', () => {
    const to = (value: string): Statement => ({ name: 'cim:X.to', kind: 'association', value });
    const json = itemJson(
      item(to('1'), text(NAME, 'old'), to('2'), text('cim:X.r', '1'), text(NAME, 'new'), to('3'), text('cim:X.r', 'b')),
    );
    expect(json).toMatchObject({
      name: 'new',
      attributes: { 'cim:X.r': 'b' },
      associations: { 'cim:X.to': '3' },
      repeated: 4,
    });
  });
});

describe('The JSON view of a model', () => {
  const written = (sections: Readonly<Record<string, readonly DifferenceItem[]>>, header = true) => {
    const writer = differenceModelJsonWriter();
    const pieces = [writer.start(header ? { ...EQ_HEADER, supersedes: ['b'] } : null)];
    for (const [section, items] of Object.entries(sections)) {
      pieces.push(writer.section(section as 'forward' | 'reverse'));
      for (const each of items) pieces.push(writer.item(each));
    }
    return JSON.parse([...pieces, writer.end()].join('')) as unknown;
  };

  it('omits an absent section, and contains an empty one', () => {
    expect(written({})).toEqual({ header: HEADER });
    expect(written({ reverse: [] })).toEqual({ header: HEADER, reverseDifferences: [] });
    expect(written({}, false)).toEqual({ header: null });
  });

  it('has the header fields of the specification, and no other', () => {
    expect(Object.keys((written({}) as { header: object }).header)).toEqual([
      ...[
        'mRID',
        'created',
        'scenarioTime',
        'modelingAuthoritySet',
        'profile',
        'description',
        'version',
        'dependentOn',
      ],
    ]);
  });

  it('has the items of both sections', () => {
    const [one, two] = [item(text(NAME, '"1"')), item()];
    expect(written({ reverse: [one, two], forward: [two] })).toEqual({
      header: HEADER,
      reverseDifferences: [itemJson(one), itemJson(two)],
      forwardDifferences: [itemJson(two)],
    });
  });
});
