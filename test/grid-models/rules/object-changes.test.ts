import {
  type CimFile,
  type DifferenceItem,
  type DifferenceSection,
  type Statement,
  typeStatement,
} from '../../../subgraphs/grid-models/rdf/difference-model';
import {
  type FiledItem,
  itemChanges,
  objectChange,
  valueChanges,
} from '../../../subgraphs/grid-models/changes/object-changes';

const text = (name: string, value: string): Statement => ({ name, kind: 'text', value });
const to = (name: string, value: string): Statement => ({ name, kind: 'association', value });
const filed = (file: CimFile, section: DifferenceSection, item: Partial<DifferenceItem>): FiledItem => ({
  file,
  section,
  item: { mRID: 'a', type: 'rdf:Description', isObject: false, statements: [], ...item },
});

describe('The change of an object', () => {
  const whole = { type: 'cim:ACLineSegment', isObject: true };

  it.each([
    ['added', 'whole in the forward differences', [filed('EQ', 'forward', whole)]],
    ['added', 'whole, with more of it in another file', [filed('EQ', 'forward', whole), filed('SC', 'forward', {})]],
    ['removed', 'whole in the reverse differences', [filed('EQ', 'reverse', whole)]],
    ['changed', 'whole in both', [filed('EQ', 'reverse', whole), filed('EQ', 'forward', whole)]],
    ['changed', 'whole nowhere', [filed('SC', 'forward', {})]],
    ['changed', 'whole without a class', [filed('EQ', 'forward', { isObject: true })]],
    [
      'removed',
      'whole in what is deleted, whole without a class in what is added',
      [filed('EQ', 'reverse', whole), filed('EQ', 'forward', { isObject: true })],
    ],
    ['added', 'by class and rdf:about, where nothing is deleted', [filed('EQ', 'forward', { type: 'cim:Fuse' })]],
    ['changed', 'by class and rdf:about in SC', [filed('SC', 'forward', { type: 'cim:Fuse' })]],
    [
      'changed',
      'by class and rdf:about, where something is deleted',
      [filed('SC', 'reverse', {}), filed('EQ', 'forward', { type: 'cim:Fuse' })],
    ],
    [
      'removed',
      'by rdf:type in what is deleted',
      [filed('EQ', 'reverse', { statements: [typeStatement('cim:Fuse')] })],
    ],
    [
      'changed',
      'by rdf:type in what is deleted from SC',
      [filed('SC', 'reverse', { statements: [typeStatement('cim:Fuse')] })],
    ],
    [
      'changed',
      'by rdf:type in what is deleted, and with another class in what is added',
      [
        filed('EQ', 'reverse', { statements: [typeStatement('cim:Fuse')] }),
        filed('EQ', 'forward', { type: 'cim:Breaker' }),
      ],
    ],
    [
      'changed',
      'whole in what is deleted, by class and rdf:about in what is added',
      [filed('EQ', 'reverse', whole), filed('EQ', 'forward', { type: 'cim:Fuse' })],
    ],
    ['changed', 'by class and rdf:about in what is deleted', [filed('EQ', 'reverse', { type: 'cim:Fuse' })]],
  ] as const)('is %s when it is written %s', (kind, _, items) => {
    expect(objectChange(items).kind).toBe(kind);
  });

  it('has the class that the whole object states, or any item, or none', () => {
    const typed = filed('SC', 'forward', { type: 'cim:Conductor' });
    expect(objectChange([filed('EQ', 'reverse', {}), typed, filed('EQ', 'forward', whole)]).type).toBe(
      'cim:ACLineSegment',
    );
    expect(objectChange([filed('EQ', 'reverse', {}), typed]).type).toBe('cim:Conductor');
    expect(objectChange([filed('EQ', 'reverse', {})]).type).toBe('rdf:Description');
  });

  it('has its new class, and the old one among the values, where an object of another class replaces it', () => {
    const breaker = filed('EQ', 'reverse', { type: 'cim:Breaker', isObject: true, statements: [text('cim:X.a', '1')] });
    const disconnector = filed('EQ', 'forward', { ...breaker.item, type: 'cim:Disconnector' });
    const description = filed('SC', 'reverse', { type: 'cim:Breaker' });
    const classes = { before: ['cim:Breaker'], after: ['cim:Disconnector'] };
    expect(objectChange([description, breaker, disconnector])).toMatchObject({
      type: 'cim:Disconnector',
      kind: 'changed',
      values: [{ file: 'EQ', name: 'rdf:type', isAssociation: false, ...classes }],
    });
    expect(objectChange([breaker, filed('EQ', 'forward', breaker.item)]).values).toEqual([]);
    expect(objectChange([breaker]).values).toMatchObject([{ name: 'cim:X.a' }]);
  });

  it('has its classes among the values where an rdf:type with rdf:about is deleted', () => {
    const type: Statement = { name: 'rdf:type', kind: 'enumeration', value: 'cim:Breaker' };
    const deleted = filed('EQ', 'reverse', { statements: [type] });
    const described = (newClass: string) => filed('EQ', 'forward', { type: newClass });
    const value = { file: 'EQ', name: 'rdf:type', isAssociation: false, before: ['cim:Breaker'] };
    expect(objectChange([deleted]).values).toEqual([{ ...value, after: [] }]);
    expect(objectChange([deleted, described('cim:Disconnector')])).toMatchObject({
      type: 'cim:Disconnector',
      values: [{ ...value, after: ['cim:Disconnector'] }],
    });
    expect(objectChange([deleted, described('cim:Breaker')]).values).toEqual([]);
  });

  it('has the new name, or the old one where there is no other', () => {
    const named = (section: DifferenceSection, name: string) =>
      filed('EQ', section, { statements: [text('cim:IdentifiedObject.name', name)] });
    expect(objectChange([named('reverse', 'old'), named('forward', 'new')]).name).toBe('new');
    expect(objectChange([named('reverse', 'old'), filed('EQ', 'forward', {})]).name).toBe('old');
    expect(objectChange([filed('EQ', 'forward', {})]).name).toBeNull();
  });

  it('contains each changed value, file by file, and no unchanged one', () => {
    const items = [
      filed('SC', 'forward', { statements: [text('cim:X.r0', '2')] }),
      filed('EQ', 'reverse', { statements: [text('cim:X.r', '1'), text('cim:X.same', '1'), to('cim:X.to', 'B')] }),
      filed('EQ', 'forward', {
        statements: [text('cim:X.new', '1'), text('cim:X.same', '1'), text('cim:X.r', '2'), to('cim:X.to', 'b')],
      }),
    ];
    expect(objectChange(items)).toEqual({
      mRID: 'a',
      type: 'rdf:Description',
      kind: 'changed',
      isWhole: false,
      name: null,
      files: ['EQ', 'SC'],
      values: [
        { file: 'EQ', name: 'cim:X.r', isAssociation: false, before: ['1'], after: ['2'] },
        { file: 'EQ', name: 'cim:X.new', isAssociation: false, before: [], after: ['1'] },
        { file: 'SC', name: 'cim:X.r0', isAssociation: false, before: [], after: ['2'] },
      ],
    });
  });

  it('of no items is none', () => {
    expect(() => objectChange([])).toThrow(RangeError);
  });
});

