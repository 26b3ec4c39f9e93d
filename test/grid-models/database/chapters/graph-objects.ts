import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../../support/grid-archives';
import { TEST_KEY } from '../../../support/grid-database';
import { clearListedTypes, fillListedTypesOf } from '../../../support/grid-listed-types';
import { type GridGraph, gridGraph } from '../../../support/grid-graph';

const mRID = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const [LINE, TERMINAL, OTHER_TERMINAL, KNOWN, POINT, UNKNOWN] = ['a', 'b', 'c', 'd', 'e', 'f'].map(mRID) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const terminal = (id: string, target: string, form = 'ID="_') =>
  `<cim:Terminal rdf:${form}${id}"><cim:Terminal.ConductingEquipment rdf:resource="${target}"/></cim:Terminal>`;

/** The fields that engineers read on the pages of objects. */
export function graphObjects(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  const project = async (projectId: string, selection: string) =>
    (
      await grid.execute(
        `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "${projectId}") { ${selection} } }`,
      )
    ).developmentProject;
  const publish = async (projectId: string, EQ: Parameters<typeof differenceModelXml>[1]) =>
    grid.published(await gridArchive({ EQ: differenceModelXml('EQ', EQ) }), { ...TEST_KEY, projectId });

  describe('The objects of a version', () => {
    beforeAll(async () => {
      await publish('ORDER', {
        forward: [
          `<cim:DiagramObjectPoint rdf:ID="_${POINT}"/>`,
          attributeChange(UNKNOWN, 'cim:IdentifiedObject.description', 'Of any class'),
          attributeChange(LINE, 'cim:ACLineSegment.r', '1'),
          lineSegment(mRID('1'), 'zebra'),
          lineSegment(mRID('2'), 'Apple'),
          `<cim:ACLineSegment rdf:ID="_${mRID('0')}"/>`,
          `<gb:Feeder xmlns:gb="http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#" rdf:ID="_${mRID('3')}"/>`,
          `<cim:Breaker rdf:about="#_${KNOWN}"><cim:Switch.open>true</cim:Switch.open></cim:Breaker>`,
        ].join(''),
      });
    });
    const EXPECTED = [
      ...[`${mRID('2')} Apple`, `${mRID('1')} zebra`, `${mRID('0')} null`, `${LINE} null`, `${KNOWN} null`],
      ...[`${mRID('3')} null`, `${UNKNOWN} null`, `${POINT} null`],
    ];

    it.each([1, 2, 3, 500])(
      'are listed by class and name, unknown classes and points last, %i to a page',
      async (size) => {
        const seen: string[] = [];
        for (let after: string | null = null; ;) {
          const {
            version,
          }: { version: { objects: { nextCursor: string | null; nodes: { mRID: string; name: string }[] } } } =
            await project(
              'ORDER',
              `version(version: 1) { objects(first: ${size}, after: ${JSON.stringify(after)}) { nextCursor nodes { mRID name } } }`,
            );
          seen.push(...version.objects.nodes.map((each) => `${each.mRID} ${each.name}`));
          after = version.objects.nextCursor;
          if (after === null) break;
        }
        expect(seen).toEqual(EXPECTED);
      },
    );

    it('are listed by kind and class in this order, too', async () => {
      const { version } = await project(
        'ORDER',
        'version(version: 1) { added: objects(kind: ADDED) { nodes { mRID } } lines: objects(type: "cim:ACLineSegment") { nodes { name } totalCount } }',
      );
      expect(version.added.nodes.map((each: { mRID: string }) => each.mRID)).toEqual(
        EXPECTED.map((each) => each.slice(0, 36)).filter((each) => each !== LINE && each !== UNKNOWN),
      );
      expect(version.lines).toEqual({ nodes: ['Apple', 'zebra', null, null].map((name) => ({ name })), totalCount: 4 });
    });

    it('have a proposed class where no file states one', async () => {
      const { version } = await project(
        'ORDER',
        `version(version: 1) { unknown: object(mRID: "${LINE}") { type proposedType } known: object(mRID: "${KNOWN}") { proposedType kind } }`,
      );
      expect(version).toEqual({
        unknown: { type: 'rdf:Description', proposedType: 'cim:ACLineSegment' },
        known: { proposedType: null, kind: 'ADDED' },
      });
    });

    describe('of unknown class', () => {
      const idOf = (start: string, index: number) =>
        `${start}${String(index).padStart(7, '0')}-0000-4000-8000-000000000000`;
      const many = (count: number, start: string, property: string) =>
        Array.from({ length: count }, (_, index) => attributeChange(idOf(start, index), property, '1')).join('');
      const SELECTION = `version(version: 1) { classCounts { type changed } objects(first: 500) { nodes { mRID } }
        lines: objects(type: "cim:ACLineSegment") { totalCount } unknown: objects(type: "rdf:Description") { totalCount } }`;
      const isListed = async (projectId: string) => {
        const { version } = await project(projectId, SELECTION);
        const starts = version.objects.nodes.map((each: { mRID: string }) => each.mRID[0]).join('');
        expect(starts).toBe(`bbb${'a'.repeat(300)}`);
        expect(version).toMatchObject({
          classCounts: [
            { type: 'cim:PositionPoint', changed: 300 },
            { type: 'cim:ACLineSegment', changed: 3 },
          ],
          ...{ lines: { totalCount: 3 }, unknown: { totalCount: 0 } },
        });
      };
      beforeAll(async () => {
        const EQ = differenceModelXml('EQ', { forward: many(3, 'b', 'cim:ACLineSegment.r') });
        const GL = differenceModelXml('GL', { forward: many(300, 'a', 'cim:PositionPoint.xPosition') });
        await grid.published(await gridArchive({ EQ, GL }), { ...TEST_KEY, projectId: 'UNKNOWN' });
      });

      it('are listed, counted and filtered under their proposed class, points last', () => isListed('UNKNOWN'));

      it('are also listed so in versions that were published before the class was stored, which still never change', async () => {
        await clearListedTypes(grid.owner);
        await fillListedTypesOf(grid.owner);
        await isListed('UNKNOWN');
        await expect(grid.owner.query('update object_change set listed_type = null')).rejects.toThrow('never changes');
      });
    });

    it('reject a cursor of another list', async () => {
      const after = Buffer.from(LINE).toString('base64url');
      expect(
        await grid.errorOf(
          `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "ORDER") { version(version: 1) { objects(after: "${after}") { nextCursor } } } }`,
        ),
      ).toBe('VAL001 after');
    });
  });

  describe('References to an object', () => {
    beforeAll(async () => {
      await publish('REFERRED', {
        reverse: [
          terminal(OTHER_TERMINAL, `urn:uuid:${LINE.toUpperCase()}`, 'about="#_'),
          terminal(KNOWN, `#_${LINE}`, 'about="#_'),
        ].join(''),
        forward: [
          lineSegment(LINE, 'Quay'),
          terminal(TERMINAL, `#_${LINE}`),
          terminal(KNOWN, `#_${LINE}`, 'about="#_'),
          // As an attribute, the same text is not a reference.
          attributeChange(POINT, 'cim:Terminal.ConductingEquipment', LINE),
        ].join(''),
      });
    });

    const SELECTION = 'nodes { name file isAdded isDeleted source { mRID type } } nextCursor';
    const reference = (source: string, isAdded: boolean, isDeleted: boolean) => ({
      ...{ name: 'cim:Terminal.ConductingEquipment', file: 'EQ_XML', isAdded, isDeleted },
      source: { mRID: source, type: 'cim:Terminal' },
    });

    it('are those of all objects of the version, in any spelling, deleted ones too', async () => {
      const { version } = await project(
        'REFERRED',
        `version(version: 1) { object(mRID: "${LINE}") { incomingReferences { ${SELECTION} } } }`,
      );
      expect(version.object.incomingReferences).toEqual({
        nodes: [reference(TERMINAL, true, false), reference(OTHER_TERMINAL, false, true), reference(KNOWN, true, true)],
        nextCursor: null,
      });
    });

    it('are listed page by page', async () => {
      const page = async (after: string | null) =>
        (
          await project(
            'REFERRED',
            `version(version: 1) { object(mRID: "${LINE}") { incomingReferences(first: 2, after: ${JSON.stringify(after)}) { ${SELECTION} } } }`,
          )
        ).version.object.incomingReferences;
      const first = await page(null);
      const second = await page(first.nextCursor);
      expect([...first.nodes, ...second.nodes].map(({ source }) => source.mRID)).toEqual([
        ...[TERMINAL, OTHER_TERMINAL, KNOWN],
      ]);
      expect(second.nextCursor).toBeNull();
    });
  });

  describe('Two versions', () => {
    const twice = (first: string, second: string) =>
      `${attributeChange(LINE, 'cim:ACLineSegment.r', first)}${attributeChange(LINE, 'cim:ACLineSegment.x', second)}`;
    const turned = (first: string, second: string) =>
      `${attributeChange(LINE, 'cim:ACLineSegment.x', second)}${attributeChange(LINE, 'cim:ACLineSegment.r', first)}`;
    const DIFFERENCES =
      'comparison(from: 1, to: 2) { counts { added removed changed } differences { nodes { mRID kind section values { name before after } } } }';

    it('are equal if only the order of their items differs', async () => {
      await publish('TURNED', { forward: twice('1', '2'), reverse: '' });
      await publish('TURNED', { forward: turned('1', '2'), reverse: '' });
      const { comparison } = await project('TURNED', DIFFERENCES);
      expect(comparison.counts[0]).toEqual({ added: 0, removed: 0, changed: 0 });
      expect(comparison.differences.nodes).toEqual([]);
    });

    it.each([
      [
        'one item is split into two',
        'SPLIT',
        `<rdf:Description rdf:about="#_${LINE}"><cim:ACLineSegment.r>1</cim:ACLineSegment.r><cim:ACLineSegment.x>2</cim:ACLineSegment.x></rdf:Description>`,
        twice('1', '2'),
      ],
      [
        'one of several items states the class, and statements are repeated',
        'REPEATED',
        `${terminal(KNOWN, `#_${LINE}`)}${twice('1', '2')}`,
        `${terminal(KNOWN, `#_${LINE.toUpperCase()}`)}<rdf:Description rdf:about="#_${KNOWN}"><cim:Terminal.ConductingEquipment rdf:resource="urn:uuid:${LINE}"/></rdf:Description>${twice('1', '2')}${twice('1', '2')}`,
      ],
      [
        'each gives a namespace another prefix',
        'PREFIXES',
        `<a:X xmlns:a="http://example.org/own#" rdf:ID="_${LINE}"><a:x>1</a:x></a:X>`,
        `<b:X xmlns:b="http://example.org/own#" rdf:ID="_${LINE}"><b:x>1</b:x></b:X>`,
      ],
    ])('are equal if their objects have the same statements, although %s', async (_, projectId, first, second) => {
      await publish(projectId, { forward: first });
      await publish(projectId, { forward: second });
      await publish(projectId, { forward: first });
      const { comparison, back } = await project(
        projectId,
        `${DIFFERENCES} back: comparison(from: 2, to: 3) { counts { changed } differences(kind: CHANGED) { nodes { mRID } } }`,
      );
      expect(comparison.counts[0]).toEqual({ added: 0, removed: 0, changed: 0 });
      expect(comparison.differences.nodes).toEqual([]);
      expect(back).toMatchObject({ differences: { nodes: [] } });
    });

    it('differ once in an object with several items, by the values that differ', async () => {
      await publish('TWICE', { forward: twice('1', '2'), reverse: twice('3', '4') });
      await publish('TWICE', { forward: turned('1', '5'), reverse: turned('3', '4') });
      const { comparison } = await project('TWICE', DIFFERENCES);
      expect(comparison.counts[0]).toEqual({ added: 0, removed: 0, changed: 1 });
      expect(comparison.differences.nodes).toEqual([
        {
          ...{ mRID: LINE, kind: 'CHANGED', section: 'FORWARD' },
          values: [{ name: 'cim:ACLineSegment.x', before: ['2'], after: ['5'] }],
        },
      ]);
    });

    it('show the fields of their headers that differ, and which files do', async () => {
      const of = (description: string, dependentOn: string[]) =>
        differenceModelXml('EQ', { mRID: KNOWN, dependentOn }).replace(
          /(<md:Model.description>)[^<]*/,
          (_, start: string) => start + description,
        );
      const others = {
        SC: differenceModelXml('SC', { mRID: OTHER_TERMINAL }),
        GL: differenceModelXml('GL', { mRID: LINE }),
      };
      for (const EQ of [of('Before', [LINE, TERMINAL]), of('After', [TERMINAL.toUpperCase(), LINE])])
        await grid.published(await gridArchive({ ...others, EQ }), { ...TEST_KEY, projectId: 'HEADER' });
      const { comparison } = await project(
        'HEADER',
        'comparison(from: 1, to: 2) { differentFiles headers { file name before after } differences { nodes { mRID } } }',
      );
      expect(comparison).toEqual({
        differentFiles: ['EQ_XML'],
        headers: [{ file: 'EQ_XML', name: 'md:Model.description', before: ['Before'], after: ['After'] }],
        differences: { nodes: [] },
      });
    });

    it('show a change of class', async () => {
      await publish('CLASS', { forward: `<cim:Fuse rdf:ID="_${KNOWN}"/>` });
      await publish('CLASS', { forward: `<cim:Breaker rdf:ID="_${KNOWN}"/>` });
      const { comparison } = await project('CLASS', DIFFERENCES);
      expect(comparison.differences.nodes).toEqual([
        {
          ...{ mRID: KNOWN, kind: 'CHANGED', section: 'FORWARD' },
          values: [{ name: 'rdf:type', before: ['cim:Fuse'], after: ['cim:Breaker'] }],
        },
      ]);
    });
  });
}
