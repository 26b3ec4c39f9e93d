import type { CimFile, DifferenceModelHeader } from '../../../subgraphs/grid-models/rdf/difference-model';
import { readDifferenceModel } from '../../support/read-difference-model';
import { writeDifferenceModel } from '../../../subgraphs/grid-models/rdf/write-difference-model';
import { HEADER_FIELDS, NAMESPACES, modelFile, modelWith, section } from '../../support/grid-model-files';

const faultsOf = (text: string | Buffer, file?: CimFile) => readDifferenceModel(Buffer.from(text), file).faults;
const messagesOf = (text: string | Buffer, file?: CimFile) => faultsOf(text, file).map(({ message }) => message);
/** Line number of a part of a text, from 1. */
const lineOf = (text: string, piece: string) => text.slice(0, text.indexOf(piece)).split('\n').length;

describe('A file that is not well-formed XML is rejected', () => {
  it.each([
    ['an element that is not closed', modelFile().replace('</dm:DifferenceModel>', '')],
    ['a truncated file', modelFile().slice(0, -20)],
    ['an empty file', ''],
    ['an attribute twice', modelWith('<cim:X rdf:ID="_a" rdf:ID="_b"/>')],
    [
      'an attribute twice, by two prefixes',
      modelWith(`<cim:X xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:ID="_a" r:ID="_b"/>`),
    ],
    ['an unbound prefix', modelWith('<abc:X rdf:ID="_a"/>')],
    ['an undefined entity', modelWith('<cim:X rdf:ID="_a"><cim:b>&nbsp;</cim:b></cim:X>')],
    ['a character that XML does not allow', modelWith('<cim:X rdf:ID="_a"><cim:b>\u0001</cim:b></cim:X>')],
    ['a second root', `${modelFile()}<again/>`],
    ['text after the root', `${modelFile()}text`],
    ['a declaration that is not at the start', ` ${modelFile()}`],
  ])('%s', (_, text) => {
    expect(messagesOf(text)).toEqual([expect.stringMatching(/^not well formed: \S/)]);
  });

  it('with the line of the error', () => {
    const text = modelWith('<cim:X rdf:ID="_a">\n</cim:Y>');
    expect(faultsOf(text)).toEqual([
      { line: lineOf(text, '</cim:Y>'), message: 'not well formed: unexpected close tag' },
    ]);
  });

  it('after the items before the error are reported', () => {
    const model = readDifferenceModel(Buffer.from(modelWith('<cim:X rdf:ID="_a"/><cim:Y>')));
    expect(model).toMatchObject({ forward: [{ mRID: 'a' }], header: { version: '001' } });
  });
});

describe('A file that is not UTF-8 is rejected', () => {
  it('with the line of the bytes', () => {
    const text = modelWith('\n<cim:X rdf:ID="_a">\n<cim:b>Z?rich</cim:b></cim:X>');
    const bytes = Buffer.from(text);
    bytes[text.indexOf('?rich')] = 0xfc;
    expect(faultsOf(bytes)).toEqual([{ line: lineOf(text, 'Z?rich'), message: 'the file is not UTF-8' }]);
  });

  it.each([
    ['a character that is incomplete at the end', Buffer.concat([Buffer.from(modelFile()), Buffer.from([0xe2, 0x80])])],
    ['UTF-16 with its mark', Buffer.from(`\uFEFF${modelFile()}`, 'utf16le')],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['an overlong encoding', Buffer.from([0xc0, 0xbc])],
  ])('%s', (_, bytes) => {
    expect(messagesOf(bytes)).toEqual(['the file is not UTF-8']);
  });

  it('also if it declares another encoding', () => {
    const text = modelFile().replace('"UTF-8"', '"ISO-8859-1"');
    expect(faultsOf(text)).toEqual([
      { line: 1, message: 'the file declares the encoding ISO-8859-1; it must be UTF-8' },
    ]);
    expect(messagesOf(text.replace('"ISO-8859-1"', '"utf-8"'))).toEqual([]);
  });
});

describe('A DTD is rejected', () => {
  it.each([
    ['with an internal subset', '<!DOCTYPE rdf:RDF [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'],
    ['with an external subset', '<!DOCTYPE rdf:RDF SYSTEM "http://127.0.0.1:1/x.dtd">'],
    ['that is empty', '<!DOCTYPE rdf:RDF>'],
  ])('%s', (_, doctype) => {
    const text = modelWith('<cim:X rdf:ID="_a"><cim:b>&b;</cim:b></cim:X>').replace('?>\n', `?>\n${doctype}\n`);
    expect(faultsOf(text)).toEqual([{ line: 2, message: 'a DTD is not allowed' }]);
  });
});