describe('Values', () => {
  it('are the same in any order, and as often', () => {
    const values = (...all: string[]) => all.map((value) => text('cim:X.a', value));
    expect(valueChanges('EQ', values('1', '2'), values('2', '1'))).toEqual([]);
    expect(valueChanges('EQ', values('1', '1', '2'), values('1', '2', '2'))).toHaveLength(1);
    expect(valueChanges('EQ', values('1'), values('1', '1'))).toHaveLength(1);
    expect(valueChanges('EQ', values('a'), values('A'))).toHaveLength(1);
  });

  it('of an attribute and of an association of one name are distinguished', () => {
    expect(valueChanges('GL', [text('cim:X.a', '1')], [to('cim:X.a', '1')])).toEqual([
      { file: 'GL', name: 'cim:X.a', isAssociation: false, before: ['1'], after: [] },
      { file: 'GL', name: 'cim:X.a', isAssociation: true, before: [], after: ['1'] },
    ]);
  });
});

describe('The differences between the items of an object', () => {
  const item = (type: string, isObject: boolean, ...statements: Statement[]): DifferenceItem => ({
    ...{ mRID: 'A', type, isObject, statements },
  });

  it('are none in another order of items and statements', () => {
    const [one, other] = [
      item('cim:Fuse', true, text('a', '1'), text('b', '2')),
      item('cim:Fuse', true, text('c', '3')),
    ];
    const turned = item('cim:Fuse', true, text('b', '2'), text('a', '1'));
    expect(itemChanges('EQ', [one, other], [other, turned])).toEqual([]);
  });

  it('are none if several items have the statements of one, repeat them, or omit the class', () => {
    const whole = item('cim:Fuse', true, text('a', '1'), text('b', '2'));
    const split = [
      item('cim:Fuse', true, text('a', '1')),
      item('rdf:Description', false, text('b', '2'), text('a', '1')),
    ];
    expect(itemChanges('EQ', [whole], split)).toEqual([]);
    expect(itemChanges('EQ', split, [whole])).toEqual([]);
    expect(itemChanges('EQ', split, [item('cim:Fuse', true, text('a', '1'))])).toMatchObject([
      { name: 'b', before: ['2'], after: [] },
    ]);
  });

  it('show the classes of a change of class', () => {
    expect(itemChanges('EQ', [item('cim:Fuse', true)], [item('cim:Breaker', true)])).toEqual([
      { file: 'EQ', name: 'rdf:type', isAssociation: false, before: ['cim:Fuse'], after: ['cim:Breaker'] },
    ]);
  });

  it('show a change between the whole object and a part of it', () => {
    expect(itemChanges('EQ', [item('cim:Fuse', true)], [item('cim:Fuse', false)])).toMatchObject([
      { name: 'rdf:ID', before: ['a'], after: [] },
      { name: 'rdf:about', before: [], after: ['a'] },
    ]);
  });

  it('show only values where one version has no item', () => {
    expect(itemChanges('EQ', [], [item('cim:Fuse', true, text('a', '1'))])).toMatchObject([
      { name: 'a', after: ['1'] },
    ]);
  });
});
