import { hash } from 'node:crypto';
import { readDifferenceModel } from '../../support/read-difference-model';
import { writeDifferenceModel } from '../../../subgraphs/grid-models/rdf/write-difference-model';
import { HEADER_FIELDS, MODEL_MRID, NAMESPACES, modelFile, modelWith, section } from '../../support/grid-model-files';

const read = (text: string) => readDifferenceModel(Buffer.from(text));
const forward = (items: string, namespaces = NAMESPACES) => {
  const { faults, forward: found } = read(modelWith(items, { namespaces }));
  expect(faults).toEqual([]);
  return found ?? [];
};
const statementsOf = (children: string, namespaces = NAMESPACES) =>
  forward(`<cim:Fuse rdf:ID="_a">${children}</cim:Fuse>`, namespaces)[0]?.statements;

describe('The header of a difference model', () => {
  it('is returned with the names of the specification', () => {
    const more = `<md:Model.profile>http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0</md:Model.profile>
      <md:Model.Supersedes rdf:resource="urn:uuid:dd907125-7088-43fd-830d-5b0df36f4c71"/>`;
    const { header, faults } = read(modelFile({ header: `${Object.values(HEADER_FIELDS).join('')}${more}` }));
    expect(faults).toEqual([]);
    expect(header).toEqual({
      mRID: MODEL_MRID,
      created: '2026-04-17T09:30:00Z',
      scenarioTime: '2026-05-01T00:00:00Z',
      modelingAuthoritySet: 'http://example.org/grid',
      profile: ['http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0', 'http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0'],
      description: 'A new feeder.',
      version: '001',
      dependentOn: ['0cd6ada4-b6dc-4a36-a98c-877a39168cd3'],
      supersedes: ['dd907125-7088-43fd-830d-5b0df36f4c71'],
    });
  });

  it('may follow the differences, and contain more fields than needed', () => {
    const header = `${section('reverse', '')}${Object.values(HEADER_FIELDS).join('')}<md:Model.keyword>EQ</md:Model.keyword>`;
    expect(read(modelFile({ header }))).toMatchObject({ faults: [], reverse: [], header: { version: '001' } });
  });

  it('may have the legacy namespace', () => {
    const namespaces = NAMESPACES.replace(
      'http://iec.ch/TC57/61970-552/DifferenceModel/1#',
      'http://iec.ch/2002/schema/CIM_difference_model#',
    );
    expect(read(modelFile({ namespaces }))).toMatchObject({ faults: [], header: { mRID: MODEL_MRID } });
  });
});

describe('Sections', () => {
  it.each([
    ['forward and reverse differences', section('forward', '') + section('reverse', ''), [], []],
    ['reverse and forward differences', section('reverse', '') + section('forward', ''), [], []],
    ['one that is empty, without the other', '<dm:forwardDifferences rdf:parseType="Statements"/>', [], undefined],
    ['no section', '', undefined, undefined],
    [
      'preconditions, which are in no other section',
      `<dm:preconditions rdf:parseType="Statements"><cim:X rdf:about="#_a"/></dm:preconditions>`,
      undefined,
      undefined,
    ],
  ])('are read from a file with %s', (_, sections, expectedForward, expectedReverse) => {
    const model = read(modelFile({ sections }));
    expect(model.faults).toEqual([]);
    expect([model.forward, model.reverse]).toEqual([expectedForward, expectedReverse]);
  });
});

describe('Preconditions', () => {
  it('are read like items, and are the same after they are written and read again', () => {
    const item =
      '<rdf:Description rdf:about="#_a"><cim:Terminal.connected>true</cim:Terminal.connected></rdf:Description>';
    const model = read(
      modelFile({ sections: `<dm:preconditions rdf:parseType="Statements">${item}</dm:preconditions>` }),
    );
    expect(model.preconditions).toEqual([
      {
        ...{ mRID: 'a', type: 'rdf:Description', isObject: false },
        statements: [{ name: 'cim:Terminal.connected', kind: 'text', value: 'true' }],
      },
    ]);
    expect(readDifferenceModel(Buffer.from([...writeDifferenceModel(model)].join(''))).preconditions).toEqual(
      model.preconditions,
    );
  });
});

