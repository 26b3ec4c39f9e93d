import fc from 'fast-check';
import type {
  DifferenceItem,
  DifferenceModelHeader,
  Statement,
} from '../../../subgraphs/grid-models/rdf/difference-model';
import type { WritableModel } from '../../../subgraphs/grid-models/rdf/write-difference-model';

/** Characters that parsers and writers of XML easily damage: markup, white space, multi-byte characters, surrogate pairs. */
const xmlTexts = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.string({ maxLength: 8 }) },
      fc.constantFrom(
        '&',
        '<',
        '>',
        ']]>',
        '"',
        "'",
        '\r',
        '\n',
        '\r\n',
        '\t',
        ' ',
        '&amp;',
        '<!--',
        '\u00a0',
        'é',
        '“€”',
        '👩',
        '\uFFFD',
        '\u2028',
        '\u0085',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join('').replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ''));

const NAMESPACES = new Map([
  ['cim', 'http://iec.ch/TC57/CIM100#'],
  ['eu', 'http://iec.ch/TC57/CIM100-European#'],
  ['gb', 'http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#'],
  ['opennet-18cd7a0e', 'http://osii.com/opennet/6.3#'],
  ['b-0c2edd50', 'urn:example:"a"&b'],
]);
const prefixes = fc.constantFrom(...NAMESPACES.keys());
const locals = fc.constantFrom('ACLineSegment.r', 'IdentifiedObject.name', 'X', 'Straße', 'a-b_c.1');
const names = fc.tuple(prefixes, locals).map(([prefix, local]) => `${prefix}:${local}`);

const mRIDs = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.constantFrom(
    '_a',
    '#a',
    'a b',
    'urn:uuid:x',
    'http://example.org/x',
    'http://osii.com/opennet/6.3#Kind.a',
    'http://osii.com/opennet/6.3#VoltageKind.11kV',
    'http://osii.com/opennet/6.3#Substation.12',
    'http://osii.com/opennet/6.3#kind',
    'urn:x:_y',
    '1"&<',
  ),
  xmlTexts.map((text) => text.replaceAll(/[\u0080-\uffff]/g, '')).filter((text) => text !== ''), // of objects: in ASCII
);
const otherModels = fc.oneof(
  mRIDs,
  xmlTexts.filter((text) => text !== ''),
);

const statements: fc.Arbitrary<Statement> = fc.oneof(
  fc.record({ name: names, kind: fc.constant('text' as const), value: xmlTexts }),
  fc.record({ name: names, kind: fc.constant('association' as const), value: mRIDs }),
  fc.record({
    name: names,
    kind: fc.constant('enumeration' as const),
    value: fc
      .tuple(fc.constantFrom('cim', 'eu', 'gb'), fc.constantFrom('PhaseCode.ABC', 'a b', 'x#y', '_z'))
      .map(([prefix, local]) => `${prefix}:${local}`)
      .chain((known) => fc.constantFrom(known, 'opennet-18cd7a0e:Kind.a')),
  }),
);

const items: fc.Arbitrary<DifferenceItem> = fc.record({
  mRID: mRIDs,
  type: fc.oneof(names, fc.constant('rdf:Description')),
  isObject: fc.boolean(),
  statements: fc.array(statements, { maxLength: 6 }),
});

/** Sections with distinct mRIDs, because a section may contain a whole object only once. */
const sections = fc.option(fc.uniqueArray(items, { maxLength: 6, selector: ({ mRID }) => mRID.toLowerCase() }), {
  nil: undefined,
});

const trimmed = xmlTexts.map((text) => text.trim());
const filled = trimmed.filter((text) => text !== '');
const instants = fc.constantFrom('2026-04-17T09:30:00Z', '2026-04-17T09:30:00.5+01:00');

const headers: fc.Arbitrary<DifferenceModelHeader> = fc.record({
  mRID: fc.uuid(),
  created: instants,
  scenarioTime: instants,
  modelingAuthoritySet: filled,
  profile: fc.array(filled, { minLength: 1, maxLength: 3 }),
  description: trimmed,
  version: filled,
  dependentOn: fc.array(otherModels, { maxLength: 2 }),
  supersedes: fc.array(otherModels, { maxLength: 2 }),
});

/** Valid difference models with the most unusual values that the format allows. */
export const writableModels: fc.Arbitrary<WritableModel> = fc.record({
  header: headers,
  namespaces: fc.constant(NAMESPACES),
  forward: sections,
  reverse: sections,
});

/** Texts that are inserted into files to break them. */
const SNIPPETS = [
  ...[
    '<',
    '>',
    '&',
    '"',
    "'",
    '/',
    '=',
    ':',
    '_',
    '#',
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\uFEFF',
    '\uFFFE',
    ']]>',
    '--',
    '?>',
    '/>',
    '</',
  ],
  ...[
    '&amp;',
    '&lt;',
    '&#10;',
    '&#x0;',
    '&#x1F469;',
    '&nope;',
    '&#55296;',
    '<!-- -->',
    '<!---->',
    '<!--->',
    '<![CDATA[<a>]]>',
    '<?pi x?>',
    '<?xml version="1.0"?>',
  ],
  ...[
    '<!DOCTYPE a>',
    ' xmlns:cim="http://one#"',
    ' xmlns="http://iec.ch/TC57/CIM100#"',
    ' xmlns:dm="http://iec.ch/2002/schema/CIM_difference_model#"',
  ],
  ...[
    ' xmlns:a=""',
    ' xml:lang="en"',
    ' xmlns:xml="http://one#"',
    ' rdf:ID="_a"',
    ' rdf:about="#_b"',
    ' rdf:resource="#_c"',
    ' rdf:parseType="Statements"',
  ],
  ...[
    '<cim:X rdf:ID="_a"/>',
    '<cim:X.a>1</cim:X.a>',
    '<rdf:Description rdf:about="#_a"/>',
    '<md:Model.version>2</md:Model.version>',
    '<dm:forwardDifferences rdf:parseType="Statements"/>',
  ],
  ...['é', '€', '👩', 'rdf:', 'cim:', 'PhaseCode', 'http://iec.ch/TC57/CIM100#'],
].map((text) => Buffer.from(text));

/** One change to the bytes of a file; positions are fractions of its length. */
const mutations = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: part(), snippet: fc.constantFrom(...SNIPPETS) }),
  fc.record({ kind: fc.constant('delete' as const), at: part(), length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('byte' as const), at: part(), byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: part(), length: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ kind: fc.constant('truncate' as const), at: part() }),
);

function part(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true });
}

/** Changed and truncated copies of the files. */
export function changedFiles(files: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...files), fc.array(mutations, { minLength: 1, maxLength: 4 }))
    .map(([file, changes]) => changes.reduce(changed, file));
}

function changed(
  bytes: Buffer,
  mutation: typeof mutations extends fc.Arbitrary<infer Mutation> ? Mutation : never,
): Buffer {
  const at = Math.floor(mutation.at * bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  if (mutation.kind === 'insert') return Buffer.concat([before, mutation.snippet, after]);
  if (mutation.kind === 'delete') return Buffer.concat([before, after.subarray(mutation.length)]);
  if (mutation.kind === 'byte') return Buffer.concat([before, Buffer.from([mutation.byte]), after.subarray(1)]);
  if (mutation.kind === 'repeat') return Buffer.concat([before, after.subarray(0, mutation.length), after]);
  return before;
}
