import { readdir, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { publishArchive } from '../../subgraphs/grid-models/publishing/publish';
import { type TrialEntry, differenceModelXml, gridArchive, lineSegment, zipOf } from '../support/grid-archives';
import { type GridDatabase, TRIAL_PLACE, gridDatabase } from '../support/grid-database';
import { until } from '../support/until';

jest.setTimeout(120_000);

let grid: GridDatabase;
beforeAll(async () => {
  grid = await gridDatabase();
});
afterAll(async () => {
  expect(await grid.rows()).toEqual({});
  // Other tests open such files at this moment: none keeps its name.
  await until(async () => (await readdir(tmpdir())).every((name) => !name.startsWith('grid-models-')) || undefined);
  await grid.close();
});

/** Every reason against an archive, as the command of the operator would tell it. */
async function reasons(archive: Buffer): Promise<string[]> {
  const outcome = await grid.publish(archive);
  if (outcome.outcome === 'published') return [];
  return outcome.faults.map(({ file, line, message }) => `${file ?? 'archive'}:${line ?? '-'}: ${message}`);
}

const [EQ, SC, GL] = (['EQ', 'SC', 'GL'] as const).map((file) => ({
  name: `${file}.xml`,
  bytes: differenceModelXml(file),
}));
const WHOLE = [EQ, SC, GL] as TrialEntry[];
const MIB = 1024 * 1024;

describe('the members of an archive are refused', () => {
  it.each([
    ['one that is missing', [EQ, SC], ['GL.xml:-: is missing from the archive']],
    ['one more', [...WHOLE, { name: 'README.txt', bytes: 'x' }], ['README.txt:-: is not a member of such an archive']],
    [
      'a folder',
      [...WHOLE, { name: 'models/EQ.xml', bytes: 'x' }],
      ['models/EQ.xml:-: is not a member of such an archive'],
    ],
    ['another case', [...WHOLE, { name: 'eq.xml', bytes: 'x' }], ['eq.xml:-: is not a member of such an archive']],
    ['one that is there twice', [...WHOLE, SC], ['SC.xml:-: is in the archive more than once']],
    ['a link', [SC, GL, { ...EQ, mode: 0o120_777 }], ['EQ.xml:-: is not a plain file']],
    [
      'one of more than 64 MiB',
      [SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(64 * MIB + 1, ' '), compress: false }],
      ['EQ.xml:-: has more than 64 MiB'],
    ],
    [
      'one that is compressed beyond 200:1',
      [SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(MIB, ' ') }],
      ['EQ.xml:-: is compressed beyond 200:1'],
    ],
  ])('for %s', async (_, entries, expected) => {
    expect(await reasons(await zipOf(entries as TrialEntry[]))).toEqual(expected);
  });
});

/** Where an entry of a name stands: in the directory, and in front of its data. */
const SIGNATURES = { directory: 'PK\u0001\u0002', local: 'PK\u0003\u0004' } as const;
const NAME_AT = { directory: 46, local: 30 } as const;

/** The zip with bytes of the headers of one entry changed. */
function changed(zip: Buffer, name: string, place: keyof typeof SIGNATURES, change: (header: Buffer) => void): Buffer {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf(SIGNATURES[place]); at >= 0; at = copy.indexOf(SIGNATURES[place], at + 4)) {
    const nameAt = at + NAME_AT[place];
    if (copy.toString('latin1', nameAt, nameAt + name.length) !== name) continue;
    change(copy.subarray(at));
    return copy;
  }
  throw new Error(`no header of ${name}`);
}