describe('Items', () => {
  it('are whole objects, typed changes, and changes of unknown class, with or without statements', () => {
    const items = forward(`<cim:ACLineSegment rdf:ID="_a"/>
      <cim:ACLineSegment rdf:about="#_b"></cim:ACLineSegment>
      <rdf:Description rdf:about="#_c"><cim:ACLineSegment.r>1</cim:ACLineSegment.r></rdf:Description>`);
    expect(items).toEqual([
      { mRID: 'a', type: 'cim:ACLineSegment', isObject: true, statements: [] },
      { mRID: 'b', type: 'cim:ACLineSegment', isObject: false, statements: [] },
      {
        mRID: 'c',
        type: 'rdf:Description',
        isObject: false,
        statements: [{ name: 'cim:ACLineSegment.r', kind: 'text', value: '1' }],
      },
    ]);
  });

  it.each([
    ['#_B66B4353-ad5e', 'B66B4353-ad5e'],
    ['#B66B4353', 'B66B4353'],
    ['urn:uuid:b66b4353', 'b66b4353'],
    ['URN:UUID:_b66b4353', 'b66b4353'],
    ['#__b', '_b'],
    ['_b', 'b'],
    ['http://example.org/grid#_00850be4-abb2-4d90-9b4f-657c52e04f10', '00850be4-abb2-4d90-9b4f-657c52e04f10'],
    ['http://example.org/grid', 'http://example.org/grid'],
  ])('about %s have the mRID %s', (about, mRID) => {
    expect(forward(`<cim:Fuse rdf:about="${about}"/>`)[0]?.mRID).toBe(mRID);
  });

  it('may have the same rdf:ID in both sections, in different case', () => {
    const sections = section('forward', '<cim:Fuse rdf:ID="_a"/>') + section('reverse', '<cim:Fuse rdf:ID="_A"/>');
    expect(read(modelFile({ sections })).faults).toEqual([]);
  });

  it.each([
    ['an rdf:type', 'rdf:Description', ['Fuse'], 'cim:Fuse', []],
    ['an element and an equal rdf:type', 'cim:Fuse', ['Fuse'], 'cim:Fuse', []],
    ['an rdf:type; a second one stays a statement', 'rdf:Description', ['Fuse', 'Bay'], 'cim:Fuse', ['cim:Bay']],
    ['an element; another rdf:type stays a statement', 'cim:Fuse', ['Bay'], 'cim:Fuse', ['cim:Bay']],
  ])('have the class of %s', (_, element, stated, type, others) => {
    const types = stated.map((each) => `<rdf:type rdf:resource="http://iec.ch/TC57/CIM100#${each}"/>`).join('');
    expect(forward(`<${element} rdf:about="#_a">${types}<cim:x>1</cim:x></${element}>`)).toMatchObject([
      {
        type,
        statements: [
          ...others.map((value) => ({ name: 'rdf:type', kind: 'enumeration', value })),
          { name: 'cim:x', value: '1' },
        ],
      },
    ]);
  });

  it('have the class of an rdf:type of an unknown namespace; an object is no class', () => {
    const of = (uri: string) => `<rdf:Description rdf:about="#_a"><rdf:type rdf:resource="${uri}"/></rdf:Description>`;
    const [known, object] = forward(of('http://one#Bay') + of('#_00850be4-abb2-4d90-9b4f-657c52e04f10'));
    expect(known).toMatchObject({ type: 'one-76b97c57:Bay', statements: [] });
    expect(object).toMatchObject({ type: 'rdf:Description', statements: [{ kind: 'association' }] });
  });

  it.each([
    ['about="#', 'rdf:Description', ['cim:Fuse']],
    ['ID="', 'cim:Fuse', []],
  ])('of the reverse differences with rdf:%s_a" have the class %s by rdf:type', (form, type, values) => {
    const item = `<rdf:Description rdf:${form}_a"><rdf:type rdf:resource="http://iec.ch/TC57/CIM100#Fuse"/></rdf:Description>`;
    const statements = values.map((value) => ({ name: 'rdf:type', kind: 'enumeration', value }));
    expect(read(modelFile({ sections: section('reverse', item) })).reverse).toMatchObject([{ type, statements }]);
  });

  it('may repeat a subject', () => {
    expect(forward('<cim:Fuse rdf:about="#_a"/><cim:Fuse rdf:about="#_a"/><cim:Fuse rdf:ID="_a"/>')).toHaveLength(3);
  });
});