describe('A file that is not a difference model is rejected', () => {
  const root = (contents: string) => `<rdf:RDF ${NAMESPACES}>${contents}</rdf:RDF>`;
  const model = `<dm:DifferenceModel rdf:about="urn:uuid:39d8d8fd-325d-4e29-9659-d7a1cca0615d">${Object.values(HEADER_FIELDS).join('')}</dm:DifferenceModel>`;

  it.each([
    ['another root', '<html/>', 'the root element is html, not rdf:RDF'],
    ['an RDF of another namespace', '<rdf:RDF xmlns:rdf="http://rdf#"/>', 'the root element is rdf:RDF, not rdf:RDF'],
    ['no model', root(''), 'the file contains no difference model'],
    ['two models', root(model + model), 'the file contains a second difference model'],
    [
      'a full model',
      root('<md:FullModel rdf:about="urn:uuid:1"/>'),
      'the file contains a full model, not a difference model',
    ],
    ['an object beside the model', root(`${model}<cim:X rdf:ID="_a"/>`), 'cim:X is outside the difference model'],
    [
      'an object in the model',
      modelFile({ sections: '<cim:X rdf:ID="_a"/>' }),
      'cim:X is outside the forward and reverse differences',
    ],
    [
      'an unknown part',
      modelFile({ sections: '<dm:sidewaysDifferences/>' }),
      'dm:sidewaysDifferences is not a part of a difference model',
    ],
    [
      'a full model in the model',
      modelFile({ sections: '<md:FullModel rdf:about="urn:uuid:1"><cim:X rdf:ID="_a"/></md:FullModel>' }),
      'md:FullModel is not a part of a difference model',
    ],
    [
      'a field of no model',
      modelFile({ sections: '<md:Modelled>1</md:Modelled>' }),
      'md:Modelled is not a part of a difference model',
    ],
    [
      'a section twice',
      modelFile({ sections: section('forward', '') + section('forward', '') }),
      'dm:forwardDifferences occurs twice',
    ],
    [
      'a section without parseType',
      modelFile({ sections: '<dm:forwardDifferences/>' }),
      'dm:forwardDifferences must have rdf:parseType="Statements"',
    ],
    [
      'a section of another parseType',
      modelFile({ sections: '<dm:reverseDifferences rdf:parseType="Collection"/>' }),
      'dm:reverseDifferences must have rdf:parseType="Statements"',
    ],
    ...(
      [
        ['rdf:parseType', 'rdf:parseType="Statements"'],
        ['rdf:ID', 'rdf:ID="_a"'],
        ['rdf:about', 'rdf:about="#_a"'],
      ] as const
    ).map(([name, attribute]): [string, string, string] => [
      `a part of an unknown namespace with ${name}, which may be a section or an object`,
      modelFile({
        sections: `<x:forwardDifferences xmlns:x="http://one#" ${attribute}><cim:X rdf:ID="_a"/></x:forwardDifferences>`,
      }),
      'x:forwardDifferences is outside the forward and reverse differences',
    ]),
    ['a text between items', modelWith('some text'), 'text is not allowed here: some text'],
    [
      'a property of the model as an attribute',
      modelFile({ model: 'rdf:about="urn:uuid:39d8d8fd-325d-4e29-9659-d7a1cca0615d" md:Model.version="1"' }),
      'dm:DifferenceModel has an attribute that is not allowed: md:Model.version',
    ],
  ])('%s', (_, text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  it('but not for header fields of a vendor', () => {
    const sections = ['>1</x:tool>', ' rdf:resource="http://one#a"/>', ' xml:lang="en"><x:part>1</x:part></x:tool>'];
    const field = sections.map((rest) => `<x:tool xmlns:x="http://one#"${rest}`).join('');
    expect(messagesOf(modelFile({ sections: field }))).toEqual([]);
  });
});

describe('A header is rejected', () => {
  const without = (field: string) =>
    modelFile({
      header: Object.entries(HEADER_FIELDS)
        .map(([name, text]) => (name === field ? '' : text))
        .join('\n'),
    });
  const withField = (field: string, text: string) =>
    modelFile({ header: Object.values({ ...HEADER_FIELDS, [field]: text }).join('\n') });

  it.each(['created', 'scenarioTime', 'description', 'modelingAuthoritySet', 'profile', 'version'])(
    'without %s',
    (field) => {
      const text = without(field);
      expect(faultsOf(text)).toEqual([
        { line: lineOf(text, '<dm:DifferenceModel'), message: `md:Model.${field} is missing` },
      ]);
    },
  );

  it('if it is missing; the model has no header then', () => {
    const model = readDifferenceModel(Buffer.from(modelFile({ model: '', header: '' })));
    expect(model).toMatchObject({ header: null, faults: [{ message: 'the header is missing' }] });
  });

  it.each([
    ['has no mRID', '', 'the model has no mRID'],
    ['has an mRID that is no UUID', 'rdf:about="urn:uuid:1"', 'the mRID of the model is not a UUID: 1'],
  ])('if its model %s', (_, model, message) => {
    expect(messagesOf(modelFile({ model }))).toEqual([message]);
  });

  it.each([
    ['created', '<md:Model.created>yesterday</md:Model.created>', 'md:Model.created is not an instant: yesterday'],
    [
      'created',
      '<md:Model.created>2026-02-30T00:00:00Z</md:Model.created>',
      'md:Model.created is not an instant: 2026-02-30T00:00:00Z',
    ],
    [
      'scenarioTime',
      '<md:Model.scenarioTime>2026-04-17</md:Model.scenarioTime>',
      'md:Model.scenarioTime is not an instant: 2026-04-17',
    ],
    ['scenarioTime', '<md:Model.scenarioTime/>', 'md:Model.scenarioTime is empty'],
    ['version', '<md:Model.version> </md:Model.version>', 'md:Model.version is empty'],
    ['version', HEADER_FIELDS['version']?.repeat(2) ?? '', 'md:Model.version occurs twice'],
    [
      'version',
      '<md:Model.version><b xmlns="http://b#"/>1</md:Model.version>',
      'b is inside md:Model.version, which must not contain elements',
    ],
    [
      'DependentOn',
      '<md:Model.DependentOn>urn:uuid:1</md:Model.DependentOn>',
      'md:Model.DependentOn must refer to a model by an rdf:resource of 1 to 512 characters',
    ],
  ])('for its field %s, if that is written %s', (field, text, message) => {
    expect(messagesOf(withField(field, text))).toEqual([message]);
  });

  it.each(['2026-04-17T09:30:00Z', '2026-04-17T09:30:00.123Z', '2026-04-17T09:30:00+01:00', '2026-04-17T09:30:00'])(
    'but not for the instant %s',
    (instant) => {
      expect(messagesOf(withField('created', `<md:Model.created>${instant}</md:Model.created>`))).toEqual([]);
    },
  );

  describe('whose profile is not that of its member', () => {
    const profiles = (...uris: string[]) =>
      withField('profile', uris.map((uri) => `<md:Model.profile>${uri}</md:Model.profile>`).join(''));
    const CORE = 'http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0';
    const LTDS = 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.0';
    const SHORT_CIRCUIT = 'http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0';
    const LOCATIONS = 'http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0';

    it.each([
      ['EQ', [CORE]],
      ['EQ', [LTDS]],
      ['EQ', [CORE, SHORT_CIRCUIT]],
      ['SC', [CORE, SHORT_CIRCUIT]],
      ['GL', [LOCATIONS]],
    ] as const)('but not %s.xml with the profiles %j', (file, uris) => {
      expect(messagesOf(profiles(...uris), file)).toEqual([]);
    });

    it.each([
      ['EQ', [SHORT_CIRCUIT]],
      ['SC', [CORE]],
      ['GL', [CORE, SHORT_CIRCUIT]],
      ['GL', ['http://iec.ch/TC57/ns/CIM/EquipmentBoundary-EU/3.0']],
    ] as const)('such as %s.xml with the profiles %j', (file, uris) => {
      expect(messagesOf(profiles(...uris), file)).toEqual([
        expect.stringMatching(new RegExp(`^${file}.xml must have the profile http://.*; it has http`)),
      ]);
      expect(messagesOf(profiles(...uris))).toEqual([]);
    });
  });
});

describe('An item is rejected', () => {
  it.each([
    ['without identifier', '<cim:X/>', 'cim:X has no identifier (rdf:ID or rdf:about)'],
    ['with an empty identifier', '<cim:X rdf:about="#_"/>', 'cim:X has no identifier (rdf:ID or rdf:about)'],
    ['with two', '<cim:X rdf:ID="_a" rdf:about="#_a"/>', 'cim:X has both rdf:ID and rdf:about'],
    [
      'that is a blank node',
      '<cim:X rdf:nodeID="a" rdf:ID="_a"/>',
      'cim:X has an attribute that is not allowed: rdf:nodeID',
    ],
    [
      'with a property as an attribute',
      '<cim:X rdf:ID="_a" cim:b="1"/>',
      'cim:X has an attribute that is not allowed: cim:b',
    ],
    [
      'with an attribute of no namespace',
      '<cim:X ID="_a" rdf:ID="_a"/>',
      'cim:X has an attribute that is not allowed: ID',
    ],
    ['without namespace', '<X rdf:ID="_a"/>', 'X has no namespace'],
    [
      'with a repeated rdf:ID',
      '<cim:X rdf:ID="_a"/><cim:Y rdf:ID="_b"/><cim:Z rdf:ID="_A"/>',
      'rdf:ID of A occurs twice in the forward differences',
    ],
    [
      'with a repeated UUID',
      '<cim:X rdf:ID="_00850BE4-ABB2-4D90-9B4F-657C52E04F10"/><cim:Z rdf:ID="_00850be4-abb2-4d90-9b4f-657c52e04f10"/>',
      'rdf:ID of 00850be4-abb2-4d90-9b4f-657c52e04f10 occurs twice in the forward differences',
    ],
    ['with text', '<cim:X rdf:ID="_a">text</cim:X>', 'text is not allowed here: text'],
    ['with a text that only looks blank', '<cim:X rdf:ID="_a">\u00a0</cim:X>', 'text is not allowed here: '],
  ])('%s', (_, items, message) => {
    expect(messagesOf(modelWith(items))).toEqual([message]);
  });

  it('and skipped if it has no namespace, so that the model can be written', () => {
    const model = readDifferenceModel(
      Buffer.from(modelWith('<X rdf:ID="_a"><cim:b>1</cim:b></X><cim:Y rdf:ID="_c"><b>1</b><cim:d>2</cim:d></cim:Y>')),
    );
    expect(model.forward).toEqual([
      { mRID: 'c', type: 'cim:Y', isObject: true, statements: [{ name: 'cim:d', kind: 'text', value: '2' }] },
    ]);
    expect([...writeDifferenceModel({ ...model, header: model.header as DifferenceModelHeader })].join('')).toContain(
      '<cim:d>2',
    );
  });

  it('with each fault and its line, while the others are reported', () => {
    const text = modelWith('<cim:X/>\n<cim:Fuse rdf:ID="_a"/>\n<cim:Y>\n<cim:b rdf:resource=""/></cim:Y>');
    expect(readDifferenceModel(Buffer.from(text))).toMatchObject({
      forward: [{ mRID: 'a' }],
      faults: [
        { line: lineOf(text, '<cim:X/>'), message: expect.stringContaining('cim:X') },
        { line: lineOf(text, '<cim:Y>'), message: expect.stringContaining('cim:Y') },
        { line: lineOf(text, '<cim:b'), message: 'cim:b has an empty rdf:resource' },
      ],
    });
  });
});

describe('A statement is rejected', () => {
  it.each([
    [
      'with elements in it',
      '<cim:b><cim:c rdf:ID="_c"><cim:d/></cim:c></cim:b>',
      'cim:c is inside cim:b, which must not contain elements',
    ],
    ['with an empty resource', '<cim:b rdf:resource="#"/>', 'cim:b has an empty rdf:resource'],
    ['with a resource and a text', '<cim:b rdf:resource="#_c">text</cim:b>', 'text is not allowed here: text'],
    ['without namespace', '<b>1</b>', 'b has no namespace'],
    [
      'of a parseType',
      '<cim:b rdf:parseType="Literal">1</cim:b>',
      'cim:b has an attribute that is not allowed: rdf:parseType',
    ],
    ['about a blank node', '<cim:b rdf:nodeID="c"/>', 'cim:b has an attribute that is not allowed: rdf:nodeID'],
    ['with an rdf:ID', '<cim:b rdf:ID="c">1</cim:b>', 'cim:b has an attribute that is not allowed: rdf:ID'],
    ['with properties as attributes', '<cim:b cim:c="1"/>', 'cim:b has an attribute that is not allowed: cim:c'],
  ])('%s', (_, statement, message) => {
    expect(messagesOf(modelWith(`<cim:X rdf:ID="_a">${statement}</cim:X>`))).toEqual([message]);
  });
});

describe('A file above a limit is rejected', () => {
  const item = (statements: string) => modelWith(`<cim:X rdf:ID="_a">${statements}</cim:X>`);
  const deep = '<cim:c>'.repeat(40) + '</cim:c>'.repeat(40);
  const MEBI = 1024 * 1024;

  it.each([
    [
      'a text of more than 1 Mi characters',
      item(`<cim:b>${'x'.repeat(MEBI + 1)}</cim:b>`),
      'a text has more than 1048576 characters',
    ],
    [
      'such a text in many pieces',
      item(`<cim:b>${'<![CDATA[xxxxxxxx]]>'.repeat(MEBI / 8 + 1)}</cim:b>`),
      'a text has more than 1048576 characters',
    ],
    [
      'a comment that does not end',
      modelWith(`<!--${'x'.repeat(3 * MEBI)}`),
      'a text, a comment or a tag has more than 1048576 characters',
    ],
    [
      'a name that does not end',
      modelWith(`<${'x'.repeat(3 * MEBI)}`),
      'a text, a comment or a tag has more than 1048576 characters',
    ],
    [
      'a name of more than 512 characters',
      item(`<cim:${'b'.repeat(509)}/>`),
      `a name has more than 512 characters: cim:${'b'.repeat(96)}…`,
    ],
    [
      'an identifier of more than 512 characters',
      modelWith(`<cim:X rdf:ID="_${'b'.repeat(513)}"/>`),
      `an identifier has more than 512 characters: ${'b'.repeat(100)}…`,
    ],
    [
      'a target of more than 512 characters',
      item(`<cim:b rdf:resource="#_${'b'.repeat(513)}"/>`),
      `a resource has more than 512 characters: ${'b'.repeat(100)}…`,
    ],
    [
      'an identifier with a character outside ASCII',
      modelWith('<cim:X rdf:about="#_LEITUNG-Ä"/>'),
      'an identifier has a character outside ASCII: LEITUNG-Ä',
    ],
    [
      'a target with a character outside ASCII',
      item('<cim:b rdf:resource="#_ΑΣ"/>'),
      'a resource has a character outside ASCII: ΑΣ',
    ],
    ['more than 10,000 statements', item('<cim:b/>'.repeat(10_001)), 'an item has more than 10000 statements'],
    [
      'an item of more than 8 Mi characters in several texts',
      item(`<cim:b>${'x'.repeat(MEBI)}</cim:b>`.repeat(8)),
      'an item has more than 8388608 characters',
    ],
    [
      'elements more than 32 deep',
      modelFile({ sections: `<md:Model.more>${deep}</md:Model.more>` }),
      'elements are nested more than 32 deep',
    ],
    [
      'more than a thousand namespaces',
      modelWith(
        Array.from({ length: 1_001 }, (_, index) => `<x xmlns="http://${index}#" rdf:ID="_${index}"/>`).join(''),
      ),
      'there are more than 1000 namespaces',
    ],
    [
      'more than a thousand declarations outside the items, also of one namespace',
      modelWith('').replace(
        '<rdf:RDF',
        `<rdf:RDF${Array.from({ length: 1_001 }, (_, index) => ` xmlns:p${index}="u"`).join('')}`,
      ),
      'there are more than 1000 declarations of namespaces outside the items',
    ],
    [
      'items of more than a thousand classes',
      modelWith(Array.from({ length: 1_001 }, (_, index) => `<cim:X${index} rdf:about="#_a"/>`).join('')),
      'the items have more than 1000 classes',
    ],
    ...['DependentOn', 'Supersedes', 'profile'].map((field) => [
      `more than a thousand values of md:Model.${field}`,
      modelFile({ sections: `<md:Model.${field} rdf:resource="urn:uuid:a">p</md:Model.${field}>`.repeat(1_001) }),
      `md:Model.${field} has more than 1000 values`,
    ]),
    ...(
      [
        ['version', 1_000],
        ['profile', 1_000],
        ['description', 65_536],
      ] as const
    ).map(([field, length]) => [
      `more than ${length} characters of md:Model.${field}`,
      modelFile({ sections: `<md:Model.${field}>${'x'.repeat(length + 1)}</md:Model.${field}>` }),
      `md:Model.${field} has more than ${length} characters`,
    ]),
  ])('%s', (_, text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  it('but not one at the limit', () => {
    const statements = `<cim:b>${'x'.repeat(MEBI)}</cim:b>${'<cim:b/>'.repeat(9_999)}`;
    const name = `<cim:X rdf:about="#_${'b'.repeat(512)}"><cim:${'b'.repeat(508)}/></cim:X>`;
    expect(messagesOf(modelWith(`<cim:X rdf:ID="_a">${statements}</cim:X>${name}`))).toEqual([]);
    const replaced = '<md:Model.Supersedes rdf:resource="urn:uuid:a"/>'.repeat(1_000);
    expect(messagesOf(modelFile({ sections: replaced }))).toEqual([]);
  });

  it('parsing stops at the hundredth fault', () => {
    const model = readDifferenceModel(Buffer.from(modelWith(`${'<cim:X/>'.repeat(100)}<cim:X rdf:ID="_a"/>`)));
    expect(model.faults).toHaveLength(100);
    expect(model.forward).toEqual([]);
  });
});