describe('an archive is refused whose directory', () => {
  let whole: Buffer;
  beforeAll(async () => {
    const forward = Array.from({ length: 2000 }, (_, index) => lineSegment(`L${index}`, `Line ${index}`)).join('');
    whole = await gridArchive({ EQ: differenceModelXml('EQ', { forward }) });
  });
  const named = (name: string) =>
    changed(whole, 'EQ.xml', 'directory', (header) => void header.write(name, 46, 'latin1'));

  it('names a path out of its folder', async () => {
    for (const name of ['../E.x', '/EQ.xm', 'C:\\E.x', 'EQ\0xml'])
      expect(await reasons(named(name))).toEqual([
        `${name.replace('\0', '?')}:-: is not a member of such an archive`,
        'EQ.xml:-: is missing from the archive',
      ]);
  });

  it('names a member otherwise than the member itself', async () => {
    const archive = changed(whole, 'EQ.xml', 'local', (header) => void header.write('../E.x', 30));
    expect(await reasons(archive)).toEqual(['EQ.xml:-: has another name in its own header']);
  });

  it('tells fewer bytes than the member has: they are counted, not believed', async () => {
    const bomb = await zipOf([SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(4 * MIB, ' ') }] as TrialEntry[]);
    const archive = changed(bomb, 'EQ.xml', 'directory', (header) => void header.writeUInt32LE(1000, 24));
    expect(await reasons(archive)).toContain('EQ.xml:-: is compressed beyond 200:1');
    const comment = `<!-- ${'x'.repeat(1000)} -->\n`.repeat(Math.ceil((64 * MIB) / 1000));
    const bytes = differenceModelXml('EQ').replace('</rdf:RDF>', `${comment}</rdf:RDF>`);
    const long = await zipOf([SC, GL, { name: 'EQ.xml', bytes, compress: false }] as TrialEntry[]);
    const lying = changed(long, 'EQ.xml', 'directory', (header) => void header.writeUInt32LE(1000, 24));
    expect(await reasons(lying)).toEqual(['EQ.xml:-: has more than 64 MiB']);
    const short = changed(whole, 'EQ.xml', 'directory', (header) => void header.writeUInt32LE(1000, 24));
    expect(await reasons(short)).toEqual([
      'EQ.xml:-: is damaged: size or checksum are not those that the archive states',
    ]);
  });

  it.each([
    [
      'a checksum that is not that of the member',
      16,
      'EQ.xml:-: is damaged: size or checksum are not those that the archive states',
    ],
    ['an encrypted member', 8, 'EQ.xml:-: is encrypted'],
    ['another compression method', 10, 'EQ.xml:-: is compressed by method 9, not by deflate'],
    ['no member where it says', 42, /^EQ\.xml:-: is not where the directory of the archive says/],
  ])('tells %s', async (_, offset, expected) => {
    const archive = changed(
      whole,
      'EQ.xml',
      'directory',
      (header) => void (header[offset] = (header[offset] as number) ^ 1),
    );
    expect(await reasons(archive)).toEqual([expected instanceof RegExp ? expect.stringMatching(expected) : expected]);
  });

  it('lets members overlap', async () => {
    const archive = changed(whole, 'EQ.xml', 'directory', (header) =>
      header.writeUInt32LE(header.readUInt32LE(20) + 100, 20),
    );
    expect(await reasons(archive)).toEqual(['archive:-: members of the archive overlap']);
  });

  it('or whose data are damaged, cut off, no zip, or too long', async () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 200, 260);
    expect(await reasons(damaged)).toEqual([expect.stringMatching(/^EQ\.xml:-: (cannot be decompressed|is damaged)/)]);
    for (const archive of [whole.subarray(0, -30), Buffer.from('no zip'), Buffer.alloc(0)])
      expect(await reasons(archive)).toEqual([expect.stringMatching(/^archive:-: the archive is no zip file/)]);
    const long = await grid.folder.write('long.zip', '');
    await truncate(long, 192 * MIB + 1);
    expect(await publishArchive(grid.parts, { ...TRIAL_PLACE, accountId: null }, long)).toEqual({
      outcome: 'refused',
      faults: [{ file: null, line: null, message: 'the archive has more than 192 MiB' }],
    });
  });
});

describe('a member is refused', () => {
  const withDtd = (dtd: string, value = 'x') =>
    differenceModelXml('EQ', { description: value }).replace('<rdf:RDF', `<!DOCTYPE rdf:RDF ${dtd}>\n<rdf:RDF`);
  const laughs = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
    '',
  );
  it.each([
    ['with a DTD', withDtd('SYSTEM "http://example.org/x.dtd"'), [/^EQ\.xml:2: a DTD is not allowed/]],
    [
      'with entities that expand',
      withDtd(`[<!ENTITY l0 "ha">${laughs}]`, '&l9;'),
      [/^EQ\.xml:2: a DTD is not allowed/],
    ],
    [
      'with an entity that is a file',
      withDtd('[<!ENTITY f SYSTEM "file:///etc/passwd">]', '&f;'),
      [/^EQ\.xml:2: a DTD/],
    ],
    ['with an unknown entity', differenceModelXml('EQ', { description: '&nbsp;' }), [/^EQ\.xml:\d+: not well formed/]],
    ['of the profile of another', differenceModelXml('SC'), [/^EQ\.xml:\d+: .*profile/i]],
    [
      'that is a full model',
      differenceModelXml('EQ').replaceAll('dm:DifferenceModel', 'md:FullModel'),
      [/^EQ\.xml:\d+: /],
    ],
    ['that is empty', '', [/^EQ\.xml:/]],
    [
      'with a name that no index holds',
      differenceModelXml('EQ', { forward: lineSegment('\u4e00'.repeat(400), 'Long') }),
      [/^EQ\.xml:-: an identifier or a name has more than 1024 bytes/],
    ],
  ])('%s', async (_, xml, expected) => {
    const found = await reasons(await gridArchive({ EQ: xml }));
    expect(found).toEqual(expect.arrayContaining(expected.map((pattern) => expect.stringMatching(pattern))));
  });

  it('with every reason at once, also those against the others', async () => {
    const twice = lineSegment('A', 'One') + lineSegment('A', 'Two');
    const archive = await zipOf([
      { name: 'EQ.xml', bytes: differenceModelXml('EQ', { forward: twice }) },
      { name: 'SC.xml', bytes: differenceModelXml('EQ') },
      { name: 'notes.txt', bytes: '' },
    ]);
    const found = await reasons(archive);
    expect(found).toEqual([
      'notes.txt:-: is not a member of such an archive',
      'GL.xml:-: is missing from the archive',
      expect.stringMatching(/^EQ\.xml:\d+: .*A stands twice/),
      expect.stringMatching(/^SC\.xml:\d+: .*profile/i),
    ]);
  });
});