describe('Statements', () => {
  it.each([
    ['a text', '<cim:X.a>1 &lt; 2</cim:X.a>', 'text', '1 < 2'],
    ['a text in pieces', '<cim:X.a>1<!-- one --> and <![CDATA[<2>]]></cim:X.a>', 'text', '1 and <2>'],
    ['an empty text', '<cim:X.a/>', 'text', ''],
    ['blanks', '<cim:X.a> </cim:X.a>', 'text', ' '],
    ['a text with a language', '<cim:X.a xml:lang="cy">Llinell</cim:X.a>', 'text', 'Llinell'],
    ['an association', '<cim:X.a rdf:resource="#_b"/>', 'association', 'b'],
    ['an association by URN', '<cim:X.a rdf:resource="urn:uuid:b"></cim:X.a>', 'association', 'b'],
    [
      'a URI without an object',
      '<cim:X.a rdf:resource="http://example.org/x#y"/>',
      'association',
      'http://example.org/x#y',
    ],
    [
      'a value of an enumeration',
      '<cim:X.a rdf:resource="http://iec.ch/TC57/CIM100#PhaseCode.ABC"/>',
      'enumeration',
      'cim:PhaseCode.ABC',
    ],
    [
      'a value of an enumeration of the older CIM',
      '<cim:X.a rdf:resource="http://iec.ch/TC57/2013/CIM-schema-cim16#PhaseCode.N"/>',
      'enumeration',
      'cim:PhaseCode.N',
    ],
    [
      'a value of a known namespace that the file does not declare',
      '<cim:X.a rdf:resource="https://cim4.eu/ns/nc#Kind.a"/>',
      'enumeration',
      'nc:Kind.a',
    ],
    [
      'a value of an unknown namespace that the file does not declare',
      '<cim:X.a rdf:resource="http://one#Kind.a"/>',
      'enumeration',
      'one-76b97c57:Kind.a',
    ],
    ...['VoltageKind.11kV', 'Phases.one-two'].map((local): [string, string, string, string] => [
      `a value of an unknown namespace that has a digit or a hyphen: ${local}`,
      `<cim:X.a rdf:resource="http://one#${local}"/>`,
      'enumeration',
      `one-76b97c57:${local}`,
    ]),
    ...['Substation.12', 'Substation.00850be4-abb2-4d90-9b4f-657c52e04f10'].map(
      (local): [string, string, string, string] => [
        `an object under an unknown namespace: ${local}`,
        `<cim:X.a rdf:resource="http://one#${local}"/>`,
        'association',
        `http://one#${local}`,
      ],
    ),
    [
      'an object under a namespace that the file declares',
      '<cim:X.a xmlns:o="http://example.org/x#" rdf:resource="http://example.org/x#y"/>',
      'association',
      'http://example.org/x#y',
    ],
    [
      'an object under a namespace',
      '<cim:X.a rdf:resource="http://iec.ch/TC57/CIM100#_00850be4-abb2-4d90-9b4f-657c52e04f10"/>',
      'association',
      '00850be4-abb2-4d90-9b4f-657c52e04f10',
    ],
  ])('may contain %s', (_, children, kind, value) => {
    expect(statementsOf(children)).toEqual([{ name: 'cim:X.a', kind, value }]);
  });

  it('are reported in the order of the file, including repetitions', () => {
    const values = statementsOf('<cim:a>1</cim:a><cim:b>2</cim:b><cim:a>3</cim:a>')?.map(({ value }) => value);
    expect(values).toEqual(['1', '2', '3']);
  });
});

describe('Names', () => {
  const declared = (more: string) => `${NAMESPACES} ${more}`;
  /** The prefixes of http://one# and http://two#. */
  const [ONE, TWO] = ['one-76b97c57', 'two-fe09f04e'];

  it.each([
    [
      'a known namespace has its prefix, whatever the file calls it',
      'xmlns:g="http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#"',
      'g:x',
      'gb:x',
    ],
    [
      'the extension of ENTSO-E has the prefix of real files',
      'xmlns:ns2="http://entsoe.eu/CIM/SchemaExtension/3/1#"',
      'ns2:x',
      'entsoe:x',
    ],
    [
      'an unknown namespace has a prefix of its own, whatever the file calls it',
      'xmlns:osi="http://osii.com/opennet/6.3#"',
      'osi:x',
      'opennet-18cd7a0e:x',
    ],
    [
      'an unknown namespace with the prefix of a known one has another prefix',
      'xmlns:nc="http://entsoe.eu/ns/nc#"',
      'nc:x',
      'nc-a20e8db7:x',
    ],
    [
      'a namespace without a word has one, too',
      'xmlns:a="1:#"',
      'a:x',
      `ns-${hash('sha256', '1:#', 'hex').slice(0, 8)}:x`,
    ],
  ])('have a prefix: %s', (_, declaration, written, name) => {
    expect(statementsOf(`<${written}>1</${written}>`, declared(declaration))).toMatchObject([{ name }]);
  });

  it('a redeclared prefix has another namespace inside the element', () => {
    const children = `<o:x xmlns:o="http://one#">1</o:x><o:x xmlns:o="http://two#">2</o:x><cim:x xmlns:cim="http://one#">3</cim:x><cim:x>4</cim:x>`;
    expect(statementsOf(children)?.map(({ name }) => name)).toEqual([`${ONE}:x`, `${TWO}:x`, `${ONE}:x`, 'cim:x']);
  });

  it('a redeclared prefix has another namespace even among equal names', () => {
    const pair = (uri: string) => `<cim:y>0</cim:y><o:x xmlns:o="${uri}">1</o:x>`;
    const names = statementsOf(pair('http://one#') + pair('http://two#') + pair('http://one#'))?.map(
      ({ name }) => name,
    );
    expect(names).toEqual(['cim:y', `${ONE}:x`, 'cim:y', `${TWO}:x`, 'cim:y', `${ONE}:x`]);
  });

  it('a namespace declared by an item applies to its statements only', () => {
    const items = `<o:Fuse xmlns:o="http://one#" rdf:ID="_a"><o:x>1</o:x><cim:x>2</cim:x></o:Fuse><cim:Fuse rdf:ID="_b"><cim:x>3</cim:x></cim:Fuse>`;
    expect(forward(items).flatMap(({ type, statements }) => [type, ...statements.map(({ name }) => name)])).toEqual([
      ...[`${ONE}:Fuse`, `${ONE}:x`, 'cim:x'],
      ...['cim:Fuse', 'cim:x'],
    ]);
    expect(read(modelWith(`${items}<o:Fuse rdf:ID="_c"/>`)).faults[0]?.message).toMatch(/unbound namespace prefix/);
  });

  it('a namespace declared by a section applies to that section only', () => {
    const of = (name: string) =>
      `<dm:${name}Differences xmlns:cim="http://one#" rdf:parseType="Statements"><cim:x rdf:ID="_a"/></dm:${name}Differences>`;
    const model = read(modelFile({ sections: of('forward') + section('reverse', '<cim:x rdf:ID="_a"/>') }));
    expect([model.forward?.[0]?.type, model.reverse?.[0]?.type]).toEqual([`${ONE}:x`, 'cim:x']);
  });

  it('may have no prefix', () => {
    const items =
      '<Fuse xmlns="http://iec.ch/TC57/CIM100#" rdf:ID="_a"><Fuse.r>1</Fuse.r></Fuse><x xmlns="http://one#" rdf:ID="_b"/>';
    expect(forward(items).map(({ type }) => type)).toEqual(['cim:Fuse', `${ONE}:x`]);
  });

  it('are returned with their namespaces', () => {
    const { namespaces } = read(modelWith('<o:x xmlns:o="http://one#" rdf:ID="_b"/><cim:y rdf:ID="_c"/>'));
    expect([...namespaces]).toEqual([
      [ONE, 'http://one#'],
      ['cim', 'http://iec.ch/TC57/CIM100#'],
    ]);
  });
});

describe('A file', () => {
  const text = modelWith('<cim:Fuse rdf:ID="_a"><cim:X.a>Zürich “€” 👩 &amp;</cim:X.a></cim:Fuse>').replace(
    /\n/g,
    '\r\n',
  );
  const expected = read(text);

  it('may start with a byte order mark', () => {
    expect(expected.faults).toEqual([]);
    expect(read(`\uFEFF${text}`)).toEqual(expected);
  });

  it.each([1, 2, 3, 5, 7, 100])('has the same result in chunks of %i bytes', (length) => {
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
      bytes.subarray(index * length, (index + 1) * length),
    );
    expect(readDifferenceModel(pieces)).toEqual(expected);
  });

  it('that declares XML 1.1 is parsed as XML 1.0', () => {
    expect(read(text.replace('version="1.0"', 'version="1.1"'))).toEqual(expected);
  });
});
